"""The comparison of methods on a table in memory; ``in_process`` does the work, with libraries that the bare installation lacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from rotastack.errors import not_installed_error


@dataclass(frozen=True, repr=False)
class MethodComparison:
    """The result of :func:`compare_methods`."""

    table: pd.DataFrame
    verdict: list[str]
    best_estimator_: Pipeline | None
    scores: pd.DataFrame
    score: str

    def plot(self) -> Any:
        """Draw a box of each method's scores over the splits, in a new figure on the screen; return matplotlib's axes."""
        from rotastack.plots.screen import on_screen
        from rotastack.workflow.run.figures.datasets import draw_scores

        return on_screen(draw_scores("boxes", self.scores["dataset"][0], self.scores, self.score)).axes[0]

    def __repr__(self) -> str:
        return "\n".join([*self.verdict, "", self.table.to_string(float_format="{:.4g}".format)])

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.verdict)
        return f"{sentences}{self.table.to_html(float_format='{:.4g}'.format)}"


def compare_methods(
    X: Any,
    y: Any,
    *,
    methods: str | Sequence[Any] | None = None,
    size: str = "small",
    score: str | None = None,
    groups: Any = None,
    time: float | str | None = None,
    n_jobs: int | None = -1,
    random_state: int | None = None,
    name: str = "table",
) -> MethodComparison:
    """Compare methods on a table, and train the best one on all rows.

    Splits, scores and sentences are those of ``rotastack run TABLE``, bit for bit, but sentences name parameters instead of
    options. No file is written, and MLflow is not used. On a terminal and in a notebook a bar shows the progress. The function needs ``rotastack[workflow]``.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_rows, n_columns)
        Numbers, categories, text, dates and missing values, read like a file. Integer names are read as text. Columns of an array are ``x1``, ``x2``, ....
    y : Series or array-like of shape (n_rows,)
        The target; its values decide between classification and regression. Rows without a target are left out.
    methods : str or sequence, optional
        Such as ``["Rotastack", "Ridge"]`` or ``"all but XGBoost"``; also paths of classes (``"sklearn.svm.SVC"``), estimators,
        and pairs of a name and an estimator. The default is all methods whose packages are installed.
    size : {"small", "medium", "full"}, default="small"
        The number of splits and trees. The command's default is ``"medium"``.
    score : str, optional
        The score that ranks the methods, such as ``"roc_auc"`` or ``"mae"``. The default depends on the target.
    groups : str or array-like of shape (n_rows,), optional
        Groups of the rows, or the column of `X` that has them and is no predictor: rows of one group stay together, in
        training or in test.
    time : float or str, optional
        Limit of the expected time, in seconds or as ``"10m"``; a short time means fewer splits and trees.
    n_jobs : int, default=-1
        Number of processes; -1 means all cores. No score depends on the number, except by the limit of time.
    random_state : int, optional
        Seed of all random numbers; the default is the command's.
    name : str, default="table"
        Name of the table, on which random numbers depend: ``"cells"`` repeats ``rotastack run cells.csv``.

    Returns
    -------
    MethodComparison
        ``table`` has the mean scores, the best method first. ``verdict`` is a list of sentences. ``best_estimator_`` is a
        pipeline from the columns of `X` to labels or numbers, None if its training failed. ``scores`` has a row for each
        method and split, ``score`` names the score that ranks, and ``plot()`` draws the scores. A method that fails has missing
        scores, and the verdict says why.

    Raises
    ------
    RotastackError
        A parameter, which the message names, has a value that is not allowed. The error is a ValueError.

    Warns
    -----
    UserWarning
        Rows, columns and methods that are left out, and a model whose training failed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> found = compare_methods(*load_iris(return_X_y=True), methods=["Random forest", "Extra trees"], n_jobs=1)
    >>> print(found.verdict[0])
    Extra trees: error 4.0% against 6.7% for Random forest and 68.0% for predicting the majority class.
    """
    try:
        from rotastack.workflow.run.in_process import compare_in_memory
    except ModuleNotFoundError as error:
        raise not_installed_error(error) from None
    limit = f"{time}s" if isinstance(time, int | float) else time
    options = {"methods": methods, "size": size, "score": score, "groups": groups, "time": limit}
    return MethodComparison(*compare_in_memory(X, y, n_jobs, random_state, name, **options))
