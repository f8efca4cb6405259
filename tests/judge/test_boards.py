"""Boards, and the page that shows them."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.judge.leaderboard_page import leaderboard_page, ranked

from rotastack.stats.comparison import compare
from rotastack.stats.elo import elo
from rotastack.stats.improvability import improvability
from rotastack.stats.ranks import average_ranks
from rotastack.stats.resamples import bootstrap_means, bootstrap_ranks
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.boards import MOST_CONTROLS, board
from rotastack.workflow.judge.pages import friedman_in_words, page_environment
from rotastack.workflow.judge.words import score_cell

NAMES = ["RF", "RRE", "</script><script>alert(1)</script>", "<!-- & \u2028"]


@pytest.fixture
def errors():
    values = np.random.default_rng(0).uniform(0.05, 0.4, (7, 4)).round(2)
    return pd.DataFrame(values, [f"data {i}" for i in range(7)], NAMES)


def rows_of(page, table=0):
    """Return the texts of the rows of a page's table, without small print and tags."""
    body = re.findall(r"<tbody>(.*?)</tbody>", page, re.S)[table]
    body = re.sub(r" ?<(small|span).*?</\1>", "", body)
    rows = re.findall(r"<tr.*?</tr>", body, re.S)
    return [[html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)] for row in rows]


@pytest.mark.parametrize("higher", [False, True])
def test_a_board_has_the_numbers_of_the_statistics(errors, higher):
    found = json.loads(json.dumps(ranked(errors, higher), allow_nan=False))
    for part, table, middle in (
        ("ranks", bootstrap_ranks(errors, higher), "average_rank"),
        ("elo", elo(errors, higher), "elo"),
        ("improvability", bootstrap_means(improvability(errors, higher)), "mean"),
    ):
        pd.testing.assert_frame_equal(pd.DataFrame(found[part]), table.rename(columns={middle: "mean"}))
    tests = pd.DataFrame.from_dict(found["tests"], orient="index")
    pd.testing.assert_frame_equal(tests, wilcoxon_holm(errors, "RF", higher))
    whole, better = compare(errors, higher), -errors if higher else errors
    assert (found["friedman_chi2"], found["p_value"]) == (whole.friedman_chi2, whole.p_value)
    assert found["methods"] == list(whole.average_ranks.sort_values(kind="stable").index)
    assert found["wins"] == {m: {other: (better[m] < better[other]).sum() for other in NAMES} for m in NAMES}


def test_names_stay_text_and_numbers_are_those_of_the_board(errors):
    page = leaderboard_page({"error": ranked(errors, control="RRE")}, "RRE", title="a <b> c")
    rows = rows_of(page)
    ranks = average_ranks(errors, False).sort_values(kind="stable")
    assert [row[:2] for row in rows] == [[name, f"{rank:.2f}"] for name, rank in ranks.items()]
    tests = wilcoxon_holm(errors, "RRE", False).to_dict("index")
    words = {
        m: ["{wins:.0f} / {ties:.0f} / {losses:.0f}".format(**test), f"{test['p_holm']:.3f}"]
        for m, test in tests.items()
    }
    assert {row[0]: row[4:] for row in rows} == {**words, "RRE": ["–", "–"]}
    assert rows_of(page, 1) == [[name, *(f"{v:.4f}" for v in row), "0.5000"] for name, row in errors.T.items()]
    head = re.findall('<th scope="col">(.*?)</th>', page.partition('id="board-scores"')[2])
    assert [html.unescape(name) for name in head[1:-1]] == NAMES, "in the order of the study, above their numbers"
    assert page.count("<script") == page.count("</script>") == 1  # its own alone
    assert "<b>" not in page
    assert "a &lt;b&gt; c" in page


