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
from rotastack.plots.style import METHOD_COLORS, add_note, method_looks, save_figure, sentence, split_label

NAN = float("nan")
TWELVE = [f"method number {k} with a name of some length" for k in range(12)]


def legend(figure):
    return [text.get_text().replace("\n", " ") for text in figure.legends[0].get_texts()]


def words(figure):
    return [text.get_text() for text in figure.texts]


def boxes_in_pixels(figure):
    """Boxes of all panels with their labels, of the legend, and of the figure, as they are laid out."""
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    panels = [axis.get_tightbbox(renderer) for axis in figure.axes]
    return panels, figure.legends[0].get_window_extent(renderer), figure.bbox


# ---------- looks


def test_parameters_are_read_from_the_ends_of_labels():
    assert split_label("QMM on AdaBoost T=50") == ("QMM on AdaBoost", "T", 50)
    assert split_label("QMM v=0.05") == ("QMM", "v", 0.05)
    for label in ("QMM", "T=50", "QMM T=50 (weighted)", "QMM T=", "QMMT=50", "QMM T=many"):
        family, parameter, value = split_label(label)
        assert (family, parameter) == (label, "")
        assert np.isnan(value)


def test_methods_can_be_told_apart():
    looks = method_looks(map(str, range(24)))
    assert len({(look.color, look.dash) for look in looks.values()}) == 24
    assert len({(look.color, look.marker) for look in looks.values()}) == 24
    assert [look.color for look in looks.values()][:8] == METHOD_COLORS


def test_sizes_of_a_method_share_a_colour_that_fades():
    looks = method_looks(["A", "B T=5", "B T=50", "B T=500", "C"])
    assert looks["A"] == method_looks(["A"])["A"]
    assert looks["C"].color == METHOD_COLORS[2]  # B has one colour
    assert looks["B T=500"].color == METHOD_COLORS[1]
    assert looks["B T=500"].dash == "solid"
    brightness = [sum(bytes.fromhex(looks[f"B T={t}"].color[1:])) for t in (5, 50, 500)]
    assert brightness[0] > brightness[1] > brightness[2]


def test_the_method_without_the_parameter_has_the_full_colour():
    looks = method_looks(["A T=20", "A T=40", "A", "A K=3"])
    assert looks["A"].color == METHOD_COLORS[0]
    assert len({look.color for look in looks.values()}) == 4


def test_a_note_is_folded_to_the_figure():
    figure = sentence("nothing")
    add_note(figure, "Left out: " + ", ".join(TWELVE))
    assert words(figure)[0] == "nothing"
    lines = figure.get_supxlabel().split("\n")
    assert len(lines) > 1
    assert " ".join(lines) == "Left out: " + ", ".join(TWELVE)


# ---------- legends


@pytest.mark.parametrize("draw", ["margins", "curves", "diversity", "members"])
@pytest.mark.parametrize("n", first(1, [30, 2]))
def test_the_legend_is_beside_the_panels(draw, n):
    names = (TWELVE * 3)[:n] if n <= 12 else [f"{TWELVE[k % 6]} T={k}" for k in range(n)]
    if draw == "margins":
        shares = pd.DataFrame({"training": [0, 0, 1], "test": [0, 0, 1]}, index=[-1, 0, 1])
        figure = plot_margin_distributions(dict.fromkeys(names, shares))
    elif draw == "curves":
        single = pd.Series([0.5, 0.6], [1, 2])
        figure = plot_ordered_curves({m: OrderedVotes(1 - single, 1, single) for m in names})
    elif draw == "diversity":
        points = pd.DataFrame({"disagreement": [0.2], "accuracy": [0.5]})
        figure = plot_diversity(dict.fromkeys(names, points))
    else:
        names = [f"{k} {(TWELVE * 3)[k]}" for k in range(n)]
        sizes = [f"{name} T={t}" for name in names for t in (3, 5)]
        figure = plot_members(pd.DataFrame({"error": 0.1, "members": 2, "voters": [3, 5] * n}, index=sizes))
    assert legend(figure) == names
    panels, box, whole = boxes_in_pixels(figure)
    assert box.x0 >= max(panel.x1 for panel in panels) - 1
    assert box.x1 <= whole.x1
    assert box.y0 >= whole.y0
    assert min(axis.get_position().width * whole.width for axis in figure.axes) > 250  # panels stay large


# ---------- curves


def test_accuracies_by_rank_are_smoothed():
    rng = np.random.default_rng(0)
    accuracy = pd.Series(rng.random(50), np.arange(1, 51))
    votes = {"A": OrderedVotes(1 - accuracy, 3, accuracy), "B": OrderedVotes(1 - accuracy, 3)}
    _, right = plot_ordered_curves(votes).axes
    dots, line = right.lines
    np.testing.assert_array_equal(dots.get_ydata(), accuracy)
    assert dots.get_marker() == "."
    np.testing.assert_array_equal(line.get_xdata(), accuracy.index)
    assert line.get_ydata()[20] == pytest.approx(accuracy.iloc[18:23].mean())  # 5 = a tenth
    assert right.get_xlabel() == "rank of the member by weight"
    many = plot_ordered_curves({str(k): OrderedVotes(1 - accuracy, 3, accuracy) for k in range(5)})
    assert [line.get_marker() for line in many.axes[1].lines] == ["None"] * 5


# ---------- kappa and error


def test_pairs_without_a_value_are_left_out():
    cloud = KappaError(np.array([0.1, NAN, 0.3]), np.array([0.2, 0.3, 0.4]))
    empty = KappaError(np.array([]), np.array([]))
    first, second = plot_kappa_error({"A": cloud, "one member": empty}).axes
    np.testing.assert_array_equal(first.lines[0].get_xydata(), [[0.1, 0.2], [0.3, 0.4]])
    assert len(first.lines) == 2
    assert [text.get_text() for text in second.texts] == ["no pairs"]
    assert words(plot_kappa_error({"one member": empty})) == ["No ensemble has two or more members."]


def test_large_clouds_are_pictures_in_an_svg(tmp_path):
    rng = np.random.default_rng(0)
    figure = plot_kappa_error({"A": KappaError(rng.random(100_000), rng.random(100_000))})
    save_figure(figure, tmp_path / "kappa.svg")
    assert (tmp_path / "kappa.svg").stat().st_size < 500_000


# ---------- nothing to draw, and files


def test_figures_without_data_say_so():
    nothing = pd.DataFrame({"disagreement": [NAN], "accuracy": [NAN]})
    for figure, expected in (
        (plot_margin_distributions({}), "No method has margins, because none combines votes of members."),
        (plot_ordered_curves({}), "No method orders its members."),
        (plot_diversity({}), "No method has two or more members."),
        (plot_diversity({"A": nothing}), "No method has two or more members."),
        (plot_kappa_error({}), "No ensemble has two or more members."),
    ):
        assert words(figure) == [expected]
        assert figure.axes == []
