"""Decisions by threshold equal those counted from probabilities, and the curves scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score

from rotastack.stats.calibration import threshold_counts
from rotastack.workflow.judge.decisions import by_threshold, draw_decisions, draw_predictions, shares
from rotastack.workflow.judge.pages import page_environment

rng = np.random.default_rng(5)
y = rng.random(300) < 0.3
proba = (rng.random(300) * 0.6 + 0.4 * y * rng.random(300)).round(2)
curve = {**threshold_counts(y, proba), "positives": int(y.sum()), "negatives": int((~y).sum())}


def test_rates_at_thresholds():
    found = {row["threshold"]: row["rates"] for row in by_threshold([curve, curve], [0.37, 0.999])}
    assert sorted(found) == list(found)
    assert {0.37, round(y.mean(), 2), 0.01, 0.5} < set(found)
    for threshold, rates in found.items():
        chosen = proba >= threshold
        right = (chosen & y).sum()
        expected = {"decided": chosen.sum(), "recall": right / y.sum(), "fall": (chosen & ~y).sum() / (~y).sum()}
        expected["precision"] = right / chosen.sum() if chosen.any() else None
        assert rates == [pytest.approx(expected)] * 2
    assert found[0.999][0] == {"decided": 0, "recall": 0, "precision": None, "fall": 0}, "none has .999"


def test_probabilities_are_not_rounded_up_to_a_threshold():
    proba = np.array([0.49996, 0.5, 0.12337, 0.7]).astype(np.float32).astype(float)
    y = np.array([True, False, True, False])
    found = threshold_counts(y, proba)
    assert found["threshold"][:2] == [0.7, 0.69]
    assert found["threshold"][-1] == 0.1233
    curve = {**found, "positives": 2, "negatives": 2}
    assert found["right"] == [((proba.round(6) >= t) & y).sum() for t in found["threshold"]]
    rates = {row["threshold"]: row["rates"][0] for row in by_threshold([curve], [0.125])}
    assert rates[0.7]["decided"] == 1, "in single precision 0.7 is less"
    assert rates[0.5]["decided"] == 2, "0.49996 is below"
    assert set(rates[0.125].values()) == {None}, "rows from .125 to .13 are not counted apart"


def test_the_areas_under_the_curves():
    left, right = draw_decisions({"best": curve, "</svg>$x$": curve}).axes
    x, recall = left.lines[0].get_xydata().T
    assert np.trapezoid(recall, x) == pytest.approx(roc_auc_score(y, proba))
    recall, precision = right.lines[1].get_xydata().T
    assert (np.diff(recall, prepend=0) * precision).sum() == pytest.approx(average_precision_score(y, proba))


def test_shares_and_the_page_of_decisions():
    confusion = confusion_matrix(y, proba > 0.5).tolist()
    found = shares(confusion)
    assert found["recall"] == [pytest.approx(row[k] / sum(row)) for k, row in enumerate(confusion)]
    assert shares([[0, 0], [3, 0]]) == {"recall": [None, 0], "precision": [0, None]}
    environment = page_environment()
    environment.filters["share"] = lambda value: "-" if value is None else f"{value:.1%}"
    page = environment.from_string('{% from "report_decisions.html.j2" import decided with context %}{{ decided(d) }}')
    methods = [{"name": name, "confusion": confusion, **found, "curves": [curve] * 2} for name in ("<b>best", "RF")]
    about = {"classes": ["a", "<b>"], "positive": 1, "figure": "FIGURE", "methods": methods}
    text = page.render(d={**about, "by_threshold": {"<b>": by_threshold([curve, curve])}}, cells="folds")
    assert "<b>" not in text
    (row,) = (line for line in text.splitlines() if ">0.5</th>" in line)
    assert f"<td>{(proba >= 0.5).sum()} <small>({(proba >= 0.5).sum()})</small></td>" in row


def test_predictions_of_numbers_are_drawn_beside_their_residuals():
    pairs = [[1.0, 2.0], [4.0, 4.0], [9.0, 6.5]]
    left, right = draw_predictions(pairs).axes
    assert left.collections[0].get_offsets().tolist() == pairs
    assert right.collections[0].get_offsets().tolist() == [[2, -1], [4, 0], [6.5, 2.5]]
    assert left.lines[0].get_xydata().tolist() == [[1, 1], [9, 9]]
    assert right.lines[0].get_ydata().tolist() == [0, 0]
