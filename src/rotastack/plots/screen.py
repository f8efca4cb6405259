"""Figures on the screen: the other functions of this package draw without a screen, and so work in any job."""

from typing import Any

from matplotlib.figure import Figure


def on_screen(figure: Figure) -> Figure:
    """Register a figure with pyplot, so that ``plt.show()`` shows it, and return the figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Figure from a function of :mod:`rotastack.plots`.

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
