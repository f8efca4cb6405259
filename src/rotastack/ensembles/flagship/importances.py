"""Permutation importances on out-of-bag outputs: the loss of score when a column is shuffled."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from rotastack.base.columns import as_pandas
from rotastack.ensembles.flagship.grown_families import GrownFamilies
from rotastack.seeds import root_sequence

__all__ = ["OutOfBagImportances", "permutation_importances", "scored", "unseen_rows"]


def permutation_importances(
    X: NDArray, score: Callable[[Any], Any], parts: Sequence[NDArray[np.intp]], n_repeats: int, rng: np.random.Generator
) -> Bunch:  # fmt: skip
    """Return the decrease of a score when a column, or several columns together, are shuffled.

    `score` takes a table like `X`; more is better. It may return an array, such as a score of each row. `parts` are sets
    of columns that are shuffled together. The result has ``importances`` (n_parts, n_repeats, ...), ``importances_mean``
    and ``importances_std`` (n_parts, ...), and ``score`` of the unshuffled `X`.
    """
    baseline = score(X)
    lost = np.empty((len(parts), n_repeats, *np.shape(baseline)))
    for j, k, shuffled in _shuffled(X, parts, n_repeats, rng):
        lost[j, k] = baseline - score(shuffled)
    return _summary(lost, baseline)


def _summary(lost: NDArray[np.float64], whole: float, **more: Any) -> Bunch:
    means = {"importances_mean": lost.mean(axis=1), "importances_std": lost.std(axis=1)}
    return Bunch(importances=lost, **means, score=whole, **more)


def _shuffled(
    X: Any, parts: Iterable[NDArray[np.intp]], n_repeats: int, rng: np.random.Generator
) -> Iterator[tuple[int, int, Any]]:
    """Yield the number of a set of columns, the number of the repeat, and a copy of the table with the set shuffled."""
    orders = [rng.permutation(len(X)) for _ in range(n_repeats)]
    for j, columns in enumerate(parts):
        for k, order in enumerate(orders):
            shuffled = X.copy()
            if hasattr(X, "iloc"):
                shuffled.isetitem(columns, X.iloc[order, columns].set_axis(X.index))
            else:
                shuffled[:, columns] = X[np.ix_(order, columns)]
            yield j, k, shuffled


class OutOfBagImportances:
    """Base class with permutation importances of an ensemble, from trees that have not seen the rows."""

    table_: Any
    grown_: list[GrownFamilies]
    n_jobs: int | None
    _rows_hash: int  # of the rows of fit

    def _combined(self, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the ensemble's probabilities or predictions from the families' outputs (family, row, output or NaN)."""
        raise NotImplementedError

    def _answers(self, combined: NDArray[np.float64]) -> dict[str, NDArray]:
        """Return the results of ``predict`` and other methods, by name, from probabilities or predictions."""
        raise NotImplementedError

    def _losses(self, combined: NDArray[np.float64], y: NDArray) -> NDArray[np.float64]:
        """Return the log loss or squared error of each row, from probabilities or predictions."""
        raise NotImplementedError

    def _out_of_bag(self) -> NDArray[np.float64]:
        """Return the probabilities or predictions for the training rows; NaN for rows that all trees have seen."""
        raise NotImplementedError

    def _hash_of(self, X: Any, y: NDArray) -> int:
        """Return a hash of rows as the trees see them, and of their targets."""
        codes = np.searchsorted(self.classes_, y) if hasattr(self, "classes_") else np.asarray(y, dtype=np.float64)
        return crc32(self.table_.transform(X, self).tobytes(), crc32(codes.tobytes()))

    def out_of_bag_importances(
        self, X: ArrayLike, y: ArrayLike, scoring: Any = None, *, n_repeats: int = 5,
        max_rows: int | None = 2000, random_state: Any = 0,
    ) -> Bunch:  # fmt: skip
        """Return the decrease of the out-of-bag score when a column is shuffled, in total, by row and by class.

        Predictions of a row come from trees that have not seen the row, so noise columns get 0 on average. Redundant
        columns share their importance: shuffling one of them changes the score little. The importances by row and by
        class are increases of the log loss or the squared error; below 0, the column misleads the ensemble there. They
        are no test of a column, as the families' weights were fitted to these rows; ``rotastack explain`` has one.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows of ``fit``, in the same order. Columns are shuffled before categories become dummies.
        y : array-like of shape (n_rows,)
            The targets of the rows.
        scoring : str, callable or None, default=None
            As in scikit-learn; None is accuracy or R^2.
        n_repeats : int, default=5
            Number of shufflings of each column.
        max_rows : int or None, default=2000
            Number of rows drawn at random if there are more; None uses all rows.
        random_state : None, int, SeedSequence, Generator or RandomState, default=0
            Seed of the shufflings and of the draw of rows.

        Returns
        -------
        Bunch
            ``importances`` (n_features, n_repeats), ``importances_mean`` and ``importances_std`` (n_features,), as in
            scikit-learn's ``permutation_importance``; ``feature_names`` (n_features,), if `X` has names;
            ``score`` of the unshuffled rows, with the families' weights for new rows; ``rows`` (n_used,), the numbers
            of the rows used; ``by_row`` (n_features, n_used), the mean increase of each row's loss; for a classifier
            ``by_class`` (n_features, n_classes), its mean over the rows of each class (NaN without rows).

        Raises
        ------
        ValueError
            The rows, or their order, differ from those in ``fit``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from rotastack import RotastackClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = RotastackClassifier(20, random_state=0).fit(X, y)
        >>> found = clf.out_of_bag_importances(X, y)
        >>> sorted(found.feature_names[found.importances_mean.argsort()[-2:]])
        ['petal length (cm)', 'petal width (cm)']

        For the flowers of the first class, both petal measures are more important than both sepal measures:

        >>> found.by_row.shape, found.by_class.shape
        ((4, 150), (4, 3))
        >>> bool((found.by_class[2:, 0] > found.by_class[:2, 0]).all())
        True
        """
        table: Any = as_pandas(X) if hasattr(X, "columns") else np.asarray(X)
        y = np.asarray(y)
        rows, answer = self._out_of_bag_answer(y, max_rows, random_state)
        if len(table) != len(y):
            raise ValueError(f"X has {len(table)} rows, y has {len(y)} rows")
        if self._hash_of(table, y) != self._rows_hash:
            raise ValueError("out-of-bag importances need the X and y of fit, with the rows in the same order")
        sample, y = table.iloc[rows] if hasattr(table, "iloc") else table[rows], y[rows]

        def judged(rows: Any) -> tuple[float, NDArray[np.float64]]:
            combined = answer(rows)
            return scored(self, scoring, self._answers(combined), y), self._losses(combined, y)

        baseline, losses = judged(sample)
        lost = np.empty((sample.shape[1], n_repeats))
        by_row = np.zeros((sample.shape[1], len(rows)))
        rng, columns = np.random.default_rng(root_sequence(random_state)), np.arange(sample.shape[1])[:, None]
        for j, k, shuffled in _shuffled(sample, columns, n_repeats, rng):
            score, risen = judged(shuffled)
            lost[j, k] = baseline - score
            by_row[j] += (risen - losses) / n_repeats
        result = _summary(lost, baseline, rows=rows, by_row=by_row)
        if hasattr(X, "columns"):
            result.feature_names = np.asarray(table.columns, dtype=object)
        if hasattr(self, "classes_"):
            sums = [by_row[:, y == name].sum(axis=1) for name in self.classes_]
            counts = np.array([(y == name).sum() for name in self.classes_])
            result.by_class = np.where(counts > 0, np.column_stack(sums) / np.maximum(counts, 1), np.nan)
        return result

    def out_of_bag_scorer(
        self, y: ArrayLike, scoring: Any = None, max_rows: int | None = 2000, random_state: Any = 0
    ) -> tuple[NDArray[np.intp], Callable[[Any], float]]:
        """Return row numbers of ``fit``, and a function that scores a table of changed values for these rows.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Targets of the rows of ``fit``.
        scoring, max_rows, random_state
            As in :meth:`out_of_bag_importances`.
        """
        y = np.asarray(y)
        rows, answer = self._out_of_bag_answer(y, max_rows, random_state)
        return rows, lambda table: scored(self, scoring, self._answers(answer(table)), y[rows])

    def _out_of_bag_answer(
        self, y: NDArray, max_rows: int | None, random_state: Any
    ) -> tuple[NDArray[np.intp], Callable[[Any], NDArray[np.float64]]]:
        """Return row numbers of ``fit``, and a function from a table of these rows to probabilities or predictions."""
        check_is_fitted(self)
        known = unseen_rows(self._out_of_bag())
        if len(y) != len(known):
            raise ValueError(f"X has {len(y)} rows; out-of-bag importances need the {len(known)} rows of fit")
        rows = np.flatnonzero(known)
        if max_rows is not None and len(rows) > max_rows:
            rng = np.random.default_rng(root_sequence(random_state))
            rows = np.sort(rng.choice(rows, max_rows, replace=False))
        unseen = [grown.unseen(rows) for grown in self.grown_]

        def answer(table: Any) -> NDArray[np.float64]:
            data = self.table_.transform(table, self)
            pairs = zip(self.grown_, unseen, strict=True)
            return self._combined(
                np.concatenate([grown.unseen_outputs(data, mine, self.n_jobs) for grown, mine in pairs])
            )

        return rows, answer


