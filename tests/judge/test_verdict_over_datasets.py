"""The sentences of constructed studies: what is best, whether by chance, what rotations do."""

import numpy as np
import pandas as pd

from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.comparisons import compare_over_datasets
from rotastack.workflow.judge.verdict import failures, verdict_of_claims, verdict_over_datasets

RNG = np.random.default_rng(0)
N = 20
BASE = RNG.uniform(0.05, 0.4, N)
WON = pd.DataFrame({"RF": BASE, "A": BASE * RNG.uniform(0.75, 0.85, N), "B": BASE * 1.1}, [f"d{i}" for i in range(N)])


def said(means, control="RF", **options):
    return verdict_over_datasets(compare_over_datasets(means, False, control, 0.05), "error", control, 0.05, **options)


def test_a_clear_winner():
    times = {"fit": pd.DataFrame({"RF": [1], "A": [1.75], "B": [3]}), "predict": pd.DataFrame({"A": [0.4, 0.6, 0.5]})}
    best, chance, rotations = said(WON, rotation_pairs=[["A", "RF"]], times=times)
    lower = 100 * (1 - WON["A"] / WON["RF"]).mean()
    assert best == (
        "A has the best average rank by error among 3 methods over 20 data sets (1.00; RF has 2.00); it has a lower error than RF, "
        f"by {lower:.1f} % on average (better on 20), at 1.8 times the training time and 0.5 times the prediction time."
    )
    assert chance == (
        "That A beats RF is shown (p < 0.001, Wilcoxon's signed-rank test with Holm's correction for 2 comparisons); "
        "that the 3 methods differ as a whole is shown (Friedman's test, p < 0.001)."
    )
    change = 100 * (WON["A"] / WON["RF"] - 1)
    assert rotations == (
        "Rotations help (p < 0.001, A against RF): they help on 20 of 20 data sets, "
        f"most on {change.idxmin()} ({change.min():+.0f} %)."
    )


def test_where_the_control_is_best_the_others_are_set_against_it():
    times = {"fit": pd.DataFrame({"RF": [0.5]}), "predict": pd.DataFrame({"RF": [0.02]})}
    best, chance, _ = said(WON, control="A", rotation_pairs=[["A", "RF"]], times=times)
    raised = 100 * (WON["RF"] / WON["A"] - 1).mean()
    assert best.startswith(
        "A has the best average rank by error among 3 methods over 20 data sets (1.00; RF has 2.00); RF"
    )
    assert f"RF has a higher error than A, by {raised:.1f} % on average (worse on 20), at 0.5 times" in best
    assert "0.02 times the prediction time" in best
    assert chance.startswith("That it beats RF and B is shown")


def test_without_a_pair_that_ran_nothing_is_said_of_rotations():
    assert len(said(WON)) == len(said(WON, rotation_pairs=[["A", "failed"]])) == 2


def test_several_pairs_are_corrected_and_the_clearest_are_said():
    means = pd.DataFrame(RNG.uniform(0.1, 0.4, (30, 10)), columns=[f"m{i}" for i in range(10)])
    pairs = [[f"m{i}", f"m{i + 5}"] for i in range(5)]
    p = [wilcoxon_holm(means[[b, a]], b, False).loc[a, "p"] for a, b in pairs]
    sentences = said(means, control="m0", rotation_pairs=pairs)[2:]
    assert len(sentences) == 4
    first, last = np.argmin(p), min(1, sorted(p)[3] * 2)
    assert f"{pairs[first][0]} against {pairs[first][1]}, with Holm's correction for 5 pairs)" in sentences[0]
    assert f"p = {min(1, 5 * min(p)):.2g}" in sentences[0]
    assert sentences[-1].startswith("For 2 more pairs with and without rotations, the smallest p is ")
    assert float(sentences[-1].rpartition(" ")[2].rstrip(".")) >= round(last, 2) - 0.01


def test_all_tied():
    means = pd.DataFrame(dict.fromkeys("ABC", BASE))
    assert said(means, control="A") == ["All 3 methods tie: they have the same error on 20 data sets."]


def test_a_shared_best_rank():
    means = pd.DataFrame({"A": [0.1, 0.2] * 6, "RF": [0.2, 0.1] * 6, "C": [0.3] * 12})
    best, chance = said(means)
    assert best.startswith("RF and A share the best average rank by error among 3 methods over 12 data sets (1.50);")
    assert chance.startswith("That it beats C is shown")


