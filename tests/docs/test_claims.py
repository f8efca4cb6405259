"""Claims of papers: all are counted, and splits are tested by data set. What is held of each stands in the kept tables."""

import importlib
import sys

import yaml
from tests.docs.blocks import ROOT

sys.path[:0] = [str(ROOT / "benchmarks")]
claims = importlib.import_module("tables.claims")


def test_every_claim_is_counted_and_five_tell_what_to_choose():
    listed = yaml.safe_load((claims.DATA / "claims.yaml").read_text())
    assert {claim["values"] for claim in listed if "values" in claim} == set(claims.VALUES)
    found = [(claim, claims.verdict(claim)) for claim in listed]
    last = claims.overview(found).splitlines()[-1].split("|")[2:-1]
    n, *by_verdict = (int(cell) for cell in last)
    assert n == sum(by_verdict) == sum("ours" not in claim["paper"] for claim in listed)
    assert claims.choice(found).count("\n") == 4
    first = [(found[0][0], found[0][1]._replace(held=held)) for held in ("yes", "not shown")]
    assert [claims.choice([pair])[3:] for pair in first] == list(found[0][0]["choice"].values())
