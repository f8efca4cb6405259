"""Verdicts on one data set, in sentences."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from rotastack.stats.influence import unit_influences
from rotastack.stats.metrics import PRIMARY
from rotastack.stats.resampled_t import corrected_t
from rotastack.stats.wilcoxon import holm
from rotastack.workflow.judge.results import TIE_BREAK
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.study.specs import SummarySpec


def wrong(**counts):
    """Return losses of 200 rows, with a column for each method and its number of wrong rows, the first ones."""
    return pd.DataFrame({m: (np.arange(200) < n).astype(float) for m, n in counts.items()})


def verdict(losses, control="B", *, task="classification", score=None, breaker=None, pairs=(), repeats=1, ratio=0.25,
            chooses=True, unit="rows", **found):  # fmt: skip
    """Return the verdict on losses of rows in five folds, a column for each method, and on what the scoring step found."""
    score = score or PRIMARY[task]
    folds, n = np.arange(len(losses)) % 5, len(losses)
    rows, influences = [], {}
    for method in losses:
        values = losses[method].to_numpy()
        cells = [(np.flatnonzero(folds == f), values[folds == f]) for f in range(5)] * repeats
        as_outputs = [(rows_, np.zeros(len(v)), np.stack([v, v, v], axis=1)) for rows_, v in cells]
        finite = np.isfinite(values).all()
        influences[method] = unit_influences("mae", as_outputs, np.arange(n)) if finite else np.full(n, np.nan)
        for split, (_, v) in enumerate(cells):
            named = {TIE_BREAK[task]: (breaker or {}).get(method, np.nan), score: v.mean()}
            rows.append({"split": f"S-{split}", "method": method, **named})
    spec = SummarySpec(
        task=task, score=score, control=control, alpha=0.05, axes=["split"], methods=list(losses),
        rotation_pairs=[list(pair) for pair in pairs], test_to_train={"d": ratio}, chooses=chooses,
    )  # fmt: skip
    record = {"dataset": "d", "metrics": {"baseline": {}, **found}}
    about = {"unit": unit, "repeated": repeats > 1, "widening": dict.fromkeys(losses, 1.0)}
    return verdict_of_one(pd.DataFrame(rows), spec, record, pd.DataFrame(influences), about)


def said(losses, control="B", **options):
    return verdict(losses, control, **options)["sentences"]


def test_the_best_the_control_and_the_baseline():
    first, second = said(wrong(A=20, B=60, C=40), baseline={"error": 0.5})
    assert first == "A: error 10.0% against 30.0% for B and 50.0% for predicting the majority class."
    assert second == (
        "The difference from B is shown (p < 0.001 after Holm's correction for 2 comparisons, as the best is picked from 3; "
        "200 held-out rows)."
    )


def test_where_the_control_is_best_it_is_compared_with_the_next():
    first, alike, last = said(wrong(A=61, B=60))
    assert first == "B: error 30.0% against 30.5% for A."
    assert alike == "On 200 held-out rows, B cannot be told apart from A (30.5%)."
    assert last == "The difference from A is not shown (p = 0.42; 200 held-out rows)."


def test_few_splits_are_no_reason_to_call_different_methods_equal():
    """No row against 313 of 1,124 wrong: three splits have two degrees of freedom, the rows many."""
    losses = pd.DataFrame({"A": np.zeros(1124), "B": (np.arange(1124) < 313).astype(float)})
    sentences = said(losses)
    assert not any("told apart" in s or "ties" in s for s in sentences)
    assert sentences[1].startswith("The difference from B is shown (p < 0.001")


def test_the_p_value_is_of_the_paired_test_of_rows():
    rng = np.random.default_rng(0)
    losses = pd.DataFrame(rng.gamma(2, size=(200, 2)), columns=["A", "B"])
    found = verdict(losses, task="regression", score="mae")
    assert found["p_value"] == pytest.approx(ttest_rel(losses["A"], losses["B"]).pvalue, rel=0.1)
    assert found["best"] == losses.mean().idxmin()


@pytest.mark.parametrize(("counts", "effect"), [
    ((20, 60), "Rotations help"), ((60, 20), "Rotations hurt"), ((60, 60), "No effect of rotations is shown"),
])  # fmt: skip
def test_rotations_are_judged_by_one_method_with_and_without_them(counts, effect):
    last = said(wrong(**dict(zip("AB", counts, strict=True))), pairs=[["A", "B"]])[-1]
    assert last.startswith(
        f"{effect} here: {counts[0] / 200:.1%} with rotations (A), {counts[1] / 200:.1%} without (B); p "
    )
    assert last.endswith("p < 0.001." if counts[0] != counts[1] else "p = 1.")


def test_the_best_rotated_method_is_not_compared_with_another_method():
    """The flagship beats boosting; forests on rotations are like the forest: no effect of rotations is shown."""
    losses = wrong(A=20, B=60, C=61).set_axis(["Rotastack", "Random forest", "Random rotations"], axis=1)
    last = said(losses, "Random forest", pairs=[["Random rotations", "Random forest"]])[-1]
    assert last.startswith("No effect of rotations is shown here: 30.5% with rotations (Random rotations), ")
    assert not any("otations" in s for s in said(wrong(A=20, B=60, C=61)))


def test_failures_stand_at_the_end_with_their_reasons():
    losses = wrong(A=20, B=60).assign(C=np.nan)
    assert said(losses)[-1] == "Failed: C; the others are compared."
    assert said(losses, failures={"C": "ValueError: no"})[-1] == "Failed: C (no); the others are compared."
    nothing = verdict(losses * np.nan)
    assert nothing["best"] is None
    assert nothing["sentences"] == ["No method has a score; the report says why."]


def test_methods_without_intervals_have_not_failed():
    """A pinball loss is that of an interval, which few methods predict."""
    losses = wrong(A=20, B=60).assign(C=np.nan, D=np.nan)
    found = said(losses, task="regression", score="pinball", failures={"D": "ValueError: no"})
    assert found[-2:] == [
        "Not compared, for lack of prediction intervals: C.",
        "Failed: D (no); the others are compared.",
    ]


def test_the_same_difference_in_all_rows_counts_among_the_comparisons():
    """A is right about all rows and C about none: their test has no variance, and is still one of three."""
    losses = wrong(A=0, B=60, C=200, D=61)
    sentences = said(losses, "C")
    assert "after Holm's correction for 3 comparisons, as the best is picked from 4;" in sentences[1]
    assert "is shown (p < 0.001" in sentences[1]


def test_the_p_value_is_corrected_for_the_choice_of_the_best():
    losses = wrong(A=50, C=52, D=54).assign(B=(np.arange(200) % 3 == 0).astype(float))
    p = pd.Series({m: ttest_rel(losses[m], losses["B"]).pvalue for m in "ACD"})
    found = verdict(losses)
    assert found["p_value"] == pytest.approx(holm(p)["A"], rel=0.05)
    assert "after Holm's correction for 3 comparisons, as the best is picked from 4;" in found["sentences"][2]


def test_the_corrected_t_test_stands_beside_the_rows_where_rows_are_held_out_several_times():
    rng = np.random.default_rng(0)
    losses = pd.DataFrame(rng.gamma(2, size=(200, 2)), columns=["A", "B"])
    last = said(losses, task="regression", score="mae", repeats=2)[-1]
    folds = losses.groupby(np.arange(200) % 5).mean()
    p = corrected_t([*folds["A"]] * 2, [*folds["B"]] * 2, 4, 1).p
    assert last.endswith(f"; 200 held-out rows; by the corrected t test over 10 splits p = {p:.2g}).")
    assert "corrected t" not in said(losses, task="regression", score="mae")[-1]


def test_doubts_that_change_a_number_stand_before_it():
    found = said(wrong(A=20, B=60), suspicions=["day is a date."], forecasts=["Naive forecasts: none."])
    assert found[0] == "day is a date."
    assert found[1].startswith("A: error")
    assert found[-1] == "Naive forecasts: none."


def test_the_best_is_named_and_at_once_the_model_if_another_method_is_chosen():
    """Four methods at 21 %; the one of least log loss becomes the model."""
    losses = wrong(A=42, B=42, C=42, D=42)
    found = verdict(losses, breaker={"A": 0.51, "B": 0.47, "C": 0.43, "D": 0.45})
    assert found["best"] == "A"
    assert found["sentences"][:2] == [
        "A: error 21.0% against 21.0% for B. C (21.0%) becomes the model: it has the lowest clipped log loss (0.430) of the "
        "methods that cannot be told apart.",
        "A ties with B (21.0%), C (21.0%) and D (21.0%): the 95% intervals of the differences lie within ±1.0%.",
    ]
    assert "becomes the model" not in said(losses, breaker={"A": 0.51, "B": 0.47}, chooses=False)[0]


def test_who_is_not_told_apart_is_a_block_of_the_ranking_and_the_sentence_names_who_is_further_down():
    """C is told apart from A by few discordant rows, D with more errors is not: its rows differ more."""
    n = 200
    at = np.arange(n)
    losses = pd.DataFrame({
        "A": at < 20, "B": at < 21, "C": at < 30, "D": (at >= 168),
    }).astype(float)  # fmt: skip
    found = said(losses, "B", breaker=dict.fromkeys("ABCD", 0.5))
    assert found[1] == (
        "On 200 held-out rows, A cannot be told apart from B (10.5%), nor from D (16.0%) further down, whose losses vary more between rows."
    )
    assert not any("C (" in s for s in found[:2])


def test_columns_are_doubted_by_the_rows():
    losses, options = wrong(A=82, B=86), {"baseline": {"error": 0.45}}
    doubt = "That the columns contain information about the target is not shown (permutation test, smallest p = 0.3)."
    assert said(losses, association_p={"A": 0.3, "B": 0.42}, **options)[-1] == doubt
    assert not any("information" in s for s in said(losses, association_p={"A": 0.3, "B": 0.001}, **options))
    far = said(wrong(A=20, B=60), association_p={"A": 0.3, "B": 0.42}, **options)
    assert not any("information" in s for s in far)


@pytest.mark.parametrize(("p", "ends"), [
    (1e-9, ["No method makes fewer errors than predicting the majority class, but the outputs of A for held-out rows are associated with the "
            "target (permutation test, p < 0.001)."]),
    (0.02, ["No method makes fewer errors than predicting the majority class."]),
    (0.4, ["No method makes fewer errors than predicting the majority class.",
           "That the columns contain information about the target is not shown (permutation test, smallest p = 0.4)."]),
])  # fmt: skip
def test_no_fewer_errors_is_a_reason_for_doubt_only_if_the_rows_say_so(p, ends):
    found = said(wrong(A=12, B=13), baseline={"error": 0.06}, association_p={"A": p, "B": 0.6})
    assert found[-len(ends) :] == ends


def test_a_threshold_is_proposed_where_the_chosen_method_hardly_decides_for_the_rarer_class():
    losses = wrong(A=20, B=60)
    counts = {"class": "1", "threshold": 0.06, "rows": 586, "others": 9236, "decided": 11, "right": 390, "wrong": 2710}
    assert said(losses, thresholds={"A": counts, "B": counts})[-1] == (
        "A predicts class 1 for 11 of 9,822 held-out rows; 586 rows have this class. At a threshold of 0.06, it finds 390 of "
        "these, with 2,710 false positives among the 9,236 other rows (the best balanced accuracy on these rows, 69%). To "
        "apply it, set model.threshold: 0.06 in the study's file."
    )
    even = {**counts, "others": 600, "decided": 500}
    assert not any("threshold" in s for s in said(losses, thresholds={"A": even}))
    assert "class 1 for 11 of 1,186" in said(losses, thresholds={"A": {**even, "decided": 11}})[-1]
    noise = said(losses, thresholds={"A": counts}, association_p={"A": 0.4})
    assert not any("threshold" in s for s in noise)


def test_one_split_is_tested_by_its_rows():
    found = verdict(wrong(A=40, B=60).iloc[:5], pairs=[["A", "B"]])
    assert found["p_value"] is not None


def test_the_coverage_of_the_chosen_methods_intervals_is_said():
    told = {"A": {"rows": 8, "held": 0.5}, "B": {"rows": 8, "held": 0.9}}
    assert said(wrong(A=20, B=60), intervals=told)[-1] == (
        "A: 90% intervals covered 50% of 8 later rows, too few to correct their width."
    )


@pytest.mark.parametrize(
    ("rows", "share", "score", "is_said"),
    [
        (200, 0.51, "rmse", True), (5000, 0.634, "r2", True), (200, 0.5, "rmse", False), (199, 0.9, "rmse", False),
        (5000, 0.9, "mae", False), (5000, 0.9, "pinball", False),
    ],
)  # fmt: skip
def test_ten_rows_that_make_half_of_the_squared_errors_are_named_before_the_score(rows, share, score, is_said):
    losses = pd.DataFrame({"A": np.arange(200.0), "B": np.arange(200.0)[::-1] / 2})
    best, other = ("A", "B") if score == "r2" else ("B", "A")  # the means of these losses are the scores
    ten = {best: [rows, share, 0.341], other: [5000, 0.99, 0.98]}
    sentences = said(losses, task="regression", score=score, ten_rows=ten)
    expected = (
        f"Ten of {rows:,} held-out rows account for {share:.0%} of the squared errors of {best}, which determine its "
        f"{'R²' if score == 'r2' else 'RMSE'}, and for 34% of the absolute errors, which --score mae compares."
    )
    assert (sentences[0] == expected) == is_said
    assert sum("Ten of" in sentence for sentence in sentences) == is_said
