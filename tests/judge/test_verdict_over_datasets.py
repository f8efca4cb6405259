"""The sentences of constructed studies: what is best, whether by chance, what rotations do."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rotastack.stats.wilcoxon import signed_rank_p, wilcoxon_holm
from rotastack.workflow.judge.boards import board
from rotastack.workflow.judge.verdict import claim_in_words, failures, verdict_of_claims, verdict_over_datasets
from rotastack.workflow.run.steps.summarize import _claims_table

RNG = np.random.default_rng(0)
N = 20
BASE = RNG.uniform(0.05, 0.4, N)
WON = pd.DataFrame({"RF": BASE, "A": BASE * RNG.uniform(0.75, 0.85, N), "B": BASE * 1.1}, [f"d{i}" for i in range(N)])


def said(means, control="RF", seconds=None, **options):
    found = board(means, False, control, 0.05, seconds=seconds)
    return verdict_over_datasets(found, "error", control, 0.05, **options)


def seconds_of(**columns):
    """Return seconds on the first data sets."""
    return pd.DataFrame(columns, [f"d{i}" for i in range(3)])


def test_a_clear_winner():
    times = {"fit": seconds_of(RF=2, A=3.5, B=6), "predict": seconds_of(A=[0.4, 0.6, 0.5], RF=1)}
    best, chance, rotations = said(WON, rotation_pairs=[["A", "RF"]], seconds=times)
    lower = 100 * (1 - np.exp(np.log(WON["A"] / WON["RF"]).mean()))
    numbers = rf"^A has .* 3 methods over 20 .*1\.00; RF has 2\.00.* lower .*{lower:.1f} %.*better on 20.* 1\.8 times .* 0\.5 times"
    assert re.search(numbers, best)
    assert re.match(r"That A beats RF is shown \(p < 0\.001, .* for 2 .* 3 methods .* is shown .* p < 0\.001", chance)
    change = 100 * (WON["A"] / WON["RF"] - 1)
    most = re.escape(f"most on {change.idxmin()} ({change.min():+.0f} %)")
    assert re.match(rf"Rotations help \(p < 0\.001, A against RF\).* 20 of 20 data sets, {most}", rotations)


def test_where_the_control_is_best_the_others_are_set_against_it():
    times = {"fit": seconds_of(RF=1, A=2), "predict": seconds_of(RF=0.02, A=1)}
    best, chance, _ = said(WON, "A", times, rotation_pairs=[["A", "RF"]])
    raised = 100 * (np.exp(np.log(WON["RF"] / WON["A"]).mean()) - 1)
    assert f"RF has a higher error than A, by {raised:.1f} % in the geometric mean (worse on 20), at 0.5 times" in best
    assert chance.startswith("That it beats RF and B is shown")


def test_several_pairs_are_corrected_and_the_clearest_are_said():
    means = pd.DataFrame(RNG.uniform(0.1, 0.4, (30, 10)), columns=[f"m{i}" for i in range(10)])
    pairs = [[f"m{i}", f"m{i + 5}"] for i in range(5)]
    p = [wilcoxon_holm(means[[b, a]], b, False).loc[a, "p"] for a, b in pairs]
    first, *_, last = sentences = said(means, control="m0", rotation_pairs=pairs)[2:]
    assert len(sentences) == 4
    assert f"p = {min(1, 5 * min(p)):.2g}, {pairs[np.argmin(p)][0]} against {pairs[np.argmin(p)][1]}, with" in first
    assert last.startswith("For 2 more pairs")
    assert float(last.rpartition(" ")[2].rstrip(".")) >= round(min(1, sorted(p)[3] * 2), 2) - 0.01
    assert said(means[:1], control="m0", rotation_pairs=pairs)[-1].startswith("2 more pairs")


def test_a_shared_best_rank():
    means = pd.DataFrame({"A": [0.1, 0.2] * 6, "RF": [0.2, 0.1] * 6, "C": [0.3] * 12})
    best, chance = said(means, rotation_pairs=[["A", "failed"]])
    assert re.match(r"RF and A share .*\(1\.50\);", best)
    assert chance.startswith("That it beats C is shown")
    (tied,) = said(pd.DataFrame(dict.fromkeys("ABC", BASE)), control="A")
    assert tied.startswith("All 3 methods tie")


def test_only_too_few_data_sets_to_show_anything_are_a_reason():
    means = pd.DataFrame({"RF": [0.2, 0.3, 0.4, 0.5], "A": [0.1, 0.19, 0.28, 0.37]})
    turned = 1.5 * means.iloc[:, ::-1].set_axis(["RF", "A"], axis=1)
    for data, is_reason in ((means, True), (pd.concat([means, means + 0.01, turned], ignore_index=True), False)):
        chance = said(data)[1]
        assert chance.startswith("That A beats RF is not shown (p = ")
        assert ("need at least 6 data sets" in chance) == is_reason


def test_data_sets_that_a_method_failed_on_are_left_out_openly():
    means = WON.copy()
    means.loc["d3", "A"] = means.loc["d4", "B"] = np.nan
    assert re.search(r"over the 18 of 20 data sets with all scores .*\(better on 18\)", said(means)[0])
    told = " ".join(said(means[2:4], rotation_pairs=[["A", "RF"]]))
    assert re.search(
        r"the 1 of 2 data sets .* only one data set.* \(A against RF\) help on 1 of 1 data set: d2 \(", told
    )


def test_the_claims_of_a_study_are_answered():
    claim = {
        "what": "error",
        "of": "S",
        "than": "R",
        "expect": "lower",
        "n_datasets": 6,
        "difference": -0.0032,
        "in_favour": 0.5,
        "ties": 0.0,
        "p_holm": 0.44,
        "holds": False,
        "could_tell": True,
    }
    untested = {**claim, "n_datasets": 0, **dict.fromkeys(("difference", "in_favour", "ties", "p_holm"), np.nan)}
    claims = pd.DataFrame([claim, {**claim, "p_holm": 0.01, "holds": True, "in_favour": 1.0}, untested])
    told = verdict_of_claims(claims)
    words = (
        r"not shown \(-0\.0032 .* 6 data sets, lower on 3; p = 0\.44",
        r"yes .* lower on 6; p = 0\.01",
        "not tested",
    )
    assert all(re.match(rf"Error of S is lower than that of R: {w}", line) for w, line in zip(words, told, strict=True))
    (many,) = verdict_of_claims(pd.concat([claims[:2]] * 3))
    assert many.startswith("3 of 6 claims of a difference hold")
    assert verdict_of_claims(claims[:0]) == []


def claimed(scores, claims):
    """Return the table of claims on the errors of methods."""
    spec = SimpleNamespace(
        claims=[SimpleNamespace(what="error", **claim) for claim in claims],
        axes=["split"],
        left_out={},
        average="mean",
        alpha=0.05,
        test_to_train={},
    )
    rows = [{"dataset": d, "split": "1", "method": m, "error": v} for m, of in scores.items() for d, v in enumerate(of)]
    return _claims_table(SimpleNamespace(spec=spec, scores=pd.DataFrame(rows), baseline=pd.DataFrame()))


def test_claims_of_equality_are_counted_apart_and_so_are_those_that_no_test_could_reject():
    claims = [{"of": "A", "than": other, "expect": "equal"} for other in "BCDE"]
    scores = {m: [v] * 7 for m, v in zip("ABCDE", (0.01, 0.2, 0.01, 0.4, 0.01), strict=True)}
    table = claimed({m: of[:2] for m, of in scores.items()}, claims)
    assert "4 of 4 claims of equality have no sign against them, 4 on too few data sets" in verdict_of_claims(table)[0]
    assert claim_in_words(table.iloc[0])["holds"] == "too few data sets for a sign against it"
    (told,) = verdict_of_claims(claimed(scores, [*claims, {"of": "A", "than": "B", "expect": "lower"}]))
    assert told.startswith("1 of 1 claims of a difference hold; 2 of 4 claims of equality have no sign against them; ")


@pytest.mark.parametrize(("expect", "holds"), [("higher", "not shown"), ("lower", "yes")])
def test_a_claim_has_the_direction_of_its_test_and_not_of_the_mean(expect, holds):
    differences = np.r_[-np.linspace(0.01, 0.02, 11), 0.9] / 2
    table = claimed({"A": 0.3 + differences, "B": np.full(12, 0.3)}, [{"of": "A", "than": "B", "expect": expect}])
    lower_on = {"higher": "higher on 1", "lower": "lower on 11"}[expect]
    assert f"{holds} (+0.0306 on average over 12 data sets, {lower_on}; p = 0.034)" in verdict_of_claims(table)[0]


def test_what_is_shown_has_the_direction_of_its_test_and_not_of_the_ranks():
    """Ours is much better on 14 of 30 data sets, and worse by a hair on 16."""
    means = pd.DataFrame({"RF": np.full(30, 0.2)})
    means["ours"] = means["RF"] + np.r_[np.linspace(0.001, 0.002, 16), -np.linspace(0.05, 0.1, 14)]
    best, tests = said(means)
    assert best.startswith("RF has the best average rank")
    assert tests.startswith("That it beats any other is not shown (smallest p = 1, ")
    assert "that ours beats RF is shown, although RF has the better average rank." in tests
    assert re.match("That ours beats RF is shown .*; but RF has the better average rank", said(means, "ours")[1])
    turned = said(-means + 0.5, control="ours")[1]
    assert re.match("That it beats any other is not shown .*that RF beats ours is shown, although ours", turned)


@pytest.mark.parametrize("unit", [1e6, 1e-13])
def test_all_sentences_have_one_scale(unit):
    """RRE is better by 5 to 12 % on 9 data sets, and worse by 1 to 3 % on 3 whose targets have large units."""
    units = pd.Series(np.r_[np.full(9, unit), np.full(3, 1e4)], [f"d{i}" for i in range(12)])
    change = np.r_[-np.linspace(0.05, 0.12, 9), np.linspace(0.01, 0.03, 3)]
    means = pd.DataFrame({"RF": 0.5 * units, "RRE": 0.5 * units * (1 + change)})
    found = board(means, False, "RF", 0.05, units=units)
    told = " ".join(verdict_over_datasets(found, "RMSE", "RF", 0.05, rotation_pairs=[["RRE", "RF"]]))
    lower = 100 * (1 - np.exp(np.log1p(change).mean()))
    assert f"{lower:.1f} % in the geometric mean (better on 9, worse on 3)" in told
    assert re.search(r"RRE beats RF is shown \(p = 0\.0068.* help \(p = 0\.0068, .* help on 9 of 12", told)


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ([0.05] * 5 + [0.2] * 3, [0.1] * 8, r"lower .* 15\.9 % .*better on 5, worse on 3"),
        ([0.15] * 4 + [0.1] * 4, [0.2] * 4 + [0.0] * 4, r"higher .* 0\.025 on average .better on 4, worse on 4"),
        ([0.1, 0.4], [0.2, 0.2], "the same .*better on 1, worse on 1"),
        ([0.0] * 6, [0.1] * 6, r"lower .* 0\.1 on average .better on 6\)"),
    ],
)
def test_the_average_change_is_that_of_all_data_sets(a, b, told):
    best, *_ = said(pd.DataFrame({"a": a, "b": b, "c": 0.5}), control="b")
    assert re.search(told, best)


def test_a_score_of_1_at_best_changes_by_a_difference():
    control = np.array([0.3, 0.4, 0.5, 0.6, 0.001, -0.02, 0.3, 0.2])
    found = board(pd.DataFrame({"a": control + 0.05, "b": control}), True, "b", 0.05)
    assert "by 0.05 on average (better" in verdict_over_datasets(found, "R²", "b", 0.05)[0]


@pytest.mark.parametrize(("alpha", "others"), [(0.05, 1), (0.0625, 4), (0.25, 3), (0.125, 1)])
def test_the_data_sets_that_are_needed_are_those_that_a_test_needs(alpha, others):
    needed = next(n for n in range(1, 20) if others * signed_rank_p(np.arange(1.0, n + 1)) < alpha)
    means = pd.DataFrame({"c": [0.3, 0.3], **{f"m{i}": [0.2 + i / 100, 0.1] for i in range(others)}})
    sentences = verdict_over_datasets(board(means, False, "c", alpha), "error", "c", alpha)
    assert f"need at least {needed} data sets, even if all agree" in sentences[1]


def test_what_failed_is_named_with_its_message():
    crash = "RuntimeError: I always crash."
    told = failures({"x": {"Crasher": crash, "SVM": "too long"}, "y": {"Crasher": crash}})
    assert [line.partition(" failed on ")[2] for line in told] == ["all 2 data sets: I always crash.", "x: too long."]
    (some,) = failures({k: {"SVM": "no"} if k != "f" else {} for k in "abcdef"})
    assert "on a, b, c and 2 others: no" in some
