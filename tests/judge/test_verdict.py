"""Verdicts on one data set, in sentences."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from rotastack.stats.metrics import PRIMARY
from rotastack.stats.resampled_t import corrected_t
from rotastack.stats.wilcoxon import holm
from rotastack.workflow.judge.results import TIE_BREAK
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.study.specs import SummarySpec

RNG = np.random.default_rng(0)
NOISE = RNG.normal(scale=0.001, size=(10, 3))


def cells(*means, names=("A", "B", "C")):
    return pd.DataFrame(np.array(means) + NOISE[:, : len(means)], columns=names[: len(means)])


def verdict(table, control="B", ratio=None, *, task="classification", score=None, breaker=None, pairs=(), **found):
    """Return the verdict on scores, a column for each method, and on what the scoring step found besides."""
    score, table = score or PRIMARY[task], table.reset_index(drop=True)
    scores = table.rename_axis(index="split", columns="method").reset_index().melt("split", value_name=score)
    if TIE_BREAK[task] not in scores:
        scores[TIE_BREAK[task]] = scores["method"].map(breaker or {}).astype(float)
    spec = SummarySpec(
        task=task, score=score, control=control, alpha=0.05, axes=["split"], methods=list(table),
        rotation_pairs=[list(pair) for pair in pairs], test_to_train={"d": ratio},
    )  # fmt: skip
    return verdict_of_one(scores, spec, {"dataset": "d", "metrics": {"baseline": {}, **found}})


def said(table, **options):
    return verdict(table, **{"ratio": 0.25, **options})["sentences"]


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
    first, second = said(cells(0.305, 0.3))
    assert first == "B: error 30.0% against 30.5% for A."
    assert second.startswith("The difference from A is")


def test_the_p_value_is_of_the_corrected_test():
    table = cells(0.1, 0.101)
    found = verdict(table, ratio=0.25)
    assert found["p_value"] == pytest.approx(corrected_t(table["A"], table["B"], 4, 1).p)
    assert found["best"] == "A"
    assert verdict(table)["p_value"] is None


@pytest.mark.parametrize(
    ("means", "what"), [((0.1, 0.3), "help"), ((0.3, 0.1), "do harm"), ((0.3, 0.3), "make no difference beyond chance")]
)
def test_rotations_are_judged_by_one_method_with_and_without_them(means, what):
    table = cells(*means)
    p = corrected_t(table["A"], table["B"], 4, 1).p
    last = said(table, pairs=[["A", "B"]])[-1]
    assert last.startswith(f"Rotations {what} here: A has ")
    assert last.endswith(f"(p {'< 0.001' if p < 0.001 else f'= {p:.2g}'}).")


def test_the_best_rotated_method_is_not_compared_with_another_method():
    """The flagship beats boosting; forests on rotations tie with the forest: no effect of rotations is shown."""
    table = cells(0.1, 0.3, 0.3, names=("Rotastack", "Random forest", "Random rotations"))
    last = verdict(table, "Random forest", ratio=0.25,
        pairs=[["Random rotations", "Random forest"]],
    )["sentences"][-1]  # fmt: skip
    assert last.startswith(
        "Rotations make no difference beyond chance here: Random rotations has 29.98%, the same without them, Random forest, 29.99%"
    )
    assert not any("otations" in s for s in said(table.rename(columns=dict(zip(table, "ABC", strict=True)))))


def test_no_fewer_errors_is_not_no_knowledge():
    options = {"baseline": {"error": 0.25, "log_loss": 0.7}}
    last = said(cells(0.3, 0.32), breaker={"A": 0.8, "B": 0.6}, **options)[-1]
    assert last == (
        "No method makes fewer errors than always the largest class, but the probabilities of B tell more than the classes' "
        "shares (log loss 0.600 against 0.700)."
    )
    assert said(cells(0.3, 0.32), breaker={"A": 0.8, "B": 0.9}, **options)[-1] == (
        "No method makes fewer errors than always the largest class."
    )


def test_failures_and_few_splits_are_said():
    table = cells(0.1, 0.3).iloc[:3].assign(C=np.nan)
    found = said(table)
    assert "over 3 splits, which can show little)" in found[1]
    assert found[-1] == "Failed: C; the others are compared."
    nothing = verdict(table * np.nan)
    assert nothing["best"] is None
    assert nothing["sentences"] == ["No method has a score; the report says why."]


def test_methods_without_intervals_have_not_failed():
    """A pinball loss is that of an interval, which few methods predict."""
    table = cells(0.1, 0.3).assign(C=np.nan, D=np.nan)
    found = said(table, task="regression", score="pinball", failures={"D": "ValueError: no"})
    assert found[-2:] == ["Not compared, as they predict no intervals: C.", "Failed: D (no); the others are compared."]
    assert "intervals: C" not in " ".join(said(table, task="regression"))


def test_splits_that_all_differ_by_the_same_are_tested_by_nothing():
    table = pd.DataFrame({"A": [0.1, 0.2], "B": [0.2, 0.3]})
    found = verdict(table, ratio=0.5, pairs=[["A", "B"]])
    assert found["p_value"] is None
    assert found["sentences"][1:] == ["The difference from B is the same in all 2 splits, so no test is possible."]


def test_the_p_value_is_corrected_for_the_choice_of_the_best():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(0.3, 0.02, (10, 4)), columns=list("ABCD"))
    table["B"] += 0.02
    p = pd.Series({m: corrected_t(table[m], table["B"], 4, 1).p for m in "ACD"})
    found = verdict(table, ratio=0.25)
    assert found["p_value"] == pytest.approx(holm(p)[found["best"]])
    assert "after Holm's correction for 3 comparisons, as the best is picked from 4;" in found["sentences"][2]


@pytest.mark.parametrize(("splits", "ratio", "why"), [
    (2, 0.25, "no test: only two splits."), (5, 499.0, "no test: 499 rows to test for each to train."),
])  # fmt: skip
def test_where_a_test_would_be_hopeless_there_is_an_interval_and_no_p_value(splits, ratio, why):
    table = cells(0.237, 0.255).head(splits)
    found = verdict(table, ratio=ratio, pairs=[["A", "B"]])
    assert found["p_value"] is None
    sentence = found["sentences"][1]
    assert sentence.startswith("The difference from B is 1.8%, with a 95% interval from ")
    assert sentence.endswith(why)
    edges = corrected_t(table["B"], table["A"], 1, ratio).interval
    assert f"from {edges[0]:.1%} to {edges[1]:.1%} in its favour" in sentence
    assert not any("Rotations" in s for s in found["sentences"])


def test_splits_that_share_no_row_need_no_correction():
    table = cells(0.237, 0.255).head(5)
    found = verdict(table, ratio=0.0)
    assert found["p_value"] == pytest.approx(ttest_rel(table["A"], table["B"]).pvalue)
    assert "paired t test over 5 splits that share no row" in found["sentences"][1]


def test_doubts_and_reasons_of_failures_stand_at_the_end():
    table = cells(0.1, 0.3).assign(C=np.nan)
    found = said(table, failures={"C": "it took longer than 60 s"}, suspicions=["day is a date."])
    assert found[-2:] == ["Failed: C (it took longer than 60 s); the others are compared.", "day is a date."]


def test_the_coverage_of_the_best_methods_intervals_is_said():
    told = {"A": {"rows": 8, "held": 0.5}, "B": {"rows": 8, "held": 0.9}}
    assert said(cells(0.1, 0.3), intervals=told)[-1] == (
        "A: 90% intervals held 50% of 8 later rows, too few to correct their width."
    )


def test_methods_that_tie_are_named_and_one_is_chosen_by_log_loss():
    """Four methods at 21.06 %; the one that is first in the table is not the best for that."""
    table = pd.DataFrame(dict.fromkeys("ABCD", np.full(10, 0.2106)))
    found = verdict(table, breaker={"A": 0.51, "B": 0.47, "C": 0.43, "D": 0.45})
    assert found["best"] == "C"
    assert found["sentences"][:2] == [
        "C: error 21.1% against 21.1% for B.",
        "It ties with A (21.1%), B (21.1%) and D (21.1%): the means are equal to four digits. Of these, the one of least "
        "log loss (0.430) is chosen, then of shortest training.",
    ]


def test_a_hair_over_splits_does_not_decide():
    rng = np.random.default_rng(0)
    auc = pd.DataFrame(0.9 + rng.normal(0, 0.004, (10, 3)), columns=list("ABC"))
    auc["A"] += auc["B"].mean() + 0.0011 - auc["A"].mean()
    auc["C"] -= 0.1
    options = {"score": "roc_auc", "ratio": 0.25, "breaker": {"A": 0.35, "B": 0.31, "C": 0.2}}
    found = verdict(auc, "C", **options)
    assert found["best"] == "B"
    assert "It ties with A (" in found["sentences"][1]
    assert "95% intervals of the differences from A, the best mean, contain 0. Of these" in found["sentences"][1]
    assert "the next best" not in found["sentences"][0]


DOUBT = "the columns may hold no information about the target."


def test_columns_are_doubted_by_the_rows_and_never_by_few_splits():
    table = pd.DataFrame({"A": [0.3, 0.44, 0.45, 0.43, 0.36], "B": [0.44, 0.45, 0.46, 0.43, 0.45]})
    options = {"baseline": {"error": 0.45}}
    assert corrected_t(table["A"], [0.45] * 5, 4, 1).p > 0.05, "five splits show nothing"
    doubted = said(table, association_p={"A": 0.3, "B": 0.42}, **options)[-1]
    assert (
        doubted
        == f"No method's outputs for held-out rows go with the target beyond chance (permuted rows, least p = 0.3): {DOUBT}"
    )
    assert not any(DOUBT in s for s in said(table, association_p={"A": 0.3, "B": 0.001}, **options))


def test_columns_are_not_doubted_where_the_score_is_far_from_the_baseline():
    forest = pd.DataFrame({"A": [26.0, 50.0, 31.0], "B": [40.0, 60.0, 30.0]})  # R2 of .76, three spans of time
    found = verdict(forest, task="regression", baseline={"rmse": 73.0}, association_p={"A": 0.2, "B": 0.2})
    assert not any(DOUBT in s for s in found["sentences"])


@pytest.mark.parametrize(("p", "end"), [
    (1e-9, ", but the outputs of A for held-out rows go with the target (permuted rows, p < 0.001)."),
    (0.02, "."),
    (0.4, f", nor do its outputs for held-out rows go with the target beyond chance (permuted rows, least p = 0.4): {DOUBT}"),
])  # fmt: skip
def test_no_fewer_errors_is_a_reason_for_doubt_only_if_the_rows_say_so(p, end):
    options = {"baseline": {"error": 0.06, "log_loss": 0.22}, "breaker": {"A": 0.3, "B": 0.4}}
    found = said(cells(0.061, 0.065), association_p={"A": p, "B": 0.6}, **options)
    assert found[-1] == f"No method makes fewer errors than always the largest class{end}"


def test_a_threshold_is_proposed_where_the_best_method_hardly_decides_for_the_rarer_class():
    counts = {"class": "1", "threshold": 0.06, "rows": 586, "others": 9236, "decided": 11, "right": 390, "wrong": 2710}
    found = said(cells(0.1, 0.3), thresholds={"A": counts, "B": counts})
    assert found[-1] == (
        "A predicts class 1 for 11 of 9,822 held-out rows, and 586 are of it. From probability 0.06 on it would find 390 of "
        "these, and be wrong for 2,710 of the 9,236 others (the best balanced accuracy on these rows, 69%): model.threshold: "
        "0.06 in the study's file sets it."
    )
    even = {**counts, "others": 600, "decided": 500}
    assert not any("threshold" in s for s in said(cells(0.1, 0.3), thresholds={"A": even}))
    assert "class 1 for 11 of 1,186" in said(cells(0.1, 0.3), thresholds={"A": {**even, "decided": 11}})[-1]
    noise = said(cells(0.1, 0.3), thresholds={"A": counts}, association_p={"A": 0.4})
    assert not any("threshold" in s for s in noise)


def test_one_split_says_nothing_of_chance():
    cells = pd.DataFrame({"Random forest": [0.25], "Rotastack": [0.20]})
    found = verdict(cells, "Random forest", pairs=[["Rotastack", "Random forest"]])
    assert found["p_value"] is None
    assert found["sentences"][1] == "No test: there is only one split."
    two = verdict(pd.concat([cells, cells]), "Random forest", pairs=[["Rotastack", "Random forest"]])
    assert not any("one split" in sentence for sentence in two["sentences"])
