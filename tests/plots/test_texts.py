"""Every text of every figure is shown as it is: no text is a formula, ends the drawing or writes a warning."""

import importlib
import inspect
import pkgutil
import warnings
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from tests.quick import first

from rotastack import plots
from rotastack.diagnostics.pairs import KappaError
from rotastack.plots.pruning import OrderedVotes
from rotastack.plots.style import add_note, drawn_or_told, new_figure, save_figure
from rotastack.stats.comparison import compare

PRICES = ["$", "$$", "$$$", "net_$_vs_gross_$", "$50k_to_$100k", r"\$_{", "_own", "50 % ^ {} \\frac{1}{2} & <b>"]
STRANGE = ["中文 🎉", "עברית", "a\tb", "a\nb", "\0", "\ud800", "\x1b[2J", "￾", " ", "x" * 500, "$" * 99, "word " * 60]


def public_figures():
    """Return the names of the public functions of the plots that return a figure, and the functions."""
    found = {}
    for info in pkgutil.iter_modules(plots.__path__, "rotastack.plots."):
        module = importlib.import_module(info.name)
        functions = {name: f for name, f in inspect.getmembers(module, inspect.isfunction) if name[0] != "_"}
        drawing = {n: f for n, f in functions.items() if f.__module__ == module.__name__}
        found |= {n: f for n, f in drawing.items() if inspect.signature(f).return_annotation is Figure}
    return found


FIGURES = public_figures()
NO_CONTENT = {"on_screen", "finished", "figure_beside_legend", "new_figure"}
"""Functions that get a figure, or return an empty one."""

GROWING = np.array([1.0, 2.0, 3.0])


def frame(t, columns=("error", "members", "voters")):
    values = np.arange(1.0, 10.0).reshape(3, 3)[:, : len(columns)]
    return pd.DataFrame(values, pd.Index(t[:3], dtype=object), pd.Index(columns, dtype=object))


ARGUMENTS = {
    "sentence": lambda t: (t[0],),
    "plot_bars": lambda t: (t[:3], {t[3]: GROWING, t[0]: GROWING}, t[1]),
    "plot_importances": lambda t: (t[:3], GROWING, GROWING / 9, t[3]),
    "plot_boxes": lambda t: (dict.fromkeys(t, GROWING), t[0], t[1]),
    "plot_histograms": lambda t: ({name: frame(t) for name in t}, t[0], t[1]),
    "plot_heatmaps": lambda t: ({name: frame(t, t[1:4]) for name in t}, t[0], "by_fold_group", t[1]),
    "plot_critical_difference": lambda t: (compare(frame(t, t[:3]), False),),
    "draw_ranks": lambda t: (pd.Series([1.0, 2.0, 3.0], t[:3]), pd.DataFrame(1.0, t[:3], t[:3]), 1.5, 0.05),
    "plot_curves": lambda t: ({name: {t[1]: (GROWING, GROWING), t[2]: 1.0} for name in t[:2]}, t[2], t[3]),
    "plot_dependence": lambda t: (
        [
            {"column": t[0], "values": t[:3], "ordered": False, "curves": {t[1]: GROWING, t[2]: GROWING}},
            {"column": t[3], "values": GROWING, "ordered": True, "curves": {t[1]: GROWING, t[2]: GROWING}},
        ],
        t[3],
    ),
    "plot_calibration": lambda t: (
        pd.DataFrame(
            {
                "dataset": "D",
                "method": pd.Series(t[:3], dtype=object),
                "bin": 1,
                "rows": 9,
                "confidence": GROWING / 4,
                "accuracy": GROWING / 4,
            }
        ),
    ),
    "plot_members": lambda t: (frame(t), t[0], t[:3]),
    "plot_differences": lambda t: (frame(t, t[:3]), frame(t, t[:3]) / 9, t[0], t[1]),
    "plot_rank_intervals": lambda t: (frame(t, ("lower", "average_rank", "upper")), t[0]),
    "plot_win_matrix": lambda t: (frame(t, t[:3]) / 9,),
    "plot_pareto": lambda t: (frame(t, ("time", "quality")), t[0], t[1]),
    "plot_margin_distributions": lambda t: ({name: frame(t, t[1:3]).set_axis([-1, 0, 1]) for name in t}, t[0], t),
    "plot_ordered_curves": lambda t: (
        {name: OrderedVotes(pd.Series(GROWING, GROWING), 2.0, pd.Series(GROWING, GROWING)) for name in t},
        t[0],
        t,
    ),
    "plot_diversity": lambda t: ({name: frame(t, ("disagreement", "accuracy")) for name in t}, t[0], t),
    "plot_kappa_error": lambda t: ({name: KappaError(GROWING, GROWING) for name in t}, t[0]),
}
"""Function -> its arguments for four different texts, which stand wherever a text can stand."""


