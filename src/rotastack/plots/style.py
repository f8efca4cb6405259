"""Style of all figures: colours, legends, figures without a screen, and files with reproducible bytes."""

import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure, FigureBase
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, LogFormatter, LogFormatterMathtext

from rotastack.files import replacing

SCALE = "YlOrRd"  # Lighter is better, as in the thesis.

METHOD_COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5D3A9B", "#444444"]
DASHES = ["solid", "dashed", "dashdot", "dotted"]
MARKERS = "osD^vP*X"

_LABEL = 30  # Characters in a line of a legend.
_ROWS = 18  # Entries in a column of a legend.
default_style = matplotlib.style.context("default")
"""A decorator: a user's matplotlibrc may ask for LaTeX, or for fonts that are absent."""
_NO_TEXT = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
)  # An SVG file cannot have these characters.


class Look(NamedTuple):
    """The colour, line and marker of a method in figures."""

    color: str
    dash: str
    marker: str


class Label(NamedTuple):
    """The parts of a method's label: what is common to methods that differ in a parameter only, and the parameter."""

    family: str
    parameter: str
    value: float


def split_label(label: str) -> Label:
    """Return the parts of a label such as ``"QMM T=500"``; without a parameter they are its family, "" and NaN."""
    match = re.fullmatch(r"(.+?)\s+([A-Za-z]\w*)=(\d+(?:\.\d+)?)", label)
    return Label(match[1], match[2], float(match[3])) if match else Label(label, "", float("nan"))


def method_looks(methods: Iterable[str]) -> dict[str, Look]:
    """Return the look of each method, chosen by its place, so that equal lists give equal looks in all figures.

    Methods that differ in a parameter only (:func:`split_label`) share a colour. The method without the parameter,
    or with its largest value, has the full colour; smaller values have paler colours.
    """
    families: dict[str, list[str]] = {}
    for label in dict.fromkeys(methods):
        families.setdefault(split_label(label).family, []).append(label)
    looks = {}
    for k, siblings in enumerate(families.values()):
        turn, full = k // len(METHOD_COLORS), METHOD_COLORS[k % len(METHOD_COLORS)]
        for i, label in enumerate(sorted(siblings, key=_strength)):
            pale = 0.55 * i / max(len(siblings) - 1, 1)
            red, green, blue = (c + (1 - c) * pale for c in to_rgb(full))
            color = to_hex((red, green, blue)).upper()
            looks[label] = Look(color, DASHES[(turn + i) % len(DASHES)], MARKERS[(k + turn + i) % len(MARKERS)])
    return looks


class _PlainFigure(Figure):
    """A figure that shows every text as it is."""

    def draw(self, renderer: Any) -> None:
        """Draw all texts without formulas."""
        with _plain_texts(self):
            super().draw(renderer)


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """Return an empty figure of `width` x `height` inches, with a title at the top left."""
    figure = _PlainFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    return figure


