"""Verdicts on one data set, in sentences."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, ttest_rel

from rotastack.stats.influence import unit_influences
from rotastack.stats.metrics import PRIMARY
from rotastack.stats.resampled_t import corrected_t
from rotastack.stats.wilcoxon import holm
from rotastack.workflow.judge.results import TIE_BREAK
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.study.specs import SummarySpec


def wrong(rows=200, **counts):
    """Return losses of rows, with a column for each method and its number of wrong rows, the first ones."""
    return pd.DataFrame({m: (np.arange(rows) < n).astype(float) for m, n in counts.items()})


def verdict(
    losses,
    control="B",
    *,
    task="classification",
    score=None,
    breaker=None,
    pairs=(),
    repeats=1,
    ratio=0.25,
    chooses=True,
    unit="rows",
    fewest=None,
    **found,
):
    """Return the verdict on losses of rows in five folds, a column for each method, and on what the scoring step found."""
    score = score or PRIMARY[task]
    folds, n = np.arange(len(losses)) % 5, len(losses)
    rows, influences = [], {}
    for method in losses:
        values = losses[method].to_numpy()
        cells = [(np.flatnonzero(folds == f), values[folds == f]) for f in range(5)] * repeats
        as_outputs = [(rows_, np.zeros(len(v)), np.stack([v, v, v], axis=1)) for rows_, v in cells]
        finite = np.isfinite(values).all()
        influences[method] = (
            unit_influences("mae", as_outputs, np.arange(n)) if finite else np.full((n, repeats), np.nan)
        )
        for split, (_, v) in enumerate(cells):
            named = {TIE_BREAK[task]: (breaker or {}).get(method, np.nan), score: v.mean()}
            rows.append({"split": f"S-{split}", "method": method, **named})
    spec = SummarySpec(
        task=task,
        score=score,
        control=control,
        alpha=0.05,
        axes=["split"],
        methods=list(losses),
        rotation_pairs=[list(pair) for pair in pairs],
        test_to_train={"d": ratio},
        chooses=chooses,
    )
    record = {"dataset": "d", "metrics": {"baseline": {}, **found}}
    of_methods = {"widening": dict.fromkeys(losses, 1.0), "fewest": dict.fromkeys(losses, fewest or n)}
    about = {"unit": unit, "times": repeats, **of_methods}
    by_time = pd.DataFrame({method: mine.ravel() for method, mine in influences.items()})
    return verdict_of_one(pd.DataFrame(rows), spec, record, by_time, about)


def said(losses, control="B", **options):
    return verdict(losses, control, **options)["sentences"]


def test_the_best_stands_against_the_control_or_the_next_and_the_baseline():
    first, second = said(wrong(A=20, B=60, C=40), baseline={"error": 0.5})
    assert re.match("A: error 10.0% against 30.0% for B and 50.0% for ", first)
    assert re.search("B is shown .p < 0.001 .* 2 comparisons, .* picked from 3; 200 held-out rows", second)
    told = " ".join(said(wrong(A=61, B=60)))
    assert re.match(
        "B: error 30.0% against 30.5% for A.* apart from A .30.5%.*A is not shown .p = 0.61; 200 held", told
    )


def test_few_splits_are_no_reason_to_call_different_methods_equal():
    """No row against 313 of 1,124 wrong: three splits have two degrees of freedom, the rows many."""
    losses = pd.DataFrame({"A": np.zeros(1124), "B": (np.arange(1124) < 313).astype(float)})
    sentences = said(losses)
    assert not any("told apart" in s or "ties" in s for s in sentences)
    assert sentences[1].startswith("The difference from B is shown (p < 0.001")


@pytest.mark.parametrize(
    ("counts", "effect", "p"),
    [((20, 60), "Rotations help", "< 0.001"), ((60, 20), "Rotations hurt", "< 0.001"), ((60, 60), "No effect", "= 1")],
)
def test_rotations_are_judged_by_one_method_with_and_without_them(counts, effect, p):
    last = said(wrong(**dict(zip("AB", counts, strict=True))), pairs=[["A", "B"]])[-1]
    shares = [f"{count / 200:.1%}" for count in counts]
    assert re.match(rf"{effect}.* {shares[0]} with .*A., {shares[1]} without .B.; p {p}\.$", last)


def test_the_best_rotated_method_is_not_compared_with_another_method():
    """The flagship beats boosting; forests on rotations are like the forest: no effect of rotations is shown."""
    losses = wrong(A=20, B=60, C=61).set_axis(["Rotastack", "Random forest", "Random rotations"], axis=1)
    last = said(losses, "Random forest", pairs=[["Random rotations", "Random forest"]])[-1]
    assert last.startswith("No effect of rotations is shown here: 30.5% with rotations (Random rotations), ")


TWO = wrong(A=20, B=60)
FEW = {"A": {"rows": 8, "held": 0.5}, "B": {"rows": 8, "held": 0.9}}


@pytest.mark.parametrize(
    ("losses", "options", "words"),
    [
        (TWO.assign(C=np.nan), {}, "Failed: C; "),
        (TWO.assign(C=np.nan), {"failures": {"C": "ValueError: no"}}, r"Failed: C .no.; [^.]*\.$"),
        (TWO * np.nan, {}, r"^[^.]*\.$"),
        (  # a pinball loss is that of an interval, which few methods predict
            TWO.assign(C=np.nan, D=np.nan),
            {"task": "regression", "score": "pinball", "failures": {"D": "ValueError: no"}},
            r"intervals: C\. Failed: D .no.; ",
        ),
        (  # A is right about all rows and C about none: their test has no variance, and is still one of three
            wrong(A=0, B=60, C=200, D=61),
            {"control": "C"},
            "is shown .p < 0.001 .* 3 comparisons, as the best is picked from 4;",
        ),
        (TWO, {"suspicions": ["A date."], "forecasts": ["None are naive."]}, r"^A date\. A: error.* None are naive\.$"),
        (TWO, {"intervals": FEW}, "A: 90% intervals covered 50% of 8 later rows"),
        (TWO, {"pairs": [["A", "B"]], "baseline": {"error": 0.05}}, "^((?!otations).)*$"),  # help nobody
        (wrong(A=40, B=60).iloc[:5], {}, "p [=<]"),  # one split is tested by its rows
    ],
)
def test_what_else_a_verdict_says(losses, options, words):
    assert re.search(words, " ".join(said(losses, **options)))


def test_the_p_value_is_of_the_paired_test_of_rows_and_corrected_for_the_choice_of_the_best():
    """The variance of the training sets is that of the tested rows, so the paired t statistic is divided by the root of 2."""
    losses = wrong(A=50, C=52, D=54).assign(B=(np.arange(200) % 3 == 0).astype(float))
    statistics = {m: abs(ttest_rel(losses[m], losses["B"]).statistic) / np.sqrt(2) for m in "ACD"}
    found = verdict(losses)
    assert found["p_value"] == pytest.approx(holm(2 * pd.Series(statistics).map(norm.sf))["A"], rel=0.05)
    assert "for 3 comparisons, as the best is picked from 4;" in found["sentences"][2]


def test_the_corrected_t_test_stands_beside_the_rows_where_rows_are_held_out_several_times():
    losses = pd.DataFrame(np.random.default_rng(0).gamma(2, size=(200, 2)), columns=["A", "B"])
    once, twice = (said(losses, task="regression", score="mae", repeats=repeats)[-1] for repeats in (1, 2))
    folds = losses.groupby(np.arange(200) % 5).mean()
    p = corrected_t([*folds["A"]] * 2, [*folds["B"]] * 2, 4, 1).p
    assert twice.endswith(f"; by the corrected t test over 10 splits p = {p:.2g}).")
    assert "corrected t" not in once


def test_the_best_is_named_and_at_once_the_model_if_another_method_is_chosen():
    """Four methods at 21 %; the one of least log loss becomes the model."""
    losses = wrong(400, A=84, B=84, C=84, D=84)
    found = verdict(losses, breaker={"A": 0.51, "B": 0.47, "C": 0.43, "D": 0.45})
    model, ties, *_ = found["sentences"]
    assert found["best"] == "A"
    assert re.search(
        r"C .21.0%. becomes the model: .* clipped log loss .0\.430. of the methods that cannot be told apart\.", model
    )
    tied = said(losses, breaker={"A": 0.51, "B": 0.43, "C": 0.43, "D": 0.45}, fit_processor_seconds={"B": 2, "C": 1})[0]
    assert re.search(r"C .21.0%. becomes the model: .* told apart, and trains fastest of those with this value\.", tied)
    assert re.match(r"A ties with B .21.0%., C .21.0%. and D .21.0%.: the 95% .* ±1.0%\.$", ties)
    assert "becomes the model" not in said(losses, breaker={"A": 0.51, "B": 0.47}, chooses=False)[0]


@pytest.mark.parametrize(("fewest", "ties"), [(298, False), (299, True), (400, True)])
def test_equal_outputs_are_a_tie_only_if_a_difference_in_one_unit_of_a_hundred_would_show(fewest, ties):
    """Of n units that agree, a share of 1 - .05 ** (1 / n) may differ in truth, of the rarest class for scores by class."""
    losses = wrong(400, A=84, B=84)
    assert (0.99**fewest <= 0.05) == ties
    words = [
        "On 400 held-out rows, A cannot be told apart from B (21.0%).",
        "A ties with B (21.0%): the 95% intervals of the differences lie within ±1.0%.",
    ]
    assert said(losses, breaker={"A": 0.5, "B": 0.6}, fewest=fewest)[1] == words[ties]


def test_who_is_not_told_apart_is_a_block_of_the_ranking_and_the_sentence_names_who_is_further_down():
    """C is told apart from A by few discordant rows, D with more errors is not: its rows differ more."""
    at = np.arange(200)
    losses = pd.DataFrame({"A": at < 20, "B": at < 21, "C": at < 30, "D": at >= 168}).astype(float)
    found = said(losses, "B", breaker=dict.fromkeys("ABCD", 0.5))
    assert "A cannot be told apart from B (10.5%), nor from D (16.0%) further down" in found[1]
    assert not any("C (" in s for s in found[:2])


def test_equal_digits_are_not_called_alike_where_the_test_tells_the_methods_apart():
    """B has nearly the loss of A in each of 100 rows, and always a little more: no tie for so few rows, but a difference."""
    losses = pd.DataFrame({"A": np.random.default_rng(0).uniform(1, 2, 100)})
    losses["B"] = losses["A"] + np.random.default_rng(1).uniform(1e-6, 2e-6, 100)
    found = said(losses, "B", task="regression", score="mae", breaker=dict.fromkeys("AB", 0.5), baseline={"mae": 3.0})
    assert any("is shown (p < 0.001" in sentence for sentence in found)
    assert not any("cannot be told apart" in sentence for sentence in found)


@pytest.mark.parametrize(
    ("counts", "p", "doubted"), [((82, 86), 0.42, True), ((82, 86), 0.001, False), ((20, 60), 0.42, False)]
)
def test_columns_are_doubted_by_the_rows(counts, p, doubted):
    losses = wrong(**dict(zip("AB", counts, strict=True)))
    found = said(losses, baseline={"error": 0.45}, association_p={"A": 0.3, "B": p})
    assert [s.endswith("smallest p = 0.3).") for s in found if "information about the target" in s] == [True] * doubted


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (1e-9, [r"No method makes fewer errors .*, but the outputs of A .*p < 0\.001"]),
        (0.03, [r"No method makes fewer errors than predicting the majority class\.$"]),
        (
            0.4,
            [
                r"No method makes fewer errors than predicting the majority class\.$",
                "That the columns .*smallest p = 0.4",
            ],
        ),
    ],
)
def test_no_fewer_errors_is_a_reason_for_doubt_only_if_the_rows_say_so(p, words):
    found = said(wrong(A=12, B=13), baseline={"error": 0.06}, association_p={"A": p, "B": 0.6})
    assert all(map(re.match, words, found[-len(words) :]))


def test_a_threshold_is_proposed_where_the_chosen_method_hardly_decides_for_the_rarer_class():
    losses = wrong(A=20, B=60)
    counts = {"class": "1", "threshold": 0.06, "rows": 586, "others": 9236, "decided": 11, "right": 390, "wrong": 2710}
    told = said(losses, thresholds={"A": counts, "B": counts})[-1]
    numbers = ["1", "11", "9,822", "586", "0.06", "390", "2,710", "9,236", "69", "0.06"]
    assert re.findall(r"\d[\d,.]*\d|\d", told) == numbers
    even = {**counts, "others": 600, "decided": 500}
    for options in ({"thresholds": {"A": even}}, {"thresholds": {"A": counts}, "association_p": {"A": 0.4}}):
        assert not any("threshold" in s for s in said(losses, **options))
    assert "class 1 for 11 of 1,186" in said(losses, thresholds={"A": {**even, "decided": 11}})[-1]


@pytest.mark.parametrize(
    ("rows", "share", "score", "is_said"),
    [
        (200, 0.51, "rmse", True),
        (5000, 0.634, "r2", True),
        (200, 0.5, "rmse", False),
        (199, 0.9, "rmse", False),
        (5000, 0.9, "mae", False),
    ],
)
def test_ten_rows_that_make_half_of_the_squared_errors_are_named_before_the_score(rows, share, score, is_said):
    losses = pd.DataFrame({"A": np.arange(200.0), "B": np.arange(200.0)[::-1] / 2})
    best, other = ("A", "B") if score == "r2" else ("B", "A")  # the means of these losses are the scores
    ten = {best: [rows, share, 0.341], other: [5000, 0.99, 0.98]}
    sentences = said(losses, task="regression", score=score, ten_rows=ten)
    words = f"Ten of {rows:,} held-out rows account for {share:.0%} of the squared errors of {best}, "
    assert [k for k, sentence in enumerate(sentences) if "Ten of" in sentence] == [0] * is_said
    assert sentences[0].startswith(words) == is_said
