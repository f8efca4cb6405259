"""Verdicts on claims of papers: held, not shown, the opposite, or too few data sets for a test."""

import importlib
import sys

import pandas as pd
import pytest
import yaml
from tests.docs.blocks import ROOT

sys.path[:0] = [str(ROOT / "benchmarks")]
claims = importlib.import_module("tables.claims")
papers = importlib.import_module("papers")

WON = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
SPLIT = [1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 1.5]


def values(*gains):
    """Return a table whose first column is smaller than the others by `gains`."""
    rivals = {f"rival {k}": [10.0 + g for g in gain] for k, gain in enumerate(gains)}
    return pd.DataFrame({"claimed": 10.0, **rivals})


@pytest.mark.parametrize(
    ("table", "expect", "held"),
    [
        (values(WON), "lower", "yes"),
        (values(WON), "higher", "no, the opposite"),
        (values(SPLIT), "lower", "not shown"),
        (values(SPLIT), "equal", "no sign against it"),
        (values(WON), "equal", "no"),
        (values(WON, WON), "lower", "yes"),  # each p is .016, so Holm's correction would keep both as well
        (values(WON[:6], WON[:6]), "lower", "yes"),  # each p is .031; against every rival there is nothing to correct
        (values(WON[:6], WON[:6]), "higher", "not shown"),  # against any rival there is
        (values(WON, SPLIT), "lower", "not shown"),
        (values(WON, SPLIT), "higher", "no, the opposite"),
        (values(SPLIT, SPLIT), "at most", "no sign against it"),
        (-values(WON), "at most", "no, the opposite"),
        (values(WON[:3]), "lower", "directions as claimed"),
        (values(SPLIT[:3]), "lower", "not shown"),
        (values(WON[:3]), "equal", "not tested"),
    ],
)
def test_a_table_is_judged_by_its_differences(table, expect, held):
    found = claims.counted(table, expect, "points")
    assert found.held == held
    assert ("too few for a test" in found.test) == (len(table) < 6)
    assert found.seen.startswith("claimed" if len(table) >= 6 else "0 claimed")


@pytest.mark.parametrize(("least", "held"), [(1, "yes"), (2, "not shown"), (4, "no")])
def test_numbers_are_judged_by_bounds(least, held):
    found = claims.within(pd.Series([1.0, 2.0, 3.0]), least=least)
    assert (found.held, found.seen) == (held, "1 to 3, median 2")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Return a function that keeps a study: its mean errors by data set of A and B, and the p-value of A lower than B."""
    monkeypatch.setattr(claims, "DATA", tmp_path)

    def keep(study, a, b, p, expect="lower"):
        long = (
            pd.DataFrame({"A": a, "B": b})
            .rename_axis("dataset")
            .melt(ignore_index=False, var_name="method", value_name="mean")
        )
        long = long.assign(metric="error").reset_index()
        monkeypatch.setattr(claims, "means", lambda _: long)
        difference = pd.Series(a).mean() - pd.Series(b).mean()
        row = {
            "what": "error",
            "of": "A",
            "than": "B",
            "expect": expect,
            "n_datasets": len(a),
            "difference": difference,
        }
        pd.DataFrame([{**row, "in_favour": 1.0, "p_value": p, "p_holm": p}]).to_csv(
            tmp_path / f"{study}.claims.csv", index=False
        )
        splits = [{"dataset": d, "what": "error", "of": "A", "than": "B", "p_wilcoxon": 0.004} for d in range(len(a))]
        pd.DataFrame(splits).to_csv(tmp_path / f"{study}.splits.csv", index=False)
        return {"study": study, "of": "A", "than": "B"}

    return keep


@pytest.mark.parametrize(
    ("a", "b", "p", "held"),
    [
        ([0.1] * 8, [0.2] * 8, 0.01, "yes"),
        ([0.1] * 8, [0.2] * 8, 0.2, "not shown"),
        ([0.2] * 8, [0.1] * 8, 0.01, "no, the opposite"),
        ([0.1] * 3, [0.2] * 3, 0.25, "directions as claimed"),
        ([0.1, 0.1, 0.3], [0.2] * 3, 1.0, "not shown"),
        ([0.1], [0.2], 0.3, "directions as claimed"),
        ([0.1], [0.2], 0.03, "yes"),
    ],
)
def test_a_claim_that_a_study_tests(kept, a, b, p, held):
    found = claims.compared(kept("study", a, b, p))
    assert found.held == held
    assert ("p .004" in found.test) == (len(a) < 6)


def test_a_data_set_may_be_claimed_to_differ_the_other_way(kept):
    claim = kept("study", [0.1, 0.1, 0.3], [0.2] * 3, 1.0)
    assert claims.compared({**claim, "except": [2]}).held == "directions as claimed"
    assert claims.compared({**claim, "except": [1]}).held == "not shown"


def test_splits_are_tested_by_data_set(tmp_path):
    errors = {"A": [0.1, 0.1, 0.1, 0.2, 0.1, 0.1], "B": [0.2, 0.3, 0.4, 0.2, 0.5, 0.6]}
    rows = [("iris", m, k, e) for m, found in errors.items() for k, e in enumerate(found)]
    pd.DataFrame(rows, columns=["dataset", "method", "split", "error"]).to_parquet(tmp_path / "scores.parquet")
    (tmp_path / "tables").mkdir()
    pd.DataFrame([("iris", "A", "B", 0.07)], columns=["dataset", "first", "second", "p_value"]).to_csv(
        tmp_path / "tables/pairs.csv"
    )
    pd.DataFrame(columns=["what", "of", "than", "n_datasets", "p_value"]).to_csv(tmp_path / "tables/claims.csv")
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