def unseen_rows(out_of_bag: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the mask of the rows that have out-of-bag probabilities or predictions."""
    return np.isfinite(out_of_bag if out_of_bag.ndim == 1 else out_of_bag[:, 0])


def scored(
    estimator: Any, scoring: Any, answers: dict[str, NDArray], y: NDArray, weights: NDArray[np.float64] | None = None,
) -> float:  # fmt: skip
    """Return the score of an estimator from given results of its methods; `scoring` as in scikit-learn."""
    if not len(y):
        return float("nan")
    stand_in = copy(estimator)
    for method, answer in answers.items():  # a score may call any of these methods, always for the same rows
        setattr(stand_in, method, _answering(method, answer))
    score = check_scoring(stand_in, scoring=scoring)
    rows = np.empty((len(y), 0))
    if weights is None:
        return float(score(stand_in, rows, y))
    try:
        return float(score(stand_in, rows, y, sample_weight=weights))
    except TypeError as error:
        if "sample_weight" not in str(error):
            raise
        raise ValueError(f"oob_score: {scoring} does not support row weights; choose another score") from error


def _answering(method: str, answer: NDArray) -> Callable[[Any], NDArray]:
    """Return a function named `method` that returns `answer`; scikit-learn reads the name, too."""

    def answers(X: Any) -> NDArray:
        return answer

    answers.__name__ = method
    return answers
