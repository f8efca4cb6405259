"""What goes into the leaderboard of a page, and what is refused."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.judge.leaderboard_page import leaderboard_page

from rotastack.errors import RotastackError
from rotastack.stats.metrics import ranked_scores
from rotastack.stats.ranks import average_ranks
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.leaderboard import MOST_CONTROLS, Metric, board, leaderboard, study_board
from rotastack.workflow.judge.pages import page_environment
from rotastack.workflow.judge.words import score_cell
from rotastack.workflow.study.specs import ReportSpec

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


def page_of(scores, higher, optimum=None, control=None):
    metric = Metric("score", "score", higher, scores, optimum=optimum)
    return leaderboard_page(leaderboard([metric], control), title="a <b> c")


def test_names_stay_text_and_numbers_are_those_of_the_board(errors):
    page = page_of(errors, False, optimum=0, control="RRE")
    rows = rows_of(page)
    ranks = average_ranks(errors, False).sort_values(kind="stable")
    assert [row[0] for row in rows] == list(ranks.index)
    assert [row[1] for row in rows] == [f"{rank:.2f}" for rank in ranks]
    against = wilcoxon_holm(errors, "RRE", False)
    for name, _, _, _, games, p in rows:
        if name == "RRE":
            assert (games, p) == ("–", "–")
        else:
            found = against.loc[name]
            assert games == f"{found['wins']:.0f} / {found['ties']:.0f} / {found['losses']:.0f}"
            assert p == f"{found['p_holm']:.3f}"
    assert rows_of(page, 1) == [[name, *(f"{v:.4f}" for v in row)] for name, row in errors.T.items()]
    assert page.count("<script") == page.count("</script>") == 1  # its own alone
    assert "<b>" not in page
    assert "a &lt;b&gt; c" in page


@pytest.mark.parametrize("higher", [False, True])
def test_each_ranked_method_is_a_control_of_wins_and_times(errors, higher):
    """Seconds that are 0 or missing for the control say nothing; methods that choose by the test rows are no controls."""
    errors.iloc[4, 2] = np.nan
    seconds = pd.DataFrame(np.arange(1.0, 29).reshape(7, 4), errors.index, NAMES)
    seconds.iloc[1, 0], seconds.iloc[2, 0], seconds["RRE"] = 0, np.nan, seconds["RRE"] ** 2
    metric = Metric("score", "score", higher, errors)
    content = leaderboard([metric], "RRE", times={"fit": seconds}, methods={NAMES[2]: {"optimistic": True}})
    ranked = [NAMES[k] for k in (0, 1, 3)]
    assert content["controls"] == ["RRE", "RF", NAMES[3]]
    found = content["boards"][0]
    for k, control in enumerate(content["controls"]):
        wanted = wilcoxon_holm(errors[ranked], control, higher)
        times = seconds[ranked].div(seconds[control].where(seconds[control] > 0), axis=0).median()
        for j, method in enumerate(ranked):
            games = found["by_control"]["wins"][j][k]
            if method == control:
                assert games == "–"
            else:
                assert games == " / ".join(f"{wanted.loc[method, key]:.0f}" for key in ("wins", "ties", "losses"))
            assert found["by_control"]["fit"][j][k] == pytest.approx(times[method])
    page = leaderboard_page(content)
    assert page.count("<option") == 3
    many = pd.DataFrame(np.random.default_rng(1).uniform(size=(2, MOST_CONTROLS + 1))).add_prefix("m")
    assert leaderboard([Metric("e", "e", False, many)], "m1")["controls"] == ["m1"]


def test_data_sets_without_a_score_are_left_out_and_named(errors):
    errors.iloc[2, 1] = errors.iloc[5, 1] = np.nan
    errors["never"] = np.nan
    metric = Metric("error", "error", False, errors, optimum=0)
    found = board(metric, list(errors), "RF")
    assert found["left_out"] == [2, 5]
    assert found["failed"] == [4]
    whole = errors[NAMES].dropna()
    assert found["ranks"]["mean"] == pytest.approx(list(average_ranks(whole, False)))
    assert [sum(row[k] for k in ("wins", "ties", "losses")) for row in found["against"][1:]] == [5, 5, 5]


@pytest.mark.parametrize("times", [1, 1e6])
def test_rounding_errors_are_ties_in_ranks_wins_and_scores(times):
    first = np.array([0.465, 0.46, 0.455, 0.45, 0.445, 0.44, 0.34, 0.335])
    scores = times * pd.DataFrame({"A": first, "B": np.nextafter(first, 0), "C": first + 0.05})
    content = leaderboard([Metric("error", "error", False, scores, optimum=0)], "B")
    found = content["boards"][0]
    assert found["ranks"]["mean"] == [1.5, 1.5, 3]
    assert [found["against"][0][key] for key in ("wins", "ties", "losses", "p")] == [0, 8, 0, 1]
    assert all(row[0] == row[1] for row in content["metrics"][0]["scores"])


def test_what_cannot_be_said_is_none(errors):
    one = board(Metric("error", "error", False, errors[:1], optimum=0), NAMES, "RF")
    assert one["tests"] is None
    assert one["ranks"]["lower"] == [None] * len(NAMES)
    alone = board(Metric("error", "error", False, errors), ["RF"], "RF")
    assert alone["ranks"] is None
    assert alone["elo"] is None
    few = board(Metric("error", "error", False, errors[:3], optimum=0), NAMES, "RF")
    assert few["tests"].startswith("Friedman's test, p = ")
    assert few["tests"].endswith("There are too few data sets for intervals over them.")
    no_control = board(Metric("error", "error", False, errors), NAMES, None)
    assert no_control["against"] is None
    assert no_control["gap"] is None  # nobody said what the optimum is


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda e: e.set_axis(["RF", "RF", "a", "b"], axis=1), "two methods have the name 'RF'"),
        (lambda e: e.replace(e.iloc[0, 0], np.inf), "infinite score"),
        (lambda e: e.drop(columns="RF"), "control 'RF' is not a method"),
        (lambda e: e.astype(object).replace(e.iloc[0, 0], "x"), "not a number"),
    ],
)
def test_bad_tables_are_one_line(errors, change, words):
    with pytest.raises(RotastackError, match=words):
        page_of(change(errors), False, control="RF")


def test_the_board_of_a_study():
    """A method that chooses by the test rows is not ranked."""
    cells = [(d, m, s) for d in ("iris", "wine") for m in ("RF", "S/RF", "Test") for s in ("S-01", "S-02")]
    scores = pd.DataFrame(cells, columns=["dataset", "method", "split"])
    values = np.random.default_rng(1).uniform(0, 0.5, len(scores))
    more = dict.fromkeys(("balanced_accuracy", "roc_auc", "average_precision", "f1"), 1 - values)
    scores = scores.assign(error=values, **more, log_loss=2 * values, clipped_log_loss=2 * values, brier=values)
    scores.loc[(scores["dataset"] == "wine") & (scores["method"] == "S/RF"), "error"] = np.nan
    baseline = pd.DataFrame({"error": [0.6, 0.7]}, index=["iris", "wine"])
    spec = ReportSpec.model_construct(
        name="s", task="classification", score="error", seed=3, cells="splits", methods={"RF": {}, "S/RF": {}, "Test": {}},
        evaluation={"alpha": 0.1, "average": "mean", "left_out": {}}, rotated=["S/RF"], optimistic=["Test"], control="RF",
    )  # fmt: skip
    times = pd.DataFrame({"dataset": ["iris", "iris"], "method": ["RF", "S/RF"], "fit_seconds": [2.0, 5.0]})
    content = study_board(spec, scores, baseline, times)
    assert [m["name"] for m in content["methods"]] == ["RF", "S/RF", "Test"]
    assert content["chosen"] == [0, 1]
    assert content["methods"][1]["rotated"]
    assert content["alpha"] == 0.1
    assert [m["name"] for m in content["metrics"]] == ranked_scores("classification")
    error = content["metrics"][0]
    assert error["scores"][1][1] is None
    assert error["scores"][0][0] == round(values[:2].mean(), 12)
    assert error["spread"][0][0] == pytest.approx(values[:2].std(ddof=1), rel=1e-4)
    assert error["baseline"] == [0.6, 0.7]
    assert content["metrics"][1]["optimum"] == 1
    assert content["boards"][0]["fit"] == [1, 2.5]
    assert [b["methods"] for b in content["boards"]] == [[0, 1]] * len(ranked_scores("classification"))
    json.dumps(content, allow_nan=False)


def test_numbers_are_compared_as_multiples_of_the_baseline():
    frame = {"dataset": ["a", "a", "b", "b"], "method": ["RF", "ET"] * 2, "split": ["S-01"] * 4}
    scores = pd.DataFrame(
        {**frame, "rmse": [2.0, 1.0, 30.0, 60.0], "mae": 1.0, "r2": 0.5, "pinball": 1.0, "interval_coverage": 0.9}
    )
    baseline = pd.DataFrame({"rmse": [4.0, 60.0], "mae": [1.0, 1.0], "pinball": [1.0, 1.0]}, index=["a", "b"])
    spec = ReportSpec.model_construct(
        name="n", task="regression", score="rmse", seed=3, cells="splits", methods={"RF": {}, "ET": {}},
        evaluation={"alpha": 0.05, "average": "mean", "left_out": {}}, rotated=[], optimistic=[], control="RF",
    )  # fmt: skip
    content = study_board(spec, scores, baseline, pd.DataFrame())
    assert [m["name"] for m in content["metrics"]] == ["rmse", "mae", "r2", "pinball"]
    assert content["metrics"][0]["scores"] == [[0.5, 0.25], [0.5, 1]]
    assert content["metrics"][0]["shown"] == [[2, 1], [30, 60]]
    assert set(content["boards"][0]["by_control"]) == {"wins"}


def test_one_data_set_has_neither_ranks_nor_columns_that_a_narrow_page_hides():
    errors = pd.DataFrame([[0.2, 0.1, None]], ["cells"], ["RF", "ET", "failed"], dtype=float)
    metrics = [Metric("error", "error", False, errors), Metric("accuracy", "accuracy", True, 1 - errors)]
    page = leaderboard_page(leaderboard(metrics, "RF"))
    boards, table = page[: page.index('id="board-scores"')], page.split('id="board-scores"')[1].split("</table>")[0]
    assert not re.search("(?i)rank|data sets|1 data set", boards.split("<main>")[1])
    assert re.findall('aria-sort="([a-z]+)">([a-z]+)', boards) == [("ascending", "error"), ("descending", "accuracy")]
    rows = re.findall('<th scope="row">(.*?)</th><td(.*?)</td>', table)
    assert rows == [("ET", ' class="best">0.1000'), ("RF", ">0.2000"), ("failed", ">no score")]
    assert table.count('scope="col"') == 2, "a row for each method"


def test_a_score_keeps_its_digits():
    cell = page_environment().filters["cell"]
    numbers = {0.12345: "0.1235", 0.00012345: "0.0001234", 39.2: "39.200", 12345.6: "12346", 563885.2: "563885"}
    assert [cell(number) for number in numbers] == list(numbers.values())
    assert [score_cell(v, "regression") for v in (0.123456, 2955.04, 31860.2)] == ["0.1235", "2955", "31860"]
