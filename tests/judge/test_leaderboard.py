"""What goes into the leaderboard of a page, and what is refused."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.judge.leaderboard_page import leaderboard_page

from rotastack.errors import RotastackError
from rotastack.stats.metrics import ranked_scores
from rotastack.stats.ranks import average_ranks
from rotastack.workflow.judge.leaderboard import Metric, board, leaderboard, study_board
from rotastack.workflow.study.specs import ReportSpec

NAMES = ["RF", "RRE", "</script><script>alert(1)</script>", "<!-- & \u2028"]


@pytest.fixture
def errors():
    values = np.random.default_rng(0).uniform(0.05, 0.4, (7, 4)).round(2)
    return pd.DataFrame(values, [f"data {i}" for i in range(7)], NAMES)


def content_of(page):
    """Return the numbers in a page, as the browser reads them."""
    (text,) = re.findall(r'<script type="application/json" id="leaderboard-content">(.*?)</script>', page, re.S)
    return json.loads(text)


def page_of(scores, higher, optimum=None, control=None):
    metric = Metric("score", "score", higher, scores, optimum=optimum)
    return leaderboard_page(leaderboard([metric], control), title="a <b> c")


def test_names_stay_text_and_numbers_whole(errors):
    page = page_of(errors, False, optimum=0, control="RRE")
    content = content_of(page)
    assert [m["name"] for m in content["methods"]] == NAMES
    assert content["metrics"][0]["scores"] == errors.to_numpy().tolist()
    assert content["boards"][0]["ranks"]["mean"] == pytest.approx(list(average_ranks(errors, False)))
    assert page.count("<script") == page.count("</script>") == 3  # its own alone
    assert "<b>" not in page
    assert "a &lt;b&gt; c" in page


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


def test_a_study_has_what_is_behind_each_number():
    """Published results are methods of the first score; they, and what chooses by the test rows, are not ranked at first."""
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
    printed = pd.DataFrame(
        {"dataset": ["iris"], "method": ["RF (x)"], "score": [0.1], "source": ["A book."], "protocol": ["One split."]}
    )
    about = {m: f"about {m}" for m in spec.methods}
    content = study_board(spec, scores, baseline, times, about, printed)
    assert [m["name"] for m in content["methods"]] == ["RF", "S/RF", "Test", "RF (x)"]
    assert content["chosen"] == [0, 1]
    assert content["methods"][1]["rotated"]
    assert content["methods"][3]["published"] == "A book. How the protocol differs: One split."
    assert content["alpha"] == 0.1
    assert [m["name"] for m in content["metrics"]] == ranked_scores("classification")
    error = content["metrics"][0]
    assert error["scores"][0][3] == 0.1
    assert error["scores"][1][1] is None
    assert error["scores"][0][0] == round(values[:2].mean(), 12)
    assert error["spread"][0][0] == pytest.approx(values[:2].std(ddof=1), rel=1e-4)
    assert error["baseline"] == [0.6, 0.7]
    assert content["metrics"][1]["scores"][0][3] is None
    assert content["metrics"][1]["optimum"] == 1
    assert content["cells"]["counts"] == [[2, 2, 2, None], [2, None, 2, None]]
    assert content["cells"]["files"][1] == "S_RF"
    assert content["times"] == {"fit": [[2, 5, None, None], [None] * 4]}
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
    content = study_board(spec, scores, baseline, pd.DataFrame(), {"RF": "", "ET": ""})
    assert [m["name"] for m in content["metrics"]] == ["rmse", "mae", "r2", "pinball"]
    assert content["metrics"][0]["scores"] == [[0.5, 0.25], [0.5, 1]]
    assert content["metrics"][0]["shown"] == [[2, 1], [30, 60]]
    assert content["times"] == {}
