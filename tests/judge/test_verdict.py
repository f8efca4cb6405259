"""What came out on one data set, in sentences."""

import numpy as np
import pandas as pd
import pytest

from rotastack.judge.verdict import verdict_of_one
from rotastack.stats.resampled_t import corrected_t

RNG = np.random.default_rng(0)
NOISE = RNG.normal(scale=0.001, size=(10, 3))


def cells(*means, names=("A", "B", "C")):
    return pd.DataFrame(np.array(means) + NOISE[:, : len(means)], columns=names[: len(means)])


def said(table, **options):
    return verdict_of_one(table, "classification", "B", test_to_train=0.25, **options)["sentences"]


def test_the_best_the_control_the_baseline_and_the_next_best():
    first, second, *_ = said(cells(0.1, 0.3, 0.2), baseline={"error": 0.5})
    assert (
        first
        == "A: error 10.0% against 30.0% for B and 50.0% for always the largest class; the next best of 3 is C (20.0%)."
    )
    assert second.startswith(
        "The difference from B is beyond chance (p < 0.001 after Holm's correction for 2 comparisons, as the best is picked from 3; "
    )


def test_where_the_control_is_best_it_is_compared_with_the_next():
    first, second = said(cells(0.301, 0.3))
    assert first == "B: error 30.0% against 30.1% for A."
    assert second.startswith("The difference from A is")


def test_the_p_value_is_of_the_corrected_test():
    table = cells(0.1, 0.101)
    found = verdict_of_one(table, "classification", "B", test_to_train=0.25)
    assert found["p_value"] == pytest.approx(corrected_t(table["A"], table["B"], 4, 1).p)
    assert found["best"] == "A"
    assert verdict_of_one(table, "classification", "B")["p_value"] is None


@pytest.mark.parametrize(
    ("means", "rotated", "words"),
    [
        ((0.1, 0.3), ["A"], "So rotations help here."),
        ((0.1, 0.3), ["B"], "So rotations do harm here."),
        ((0.3, 0.3), ["A"], "So rotations make no difference beyond chance here."),
        (
            (0.1, 0.3, 0.2),
            ["A"],
            "Rotations help here: the best method with them is A (10.0%), without them C (20.0%; p < 0.001, of these two alone).",
        ),
    ],
)
def test_rotations_are_judged_by_the_best_of_both_kinds(means, rotated, words):
    assert said(cells(*means), rotated=rotated)[-1] == words


def test_rotations_are_not_judged_without_both_kinds():
    assert not any("otations" in s for s in said(cells(0.1, 0.3), rotated=["A", "B"]))
    assert not any("otations" in s for s in said(cells(0.1, 0.3)))


def test_no_fewer_errors_is_not_no_knowledge():
    options = {"baseline": {"error": 0.25, "log_loss": 0.7}}
    last = said(cells(0.3, 0.32), log_loss={"A": 0.8, "B": 0.6}, **options)[-1]
    assert last == (
        "No method makes fewer errors than always the largest class, but the probabilities of B tell more than the classes' "
        "shares (log loss 0.600 against 0.700)."
    )
    assert said(cells(0.3, 0.32), log_loss={"A": 0.8, "B": 0.9}, **options)[-1].endswith("tell little or nothing.")


def test_failures_and_few_splits_are_said():
    table = cells(0.1, 0.3).iloc[:3].assign(C=np.nan)
    found = said(table)
    assert "over 3 splits, which can show little)" in found[1]
    assert found[-1] == "Failed: C; the others are compared."
    nothing = verdict_of_one(table * np.nan, "classification", "B")
    assert nothing["best"] is None
    assert nothing["sentences"] == ["All methods failed; the report says why."]


def test_large_numbers_are_written_out():
    found = verdict_of_one(cells(27_000, 35_120), "regression", "B", baseline={"rmse": 103_200.0})
    assert found["sentences"][0] == "A: RMSE 27,000 against 35,120 for B and 103,200 for always the mean."


def test_splits_that_all_differ_by_the_same_are_tested_by_nothing():
    table = pd.DataFrame({"A": [0.1, 0.2], "B": [0.2, 0.3]})
    found = verdict_of_one(table, "classification", "B", test_to_train=0.5, rotated=["A"])
    assert found["p_value"] is None
    assert found["sentences"][1:] == [
        "The difference from B is the same in all 2 splits, so that no test can tell it from chance."
    ]