def test_each_ranked_method_is_a_control_of_times(errors):
    """Seconds that are 0 or missing for the control say nothing; methods that choose by the test rows are no controls."""
    seconds = pd.DataFrame(np.arange(1.0, 29).reshape(7, 4), errors.index, NAMES)
    seconds.iloc[1, 0], seconds.iloc[2, 0], seconds["RRE"] = 0, np.nan, seconds["RRE"] ** 2
    fair = [NAMES[k] for k in (0, 1, 3)]
    found = ranked(errors, control="RRE", seconds={"fit": seconds}, optimistic=[NAMES[2]])
    assert found["controls"] == ["RRE", "RF", NAMES[3]]
    for control in fair:
        times = seconds[fair].div(seconds[control].where(seconds[control] > 0), axis=0)
        assert {m: found["times"]["fit"][m][control] for m in fair} == pytest.approx(times.median().to_dict())
    longest = seconds[fair].div(seconds["RRE"], axis=0).max().to_dict()
    assert {m: found["longest"]["fit"][m] for m in fair} == pytest.approx(longest)
    assert leaderboard_page({"score": found}, "RRE", optimistic=[NAMES[2]]).count("<option") == 3
    many = pd.DataFrame(np.random.default_rng(1).uniform(size=(2, MOST_CONTROLS + 1))).add_prefix("m")
    assert board(many, False, "m1", 0.05)["controls"] == ["m1"]


def test_data_sets_without_a_score_are_left_out_and_named(errors):
    errors.iloc[2, 1] = errors.iloc[5, 1] = np.nan
    errors["never"] = np.nan
    found = ranked(errors)
    assert (found["left_out"], found["failed"]) == (["data 2", "data 5"], ["never"])
    assert found["ranks"]["mean"] == pytest.approx(average_ranks(errors[NAMES].dropna(), False).to_dict())
    assert [sum(test[k] for k in ("wins", "ties", "losses")) for test in found["tests"].values()] == [5, 5, 5]


@pytest.mark.parametrize("times", [1, 1e6])
def test_rounding_errors_are_ties_in_ranks_wins_and_scores(times):
    first = np.array([0.465, 0.46, 0.455, 0.45, 0.445, 0.44, 0.34, 0.335])
    scores = times * pd.DataFrame({"A": first, "B": np.nextafter(first, 0), "C": first + 0.05})
    found = ranked(scores, control="B")
    assert found["ranks"]["mean"] == {"A": 1.5, "B": 1.5, "C": 3}
    assert [found["tests"]["A"][key] for key in ("wins", "ties", "losses", "p")] == [0, 8, 0, 1]
    assert all(row["A"] == row["B"] for row in found["scores"].values())


def test_what_cannot_be_said_is_missing(errors):
    one, other = ranked(errors[:1]), board(errors, False, "another", 0.05)
    assert "p_value" not in one
    assert {*one["ranks"]["lower"].values()} == {None}
    assert {"ranks", "elo", "wins", "scores"}.isdisjoint(ranked(errors[["RF"]]))
    assert re.match("Friedman's test, p = .* too few data sets", friedman_in_words(ranked(errors[:3]), 0.05))
    assert {"tests", "improvement", "elo", "improvability"}.isdisjoint(other)
    assert other["controls"] == []


def test_numbers_are_compared_as_multiples_of_the_baseline():
    means = pd.DataFrame({"RF": [2.0, 30.0], "ET": [1.0, 60.0]}, index=["a", "b"])
    found = ranked(means, units=pd.Series({"a": 4.0, "b": 60.0}))
    assert found["scores"] == {"a": {"RF": 0.5, "ET": 0.25}, "b": {"RF": 0.5, "ET": 1}}
    assert found["means"] == means.to_dict("index")


def test_one_data_set_has_neither_ranks_nor_columns_that_a_narrow_page_hides():
    errors = pd.DataFrame([[0.2, 0.1, None]], ["cells"], ["RF", "ET", "failed"], dtype=float)
    page = leaderboard_page({"error": ranked(errors), "accuracy": ranked(1 - errors, True)})
    boards, _, rest = page.partition('id="board-scores"')
    assert not re.search("(?i)rank|data sets|1 data set", boards.split("<main>")[1])
    assert re.findall('aria-sort="([a-z]+)">([a-z]+)', boards) == [("ascending", "error"), ("descending", "accuracy")]
    table = rest.split("</table>")[0]
    rows = re.findall('<th scope="row">(.*?)</th><td(.*?)</td>', table)
    assert rows[:3] == [("ET", ' class="best">0.1000'), ("RF", ">0.2000"), ("failed", ">no score")]


def test_a_score_keeps_its_digits():
    cell = page_environment().filters["cell"]
    numbers = {0.12345: "0.1235", 0.00012345: "0.0001234", 39.2: "39.200", 12345.6: "12346", 563885.2: "563885"}
    assert [cell(number) for number in numbers] == list(numbers.values())
    assert [score_cell(v, "regression") for v in (0.123456, 2955.04, 31860.2)] == ["0.1235", "2955", "31860"]
