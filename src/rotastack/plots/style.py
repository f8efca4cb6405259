"""What all figures share: colours, a figure without a screen, and files with equal bytes."""

from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from rotastack.files import replacing

__all__ = ["METHOD_COLORS", "SCALE", "new_figure", "save_figure"]

SCALE = "YlOrRd"  # lighter is better, as in the thesis

METHOD_COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#5D3A9B", "#444444"]


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of `width` x `height` inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG or PNG, by the name's ending; equal figures give equal bytes."""
    path = Path(path)
    kind = path.suffix[1:]
    if figure.get_layout_engine() is not None:  # lay out once, not for every file
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with (
        matplotlib.rc_context(
            {"svg.hashsalt": path.stem, "svg.fonttype": "none", "font.family": "DejaVu Sans"}
        ),
        replacing(path) as temporary,
    ):
        figure.savefig(temporary, format=kind, dpi=130, metadata=metadata)
