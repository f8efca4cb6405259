"""Figures over data sets: differences, win-rate matrix, ranks with intervals, quality against time."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from rotastack.plots.methods import pareto_front, plot_differences, plot_pareto, plot_rank_intervals, plot_win_matrix

NAN = float("nan")


def ranks_of(methods):
    middle = np.linspace(2, len(methods), len(methods))
    return pd.DataFrame({"average_rank": middle, "lower": middle - 0.5, "upper": middle + 1.0}, index=methods)


def shares_of(methods):
    upper = np.triu(np.random.default_rng(0).random((len(methods), len(methods))), 1)
    return pd.DataFrame(upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(len(methods)), methods, methods)


def points_of(methods):
    time, quality = np.random.default_rng(1).uniform([[-1], [1]], [[2], [9]], (2, len(methods)))
    return pd.DataFrame({"time": 10**time, "quality": quality}, index=methods)


# ---------- win-rate matrix


def test_a_win_matrix_is_sorted_by_mean_share_and_its_diagonal_is_empty():
    shares = pd.DataFrame([[0.5, 0.1, 0.2], [0.9, 0.5, NAN], [0.8, NAN, 0.5]], index=[*"CAB"], columns=[*"CAB"])
    axis = plot_win_matrix(shares).axes[0]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["A", "B", "C"]
    drawn = axis.images[0].get_array()
    np.testing.assert_array_equal(np.ma.filled(drawn, NAN), [[NAN, NAN, 0.9], [NAN, NAN, 0.8], [0.1, 0.2, NAN]])
    assert sorted(text.get_text() for text in axis.texts) == ["10", "20", "80", "90"]


# ---------- ranks with intervals


def test_intervals_stand_from_the_best_down_with_the_control_as_a_band():
    numbers = {"average_rank": [3.0, 1.0, 2.0], "lower": [2.5, 1.0, 1.2], "upper": [3.0, 1.4, 2.9]}
    ranks = pd.DataFrame(numbers, index=[*"CAB"])
    axis = plot_rank_intervals(ranks, "B").axes[0]
    assert [tick.get_text() for tick in axis.get_yticklabels()] == ["A", "B", "C"]
    assert axis.lines[-1].get_xydata().tolist() == [[1, 0], [2, 1], [3, 2]]
    lines = [segment[:, 0].tolist() for segment in axis.collections[0].get_segments()]
    assert lines == [[1.0, 1.4], [1.2, 2.9], [2.5, 3.0]]
    (band,) = axis.patches
    assert (band.get_x(), band.get_x() + band.get_width()) == (1.2, 2.9)
    assert not plot_rank_intervals(ranks, "not there").axes[0].patches


# ---------- quality against time


def test_the_front_is_that_of_the_definition():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 30, 30, 30):
        values = rng.integers(0, 6, (n, 2)).astype(float)
        points = pd.DataFrame(values, [f"m{k}" for k in range(n)], ["time", "rank"]).mask(rng.random((n, 2)) < 0.05)
        known = points.dropna()
        beaten = {a for a, p in known.iterrows() for _, q in known.iterrows() if (q <= p).all() and (q < p).any()}
        front = pareto_front(points)
        assert set(front) == set(known.index) - beaten
        assert points.loc[front, "time"].is_monotonic_increasing


def test_pareto_names_all_of_a_few_and_of_many_only_the_front():
    few = pd.DataFrame({"time": [1.0, NAN, 3.0, 0.0], "quality": [2.0, 1.0, 1.0, 1.0]}, [*"ABCD"])
    assert {text.get_text() for text in plot_pareto(few).axes[0].texts} == {"A", "C"}
    assert "Left out: 2 methods" in plot_pareto(few).get_supxlabel()
    many = points_of([f"method {k}" for k in range(180)])
    figure = plot_pareto(many, "method 0")
    named = {text.get_text() for text in figure.axes[0].texts}
    assert named <= {*pareto_front(many), "method 0"}
    assert f"{180 - len(named)} of 180 methods" in figure.get_supxlabel().replace("\n", " ")


def test_names_of_a_pareto_do_not_lie_on_each_other():
    points = pd.DataFrame({"time": [1.0, 1.0001, 1.0002, 1.0003], "quality": [2.0, 2.0, 2.0, 2.0]}, list("ABCD"))
    points.loc["far"] = [100.0, 1.0]
    figure = plot_pareto(points)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) >= 2
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


# ---------- differences from the control


@pytest.mark.parametrize(("n_datasets", "control"), [(1, "Random forest of many trees"), (6, "RF")])
def test_nothing_is_cut_off(n_datasets, control):
    names = [f"a data set of a long name {k}" for k in range(n_datasets)]
    methods = [control, "Rotastack", "Random rotations", "Rotation Forest", "Extra trees", "XGBoost"]
    means = pd.DataFrame([np.arange(6) / 10 + 0.3] * n_datasets, names, methods)
    figure = plot_differences(means, means * np.nan, control, "RMSE as a share of the baseline's")
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()  # in inches, of what is drawn
    assert min(drawn.x0, drawn.y0) >= 0
    assert (np.array([drawn.x1, drawn.y1]) <= figure.get_size_inches()).all()
    assert figure.axes[0].get_window_extent().height > 30
    (first, *_) = (" ".join(text.get_text().split()) for text in figure.axes[0].get_yticklabels())
    assert first == f"{names[0]} ({control}: RMSE as a share of the baseline's 0.300)"


# ---------- nothing to draw, many methods, strange names, and files


@pytest.mark.parametrize(
    ("draw", "of"), [(plot_win_matrix, shares_of), (plot_rank_intervals, ranks_of), (plot_pareto, points_of)]
)
def test_figures_without_data_say_so(draw, of):
    figure = draw(of(["A"]))
    assert [re.search("needs two methods", text.get_text())[0] for text in figure.texts] == ["needs two methods"]
    assert figure.axes == []


@pytest.mark.parametrize("draw", [lambda m: plot_win_matrix(shares_of(m)), lambda m: plot_rank_intervals(ranks_of(m))])
def test_labels_of_180_methods_thin_out(draw):
    figure = draw([f"method {k}" for k in range(180)])
    figure.draw_without_rendering()
    for ticks in (figure.axes[0].get_yticklabels(), figure.axes[0].get_xticklabels()):
        boxes = [tick.get_window_extent() for tick in ticks if tick.get_text()]
        assert not any(a.overlaps(b) for a, b in pairwise(boxes))
    assert "one in 4 is named." in figure.get_supxlabel()