def test_too_few_data_sets_to_show_anything_is_said():
    means = pd.DataFrame({"RF": [0.2, 0.3, 0.4, 0.5], "A": [0.1, 0.19, 0.28, 0.37]})
    p = wilcoxon_holm(means, "RF", False).loc["A", "p_holm"]
    _, chance = said(means)
    assert chance == (
        f"That A beats RF is not shown (p = {p:.2g}, Wilcoxon's signed-rank test); "
        "so many comparisons need at least 6 data sets, even if all agree."
    )
    turned = 1.5 * means.iloc[:, ::-1].set_axis(["RF", "A"], axis=1)
    enough = pd.concat([means, means + 0.01, turned], ignore_index=True)
    assert "need" not in said(enough)[1]
    assert "not shown" in said(enough)[1]


def test_the_least_number_of_data_sets_is_the_one_that_the_test_needs():
    for n in (5, 6):  # of two methods: all six differences of one sign have p = 2 / 64
        means = pd.DataFrame({"A": np.arange(1, n + 1) / 100, "RF": 2 * np.arange(1, n + 1) / 100})
        assert ("is shown" in said(means)[1]) is (n == 6)


def test_data_sets_that_a_method_failed_on_are_left_out_openly():
    means = WON.copy()
    means.loc["d3", "A"] = means.loc["d4", "B"] = np.nan
    best, *_ = said(means)
    assert "over the 18 of 20 data sets with all scores" in best
    assert "(better on 18)" in best


def test_one_data_set_that_has_all_methods():
    means = WON.iloc[:2].copy()
    means.loc["d1", "B"] = np.nan
    best, chance, rotations = said(means, rotation_pairs=[["A", "RF"]])
    assert "over the 1 of 2 data sets with all scores" in best
    assert chance == "No test: there is only one data set."
    assert rotations.startswith("Rotations (A against RF) help on 1 of 1 data set: d0 (")


def test_the_claims_of_a_study_are_answered():
    claim = {"what": "error", "of": "S", "than": "R", "expect": "lower", "n_datasets": 6, "difference": -0.0032,
             "in_favour": 0.5, "ties": 0.0, "p_holm": 0.44, "holds": False}  # fmt: skip
    claims = pd.DataFrame([claim, {**claim, "p_holm": 0.01, "holds": True, "in_favour": 1.0}])
    assert verdict_of_claims(claims) == [
        "Error of S is lower than that of R: not shown (-0.0032 on average over 6 data sets, lower on 3; p = 0.44).",
        "Error of S is lower than that of R: yes (-0.0032 on average over 6 data sets, lower on 6; p = 0.01).",
    ]
    many = verdict_of_claims(pd.concat([claims] * 3))
    assert many == ["Of the study's 6 claims 3 hold; the report has the tests."]
    assert verdict_of_claims(claims[:0]) == []
    untested = {**claim, "n_datasets": 0, **dict.fromkeys(("difference", "in_favour", "ties", "p_holm"), np.nan)}
    assert verdict_of_claims(pd.DataFrame([untested])) == [
        "Error of S is lower than that of R: not tested (no data set has this number for both methods)."
    ]


def test_what_failed_is_named_with_its_message():
    crash = "RuntimeError: I always crash."
    assert failures({"x": {"Crasher": crash, "SVM": "it took longer than 60 s"}, "y": {"Crasher": crash}}) == [
        "Crasher failed on all 2 data sets: I always crash.", "SVM failed on x: it took longer than 60 s.",
    ]  # fmt: skip
    assert failures({"x": {"Crasher": crash}}) == ["Crasher failed on x: I always crash."]
    some = failures({k: {"SVM": "no"} if k != "f" else {} for k in "abcdef"})
    assert some == ["SVM failed on a, b, c and 2 others: no."]


def test_pairs_that_are_not_named_are_counted():
    means = pd.DataFrame(RNG.uniform(0.1, 0.4, (1, 10)), columns=[f"m{i}" for i in range(10)], index=["d"])
    sentences = said(means, control="m0", rotation_pairs=[[f"m{i}", f"m{i + 5}"] for i in range(5)])
    assert sentences[-1] == "2 more pairs with and without rotations are not listed here."