def saved(figure, folder):
    """Write the figure as SVG, with warnings as errors, and return its texts."""
    with warnings.catch_warnings(action="error"):
        save_figure(figure, folder / "figure.svg")
    root = ElementTree.parse(folder / "figure.svg").getroot()
    return [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_every_public_figure_is_tested():
    assert set(FIGURES) - NO_CONTENT == set(ARGUMENTS), "ARGUMENTS needs the arguments of each public figure"


@pytest.mark.parametrize("name", ARGUMENTS)
def test_dollars_are_dollars(name, tmp_path):
    texts = ["$$", *PRICES[3:6]]
    seen = saved(FIGURES[name](*ARGUMENTS[name](texts)), tmp_path)
    assert any("$" in text for text in seen)
    assert not any("mathdefault" in text for text in seen)


@pytest.mark.parametrize("name", first(2, list(ARGUMENTS)))
def test_a_users_matplotlibrc_changes_nothing(name, tmp_path):
    draw = partial(FIGURES[name], *ARGUMENTS[name](["50% of A_1", "$b", "c_2", "d"]))
    files = []
    for settings_of_user in (
        {},
        {"text.usetex": True, "font.family": "serif", "font.size": 20, "axes.grid": True, "lines.linewidth": 5},
    ):
        with matplotlib.rc_context(settings_of_user):
            assert drawn_or_told(draw, [tmp_path / "figure.svg"]) == []
        files.append((tmp_path / "figure.svg").read_bytes())
    assert files[0] == files[1]


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 2)
@given(
    st.sampled_from(sorted(ARGUMENTS)),
    st.lists(st.one_of(st.sampled_from(PRICES + STRANGE), st.text()), min_size=4, max_size=4, unique=True),
)
@example("plot_dependence", STRANGE[:4])
@example("plot_dependence", STRANGE[4:8])
@example("plot_bars", STRANGE[8:])
def test_any_text_is_drawn(tmp_path_factory, name, texts):
    saved(FIGURES[name](*ARGUMENTS[name](texts)), tmp_path_factory.getbasetemp())


def test_numbers_of_logarithmic_axes_need_no_formula(tmp_path):
    axis = ARGUMENTS["plot_pareto"]([*"abcd"])
    assert {"1", "2", "3"} <= set(saved(FIGURES["plot_pareto"](*axis), tmp_path))
    many = np.geomspace(1, 1000, 20)
    seen = saved(FIGURES["plot_curves"]({"": {"a": (many, many)}}, "x", "y", log=True, ticks=many), tmp_path)
    assert {"10", "100", "1000"} <= set(seen)


def test_a_figure_with_its_note_and_one_of_the_user_are_drawn_by_matplotlib_itself(tmp_path):
    ours, theirs = new_figure(3, 3, "$_{ $"), Figure()
    add_note(ours, "$^ $")
    comparison = compare(pd.DataFrame(np.arange(9.0).reshape(3, 3), columns=["$", "$_{", "$$"]), False)
    FIGURES["plot_critical_difference"](comparison, ax=theirs.subplots())
    theirs.savefig(tmp_path / "figure.svg")
    with warnings.catch_warnings(action="error"), matplotlib.rc_context({"svg.fonttype": "none"}):
        ours.savefig(tmp_path / "figure.svg")
    seen = (tmp_path / "figure.svg").read_text()
    assert [text in seen for text in ("$_{ $", "$^ $")] == [True, True]


def test_a_figure_that_fails_says_why_and_damages_of_the_machine_are_errors(tmp_path):
    files = [tmp_path / f"figure.{kind}" for kind in ("svg", "png")]

    def draw():
        raise ValueError("no\nplace for $_{ $")

    told = f"{files[0]} could not be drawn: ValueError: no place for $_{{ $"
    assert drawn_or_told(draw, files) == [told]
    assert told[-40:] in files[0].read_text()
    assert drawn_or_told(lambda: new_figure(1, 1), files) == []
    with pytest.raises(FileNotFoundError):
        drawn_or_told(lambda: Path("missing").read_text(), files)
