"""Permutation importances on out-of-bag outputs: the loss of score when a column is shuffled."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice
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

RARE = 0.4
"""A class is rare below this multiple of an equal share of the rows."""


def permutation_importances(
    X: NDArray,
    score: Callable[[Any], Any],
    parts: Sequence[NDArray[np.intp]],
    n_repeats: int,
    rng: np.random.Generator,
    weights: NDArray[np.float64] | None = None,
) -> Bunch:
    """Return the decrease of a score when a column, or several columns together, are shuffled.

    `score` takes a table like `X`; more is better. It may return an array, such as a score of each row. `parts` are sets
    of columns that are shuffled together; no columns have an importance of 0. The result has ``importances``
    (n_parts, n_repeats, ...), ``importances_mean`` and ``importances_std`` (n_parts, ...), and ``score`` of the unshuffled
    `X`. `weights` are those of :func:`sampled_rows`.
    """
    baseline = score(X)
    lost = np.zeros((len(parts), n_repeats, *np.shape(baseline)))
    for j, k, shuffled in _shuffled(X, parts, n_repeats, rng, weights):
        lost[j, k] = baseline - score(shuffled)
    return _summary(lost, baseline)


def _summary(lost: NDArray[np.float64], whole: float, **more: Any) -> Bunch:
    means = {"importances_mean": lost.mean(axis=1), "importances_std": lost.std(axis=1)}
    return Bunch(importances=lost, **means, score=whole, **more)


def _shuffled(
    X: NDArray,
    parts: Sequence[NDArray[np.intp]],
    n_repeats: int,
    rng: np.random.Generator,
    weights: NDArray[np.float64] | None,
) -> Iterator[tuple[int, int, NDArray]]:
    """Yield the number of a set of columns, the number of the repeat, and a copy of the table with the set shuffled.

    Values of weighted rows are drawn by weight, so that a column has the values of all rows, not those of the sample.
    """
    n = len(X)
    shares = None if weights is None else weights / weights.sum()
    orders = [rng.permutation(n) if shares is None else rng.choice(n, n, p=shares) for _ in range(n_repeats)]
    for j, columns in enumerate(parts):
        for k, order in enumerate(orders if len(columns) else ()):
            shuffled = X.copy()
            shuffled[:, columns] = X[np.ix_(order, columns)]
            yield j, k, shuffled


def encoded_once(model: Any, X: Any, parts: Sequence[NDArray[np.intp]]) -> tuple[Any, Any, Sequence[NDArray[np.intp]]]:
    """Return a model, a table and sets of its columns with the same importances, where shuffled tables need no encoding.

    The table is encoded. A set has what its columns are encoded as, such as dummies, without what no tree and no kernel
    depends on. The model is a copy that takes encoded rows. Models that are no flagship are returned as they are.
    """
    if not isinstance(model, OutOfBagImportances):
        return model, X, parts
    table, stand_in = model.table_, copy(model)
    rows = table.transform(X, model)
    used = sum((grown.used_columns() for grown in model.grown_), np.zeros(rows.shape[1])) > 0
    used[table.missing_] |= used[-1]  # with missing numbers, the last column is their share
    stand_in.table_ = copy(table)
    stand_in.table_.transform = lambda shuffled, owner: table.counted(shuffled)
    return (
        stand_in,
        rows,
        [np.flatnonzero(np.isin(table.sources_, part) & used[: len(table.sources_)]) for part in parts],
    )


def sampled_rows(
    rows: NDArray[np.intp], labels: NDArray, most: int, draw: Callable[[NDArray[np.intp], int], NDArray[np.intp]]
) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
    """Return at most `most` of the rows, in order, and their weights; None if all rows count alike.

    Rows of rare classes are kept, up to half of `most`; ``draw(numbers, n)`` returns n of the others, and of too many rare
    ones. The weight of a row is the number of rows that it stands for: weighted scores are those of the original shares
    of the classes. `labels` are those of the rows, all the same in a regression.
    """
    if len(rows) <= most:
        return np.sort(rows), None
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    rare = (counts < RARE * len(rows) / len(counts))[codes]
    n_rare = min(int(rare.sum()), most // 2)
    sizes = ((rare, n_rare), (~rare, most - n_rare))
    chosen = np.concatenate([draw(np.flatnonzero(mask), n) for mask, n in sizes if n])
    order = chosen[np.argsort(rows[chosen])]
    weights = np.where(rare, rare.sum() / max(n_rare, 1), (~rare).sum() / (most - n_rare))
    return rows[order], weights[order] if n_rare else None


class OutOfBagImportances:
    """Base class with permutation importances of an ensemble, from trees that have not seen the rows."""

    table_: Any
    grown_: list[GrownFamilies]
    n_jobs: int | None
    oob_decision_function_: NDArray[np.float64]
    oob_prediction_: NDArray[np.float64]
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
        return self.oob_decision_function_ if hasattr(self, "classes_") else self.oob_prediction_

    def _hash_of(self, X: Any, y: NDArray) -> int:
        """Return a hash of rows as the trees see them, and of their targets."""
        codes = np.searchsorted(self.classes_, y) if hasattr(self, "classes_") else np.asarray(y, dtype=np.float64)
        return crc32(self.table_.transform(X, self).tobytes(), crc32(codes.tobytes()))

    def out_of_bag_importances(
        self,
        X: ArrayLike,
        y: ArrayLike,
        scoring: Any = None,
        *,
        n_repeats: int = 5,
        max_rows: int | None = 2000,
        random_state: Any = 0,
    ) -> Bunch:
        """Return the decrease of the out-of-bag score when a column is shuffled, in total, by row and by class.

        Predictions of a row come from trees that have not seen the row, so noise columns get 0 on average. Redundant
        columns share their importance: shuffling one of them changes the score little. The importances by row and by
        class are increases of the log loss or the squared error; below 0, the column misleads the ensemble there. They
        are no test of a column, as the families' weights were fitted to these rows; ``rotastack explain`` has one.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            The rows of ``fit``, in the same order. All that a column is encoded as, such as dummies, is shuffled
            together. A column that no tree and no kernel depends on has an importance of exactly 0.
        y : array-like of shape (n_rows,)
            The targets of the rows.
        scoring : str, callable or None, default=None
            As in scikit-learn; None is accuracy or R^2.
        n_repeats : int, default=5
            Number of shufflings of each column.
        max_rows : int or None, default=2000
            Number of rows drawn at random if there are more; None uses all rows. Rare classes, below 0.4 times an equal
            share of the rows, keep all their rows, up to half of `max_rows` together. The score then weighs each row by
            the number of rows that it stands for, so it is of the original shares of the classes, and shuffled values
            are drawn by the same weights. A `scoring` without support for row weights then needs None.
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
        rows, weights, answer = self._out_of_bag_answer(y, max_rows, random_state)
        if len(table) != len(y):
            raise ValueError(f"X has {len(table)} rows, y has {len(y)} rows")
        if self._hash_of(table, y) != self._rows_hash:
            raise ValueError("out-of-bag importances need the X and y of fit, with the rows in the same order")
        _, encoded, parts = encoded_once(self, table, [*np.arange(table.shape[1])[:, None]])
        sample, y = encoded[rows], y[rows]

        def judged(combined: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            return scored(self, scoring, self._answers(combined), y, weights), self._losses(combined, y)

        baseline, losses = judged(answer(sample))
        lost, by_row = np.zeros((len(parts), n_repeats)), np.zeros((len(parts), len(rows)))
        rng = np.random.default_rng(root_sequence(random_state))
        tables = _shuffled(sample, parts, n_repeats, rng, weights)
        while some := list(islice(tables, 1 + 2**22 // max(sample.size, 1))):  # at once, to save calls
            combined = answer(np.concatenate([shuffled for *_, shuffled in some]))
            for (j, k, _), mine in zip(some, np.split(combined, len(some)), strict=True):
                score, risen = judged(mine)
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
        rows, weights, answer = self._out_of_bag_answer(y, max_rows, random_state)
        return rows, lambda table: scored(
            self, scoring, self._answers(answer(self.table_.transform(table, self))), y[rows], weights
        )

    def _out_of_bag_answer(
        self, y: NDArray, max_rows: int | None, random_state: Any
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None, Callable[[NDArray], NDArray[np.float64]]]:
        """Return row numbers of ``fit``, their weights or None, and a function from encoded rows to outputs of the ensemble.

        The function takes tables of these rows, one below the other; their columns may have been shuffled.
        """
        check_is_fitted(self)
        known = unseen_rows(self._out_of_bag())
        if len(y) != len(known):
            raise ValueError(f"X has {len(y)} rows; out-of-bag importances need the {len(known)} rows of fit")
        labels, most = y[known] if hasattr(self, "classes_") else known[known], len(y) if max_rows is None else max_rows
        rows, weights = sampled_rows(
            np.flatnonzero(known),
            labels,
            most,
            lambda numbers, n: np.random.default_rng(root_sequence(random_state)).choice(numbers, n, replace=False),
        )
        unseen = [(grown, grown.unseen(rows)) for grown in self.grown_]

        def answer(data: NDArray[np.float32]) -> NDArray[np.float64]:
            data, times = self.table_.counted(data), len(data) // max(len(rows), 1)
            by_family = (g.unseen_outputs(data, np.concatenate([mine] * times), self.n_jobs) for g, mine in unseen)
            return self._combined(np.concatenate([*by_family]))

        return rows, weights, answer


def unseen_rows(out_of_bag: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the mask of the rows that have out-of-bag probabilities or predictions."""
    return np.isfinite(out_of_bag if out_of_bag.ndim == 1 else out_of_bag[:, 0])


def scored(
    estimator: Any, scoring: Any, answers: dict[str, NDArray], y: NDArray, weights: NDArray[np.float64] | None = None
) -> float:
    """Return the score of an estimator from given results of its methods; `scoring` as in scikit-learn."""
    if not len(y):
        return float("nan")
    if scoring is None:
        return estimator._usual_score(y, answers["predict"], weights)
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
        name = "oob_score" if scoring is estimator.oob_score else "scoring"
        raise ValueError(f"{name}: {scoring} does not support row weights; choose another score") from error


def _answering(method: str, answer: NDArray) -> Callable[[Any], NDArray]:
    """Return a function named `method` that returns `answer`; scikit-learn reads the name, too."""

    def answers(X: Any) -> NDArray:
        return answer

    answers.__name__ = method
    return answers
