"""Figures on the screen: the functions of this package draw without one, so that they work in any job."""

from typing import Any

from matplotlib.figure import Figure

__all__ = ["on_screen"]


def on_screen(figure: Figure) -> Figure:
    """Hand a figure to pyplot, so that ``plt.show()`` shows it, as it does those that pyplot makes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What a function of :mod:`rotastack.plots` returned.

    Returns
    -------
    matplotlib.figure.Figure
        The same figure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rotastack.plots.bars import plot_bars
    >>> figure = on_screen(plot_bars(["A", "B"], {"error": [0.2, 0.1]}, "error"))
    >>> plt.gcf() is figure
    True
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    window: Any = plt.figure(figsize=tuple(figure.get_size_inches())).canvas.manager
    window.canvas.figure = figure
    figure.set_canvas(window.canvas)
    return figure
