"""Figures of studies that prune ensembles."""

import numpy as np
import pandas as pd
import pytest
from tests.quick import first

from rotastack.diagnostics.pairs import KappaError
from rotastack.plots.members import plot_members
from rotastack.plots.pruning import (
    OrderedVotes,
    plot_diversity,
    plot_kappa_error,
    plot_margin_distributions,
    plot_ordered_curves,
)
from rotastack.plots.style import METHOD_COLORS, method_looks, save_figure, split_label

NAN = float("nan")
TWELVE = [f"method number {k} with a name of some length" for k in range(12)]
NO_PAIRS = KappaError(np.array([]), np.array([]))


# ---------- looks


def test_parameters_are_read_from_the_ends_of_labels():
    assert split_label("QMM on AdaBoost T=50") == ("QMM on AdaBoost", "T", 50)
    assert split_label("QMM v=0.05") == ("QMM", "v", 0.05)
    for label in ("QMM", "T=50", "QMM T=50 (weighted)", "QMM T=", "QMMT=50", "QMM T=many"):
        assert split_label(label) == (label, "", pytest.approx(NAN, nan_ok=True))


def test_methods_can_be_told_apart():
    looks = method_looks(map(str, range(24))).values()
    assert [len({(x.color, getattr(x, part)) for x in looks}) for part in ("dash", "marker")] == [24, 24]


def test_sizes_of_a_method_share_a_colour_that_fades():
    looks = method_looks(["A", "B T=5", "B T=50", "B T=500", "C"])
    assert looks["C"].color == METHOD_COLORS[2]  # B has one colour
    assert (looks["B T=500"].color, looks["B T=500"].dash) == (METHOD_COLORS[1], "solid")
    brightness = [sum(bytes.fromhex(looks[f"B T={t}"].color[1:])) for t in (5, 50, 500)]
    assert brightness[0] > brightness[1] > brightness[2]
    looks = method_looks(["A T=20", "A T=40", "A", "A K=3"])
    assert looks["A"].color == METHOD_COLORS[0], "without the parameter"
    assert len({look.color for look in looks.values()}) == 4


# ---------- legends


MEMBERS = pd.DataFrame({"error": 0.1, "members": NAN, "voters": NAN}, index=["tree T=3"])
SINGLE = pd.Series([0.5, 0.6], [1, 2])
POINTS = pd.DataFrame({"disagreement": [0.2], "accuracy": [0.5]})


def drawn_members(names):
    sizes = [f"{name} T={t}" for name in names for t in (3, 5)]
    return plot_members(pd.DataFrame({"error": 0.1, "members": 2, "voters": [3, 5] * len(names)}, index=sizes))


@pytest.mark.parametrize(
    "draw",
    [
        lambda names: plot_margin_distributions(
            dict.fromkeys(names, pd.DataFrame({"training": [0, 0, 1], "test": [0, 0, 1]}, index=[-1, 0, 1]))
        ),
        lambda names: plot_ordered_curves({m: OrderedVotes(1 - SINGLE, 1, SINGLE) for m in names}),
        lambda names: plot_diversity(dict.fromkeys(names, POINTS)),
        drawn_members,
    ],
)
@pytest.mark.parametrize("n", first(1, [30, 2]))
def test_the_legend_is_beside_the_panels(draw, n):
    names = [f"{k} {([f'method number {k} with a name of some length' for k in range(12)] * 3)[k]}" for k in range(n)]
    figure = draw(names)
    assert [text.get_text().replace("\n", " ") for text in figure.legends[0].get_texts()] == names
    figure.draw_without_rendering()
    box, whole = figure.legends[0].get_window_extent(), figure.bbox
    assert max(axis.get_tightbbox().x1 for axis in figure.axes) - 1 <= box.x0 < box.x1 <= whole.x1
    assert box.y0 >= whole.y0
    assert min(axis.get_position().width * whole.width for axis in figure.axes) > 250  # panels stay large


# ---------- curves


def test_accuracies_by_rank_are_smoothed():
    accuracy = pd.Series(np.random.default_rng(0).random(50), np.arange(1, 51))
    votes = {"A": OrderedVotes(1 - accuracy, 3, accuracy), "B": OrderedVotes(1 - accuracy, 3)}
    dots, line = plot_ordered_curves(votes).axes[1].lines
    np.testing.assert_array_equal(dots.get_ydata(), accuracy)
    np.testing.assert_array_equal(line.get_xdata(), accuracy.index)
    assert line.get_ydata()[20] == pytest.approx(accuracy.iloc[18:23].mean())  # 5 = a tenth


# ---------- kappa and error


def test_pairs_without_a_value_are_left_out():
    cloud = KappaError(np.array([0.1, NAN, 0.3]), np.array([0.2, 0.3, 0.4]))
    some, none = plot_kappa_error({"A": cloud, "one member": NO_PAIRS}).axes
    assert len(some.lines) == 2
    np.testing.assert_array_equal(some.lines[0].get_xydata(), [[0.1, 0.2], [0.3, 0.4]])
    assert [text.get_text() for text in none.texts] == ["no pairs"]


def test_large_clouds_are_pictures_in_an_svg(tmp_path):
    figure = plot_kappa_error({"A": KappaError(*np.random.default_rng(0).random((2, 100_000)))})
    save_figure(figure, tmp_path / "kappa.svg")
    assert (tmp_path / "kappa.svg").stat().st_size < 500_000


# ---------- nothing to draw, and files


@pytest.mark.parametrize(
    ("draw", "of", "text"),
    [
        (plot_margin_distributions, {}, "No method has margins, "),
        (plot_ordered_curves, {}, "No method orders its members."),
        (plot_diversity, {}, "No method has two or more members."),
        (plot_diversity, {"A": POINTS * NAN}, "No method has two or more members."),
        (plot_kappa_error, {}, "No ensemble has two or more members."),
        (plot_kappa_error, {"one member": NO_PAIRS}, "No ensemble has two or more members."),
        (plot_members, MEMBERS[:0], "No method combines votes of members."),
        (plot_members, MEMBERS, "No method combines votes of members."),
    ],
)
def test_figures_without_data_say_so(draw, of, text):
    figure = draw(of)
    (said,) = (text.get_text() for text in figure.texts)
    assert said.startswith(text)
    assert figure.axes == []
