"""Claims of papers: all are counted, and splits are tested by data set. What is held of each stands in the kept tables."""

import importlib
import sys

import pandas as pd
import pytest
import yaml
from tests.docs.blocks import ROOT

sys.path[:0] = [str(ROOT / "benchmarks")]
claims = importlib.import_module("tables.claims")
papers = importlib.import_module("papers")


def test_splits_are_tested_by_data_set(tmp_path):
    errors = {"A": [0.1, 0.1, 0.1, 0.2, 0.1, 0.1], "B": [0.2, 0.3, 0.4, 0.2, 0.5, 0.6]}
    rows = [("iris", m, k, e) for m, found in errors.items() for k, e in enumerate(found)]
    pd.DataFrame(rows, columns=["dataset", "method", "split", "error"]).to_parquet(tmp_path / "scores.parquet")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/pairs.csv").write_text("dataset,first,second,p_value\niris,A,B,0.07\n")
    (tmp_path / "tables/claims.csv").write_text("what,of,than,n_datasets,p_value\n")
    (row,) = papers.by_split(tmp_path).to_dict("records")
    assert (row["of"], row["than"], row["splits"], row["p_corrected"]) == ("B", "A", 6, 0.07)
    assert (row["won"], row["tied"], row["lost"]) == pytest.approx((0, 1 / 6, 5 / 6))
    assert row["p_wilcoxon"] == pytest.approx(0.0625)  # five differences of one sign: 2 / 2^5


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
