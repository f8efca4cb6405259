"""The comparison of methods on a table in memory, by the functions of the workflow's steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from rotastack.errors import not_installed_error

if TYPE_CHECKING:  # the bare installation has this module, and not all that it needs
    import pandas as pd
    from matplotlib.axes import Axes
    from sklearn.pipeline import Pipeline

__all__ = ["Comparison", "compare_methods"]


def compare_methods(
    X: Any, y: Any, *, methods: str | Sequence[str] | None = None, size: str = "small", score: str | None = None,
    groups: str | None = None, time: float | str | None = None, n_jobs: int | None = -1,
    random_state: int | None = None, name: str = "table",
) -> Comparison:  # fmt: skip
    """Compare methods on a table, and train the best method on all rows.

    The methods, splits, scores and sentences are those of ``rotastack run TABLE``, bit for bit. No file is written, and MLflow
    is not used. While the methods are trained, a bar shows the progress. The function needs ``rotastack[workflow]``.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_rows, n_columns)
        The table: numbers, categories, text, dates and missing values, read like a file. Columns of an array are named
        ``x1``, ``x2`` and so on.
    y : Series or array-like of shape (n_rows,)
        The target, in the order of the rows of `X`. Its values decide between classification and regression. Rows without a
        target are left out.
    methods : str or sequence of str, optional
        The methods to compare, such as ``["Rotastack", "Random forest"]``, or ``"all but XGBoost"``. By default all methods
        whose packages are installed.
    size : {"small", "medium", "full"}, default="small"
        The number of splits and trees.
    score : str, optional
        The score that methods are ranked by, such as ``"error"``, ``"roc_auc"`` or ``"rmse"``. The default fits the target.
    groups : str, optional
        A column of `X`: rows with the same value stay together, in training or in test. The methods do not use the column.
    time : float or str, optional
        A limit of the expected time, in seconds or as ``"10m"``: if the time is short, there are fewer splits and trees.
    n_jobs : int, default=-1
        Number of processes; -1 uses all cores, and None means 1. Only the number of splits and trees may depend on the number,
        as their time does.
    random_state : int, optional
        Seed of all random numbers. The default is the seed of ``rotastack run``.
    name : str, default="table"
        Name of the table, on which random numbers depend: the results of ``rotastack run cells.csv`` need ``"cells"``.

    Returns
    -------
    Comparison
        The scores, the sentences and the model.

    Raises
    ------
    RotastackError
        `X` or `y` cannot be used, or another parameter has a value that is not allowed. The error is a ValueError.

    Warns
    -----
    UserWarning
        Rows without a target, columns and methods that are left out, and a model that could not be trained. A method that
        fails has no score, and the last sentences of the verdict say why.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = compare_methods(X, y, methods=["Random forest", "Extra trees"], n_jobs=1)
    >>> print(found.verdict[0])
    Extra trees: error 4.7% against 5.3% for Random forest and 66.7% for always the largest class.
    >>> found.table["error"].round(3).to_dict()
    {'Extra trees': 0.047, 'Random forest': 0.053}
    >>> found.best_estimator_.predict(X[:2]).tolist()
    [0, 0]
    """
    try:
        from rotastack.workflow.run.in_process import compared
    except ModuleNotFoundError as error:
        raise not_installed_error(error) from None
    return compared(X, y, methods, size, score, groups, time, n_jobs, random_state, name)


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of :func:`compare_methods`.

    Attributes
    ----------
    table : DataFrame of shape (n_methods, n_scores)
        Means of the scores over all splits, the best method first, and first the score that ranks the methods. A method
        that failed has missing values.
    verdict : list of str
        The sentences that ``rotastack run`` prints.
    best_method_ : str
        The method that the verdict chooses; None if all methods failed.
    best_estimator_ : Pipeline
        This method trained on all rows, from the columns of `X` to labels or numbers; None if the training failed.
    scores : DataFrame of shape (n_methods * n_splits, n_columns)
        The scores of each method on each split.
    score : str
        The score that methods are ranked by.
    name : str
        Name of the table.
    """

    table: pd.DataFrame
    verdict: list[str]
    best_method_: str | None
    best_estimator_: Pipeline | None
    scores: pd.DataFrame
    score: str
    name: str

    def plot(self) -> Axes:
        """Draw a box of each method's scores over the splits.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of a new figure, which pyplot and notebooks show.
        """
        from rotastack.plots.screen import on_screen
        from rotastack.workflow.run.figures.datasets import draw_scores

        return on_screen(draw_scores("boxes", self.name, self.scores, self.score)).axes[0]

    def __repr__(self) -> str:
        return "\n".join([*self.verdict, "", self.table.to_string(float_format="{:.4g}".format)])

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.verdict)
        return f"{sentences}{self.table.to_html(float_format='{:.4g}'.format)}"