def figure_beside_legend(width: float, height: float, labels: Sequence[str], title: str = "") -> Figure:
    """Return an empty figure that fits panels of `width` x `height` inches and a legend on the right."""
    lines = [_folded(label) for label in labels]
    columns = -(-len(lines) // _ROWS)
    longest = max((len(part) for line in lines for part in line.split("\n")), default=0)
    rows = sum(line.count("\n") + 1 for line in lines) / max(columns, 1)
    return new_figure(width + columns * (0.6 + 0.07 * longest), max(height, 0.5 + 0.19 * rows), title)


def add_legend(figure: FigureBase, handles: Sequence[Artist]) -> None:
    """Put a legend with the labels of the handles on the right of all panels."""
    figure.legend(
        handles,
        [_folded(str(h.get_label())) for h in handles],
        loc="outside right upper",
        fontsize=8,
        frameon=False,
        handlelength=2.6,
        ncols=-(-len(handles) // _ROWS),
    )


def add_note(figure: Figure, text: str) -> None:
    """Write a small note below all panels."""
    width = int(13 * figure.get_figwidth())
    figure.supxlabel(textwrap.fill(text, width), x=0.01, ha="left", fontsize=8, color="#555555")


def plain_axis(axis: Axes) -> None:
    """Give an axis small text, a light grid below the data, and no frame at the top and on the right."""
    axis.tick_params(which="both", labelsize=8)
    for text in (axis.title, axis.xaxis.label, axis.yaxis.label):
        text.set_fontsize(9)
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)


def finished(figure: Figure, panels: Iterable[Axes], handles: Sequence[Artist] = ()) -> Figure:
    """Return the figure with a plain style of its panels, and a legend if there are handles."""
    for axis in panels:
        plain_axis(axis)
    if handles:
        add_legend(figure, handles)
    return figure


def thinned(labels: Sequence[str], most: int) -> list[tuple[int, str]]:
    """Return places and texts of at most `most` labels, evenly spaced from the first."""
    step = -(-len(labels) // most)
    return [(k, shortened(label)) for k, label in enumerate(labels) if k % max(step, 1) == 0]


def shortened(label: str, most: int = 2 * _LABEL) -> str:
    """Return a label for a figure on one line: dots replace text beyond `most` characters."""
    label = _NO_TEXT.sub(" ", label.replace("\n", " "))
    return label if len(label) <= most else f"{label[: most - 3].rstrip()}..."


def sentence(text: str) -> Figure:
    """Return a figure that holds only the text, for example the reason why nothing is drawn."""
    figure = new_figure(max(6.0, 0.085 * len(text) + 0.4), 0.8)
    figure.text(0.5, 0.6, text, ha="center", va="center", fontsize=10)
    return figure


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG or PNG, by the suffix of `path`; equal figures give equal bytes."""
    path = Path(path)
    layout = figure.get_layout_engine()
    if layout is not None and figure.axes:  # The layout is computed once, not for every file.
        with _plain_texts(figure):
            layout.execute(figure)
        figure.set_layout_engine("none")
    # The canvas draws once; `Figure.savefig` draws twice if the figure had a layout.
    with (
        matplotlib.rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none", "font.family": "DejaVu Sans"}),
        replacing(path) as temporary,
    ):
        figure.set_dpi(130)
        if path.suffix == ".svg":
            FigureCanvasSVG(figure).print_svg(temporary, metadata={"Date": None})
        else:
            FigureCanvasAgg(figure).print_png(temporary, metadata={"Software": None})


@default_style
def drawn_or_told(draw: Callable[[], Figure], paths: Sequence[Path]) -> list[str]:
    """Write a figure, or one that says why it could not be drawn; return this sentence, or nothing if it is drawn."""
    try:
        figure = draw()
        for path in paths:
            save_figure(figure, path)
        return []
    except (MemoryError, OSError):  # These errors are no fault of the figure.
        raise
    except Exception as error:  # The verdict and the other figures do not depend on a figure.
        told = f"{paths[0]} could not be drawn: {type(error).__name__}: {' '.join(str(error).split())}"
    for path in paths:
        save_figure(sentence(shortened(told, 200)), path)
    return [told]


@contextmanager
def _plain_texts(figure: FigureBase) -> Iterator[None]:
    """Show the texts of a figure as they are: dollars start no formula, LaTeX sets none, and no warning tells of glyphs or long texts."""
    for text in figure.findobj(Text):
        text.set_parse_math(False)
        text.set_usetex(False)
        text.set_text(_NO_TEXT.sub(" ", text.get_text()))
    for axis in figure.findobj(Axis):  # A formatter writes the texts of ticks again.
        if isinstance(axis.get_major_locator(), FixedLocator) and (texts := axis.get_ticklabels()):
            axis.set_ticklabels(["\n".join(map(shortened, text.get_text().split("\n"))) for text in texts])
        if isinstance(axis.get_major_formatter(), LogFormatterMathtext):
            axis.set_major_formatter("{x:g}")
        if isinstance(axis.get_minor_formatter(), LogFormatterMathtext):
            axis.set_minor_formatter(LogFormatter(minor_thresholds=(1, 0.4)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph |constrained_layout not applied", UserWarning)
        yield


def _strength(label: str) -> tuple[str, float]:
    _, parameter, value = split_label(label)
    return (parameter, -value) if parameter else ("", 0.0)


def _folded(label: str) -> str:
    return textwrap.fill(shortened(label), _LABEL)
