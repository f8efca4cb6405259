"""Fold groups (random partitions into stratified folds), pairs of folds, and folds from scikit-learn's splitters."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.warned import ignoring
from rotastack.errors import RotastackError, counted
from rotastack.seeds import child, integer_seed, root_sequence


def fold_groups(y: ArrayLike, n_groups: int = 1, n_folds: int = 5, random_state: object = None) -> NDArray[np.int16]:
    """Draw fold groups: random stratified partitions of the rows into disjoint folds.

    Group g does not depend on `n_groups`, so more groups can be added later. A class with fewer rows than folds has at
    most one row in each fold.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Class labels.
    n_groups : int
        Number of partitions (M of thesis section 3.3.2).
    n_folds : int
        Number of disjoint folds (F), at least 2.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed. The Notes show the seed of a study.

    Returns
    -------
    ndarray of shape (n_groups, n_rows)
        The fold number, 0 to ``n_folds - 1``, of each row.

    Raises
    ------
    RotastackError
        Fewer than 2 folds, fewer rows than folds, no group, or every class smaller than `n_folds`.

    Notes
    -----
    A study draws its fold groups with ``random_state=child(root_sequence(seed), "folds", dataset)``, where ``seed`` is
    from the study file and ``dataset`` is the name of the data set. ``child`` and ``root_sequence`` are from
    `rotastack.seeds`.

    Examples
    --------
    >>> from rotastack.resampling import fold_groups
    >>> fold_groups([0, 0, 0, 1, 1, 1], n_groups=2, n_folds=3, random_state=0).shape
    (2, 6)
    """
    from sklearn.model_selection import StratifiedKFold

    y = np.asarray(y)
    if n_groups < 1:
        raise RotastackError(f"n_groups must be at least 1, got {n_groups}")
    if n_folds < 2:
        raise RotastackError(f"n_folds must be at least 2, got {n_folds}")
    if len(y) < n_folds:
        raise RotastackError(f"{len(y)} rows cannot be split into {n_folds} folds")
    _, codes = np.unique(y, return_inverse=True)
    largest = int(np.bincount(codes).max())
    if largest < n_folds:
        raise RotastackError(
            f"the largest class has {counted(int(largest), 'row')}, fewer than n_folds={n_folds}; lower n_folds"
        )
    sequence = root_sequence(random_state)
    folds = np.empty((n_groups, len(y)), dtype=np.int16)
    for group in range(n_groups):
        seed = integer_seed(child(sequence, group))
        splitter = StratifiedKFold(n_splits=n_folds, shuffle=True, random_state=seed)
        with ignoring("The least populated class"):  # classes smaller than n_folds are allowed
            for fold, (_, test) in enumerate(splitter.split(np.zeros(len(y)), codes)):
                folds[group, test] = fold
    return folds


def nested_pairs(n_folds: int) -> list[tuple[int, int]]:
    """Return the pairs of folds (a, b), a <= b, that nested cross-validation holds out together.

    For each pair, members are trained on all other folds. Their predictions for one fold of the pair train the
    level-1 estimator, and their predictions for the other fold test it. A pair (a, a) is a fold held out alone, for
    methods without a level-1 estimator. F folds give F (F + 1) / 2 pairs (thesis, section 3.3.1).

    Parameters
    ----------
    n_folds : int
        F, at least 2.

    Returns
    -------
    list of (int, int)
        Pairs in lexicographic order.

    Raises
    ------
    RotastackError
        Fewer than 2 folds.

    Examples
    --------
    >>> nested_pairs(3)
    [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    """
    if n_folds < 2:
        raise RotastackError(f"n_folds must be at least 2, got {n_folds}")
    return [(a, b) for a in range(n_folds) for b in range(a, n_folds)]


def given_folds(cv: Any, X: Any, y: ArrayLike, there: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the folds of a splitter, or of an iterable of (train, test), for the rows of the mask `there`.

    Folds without rows of the mask are left out. The result is each row's fold number, of shape (n_there,), and a mask
    (n_folds, n_there) of the training rows for each fold, never with rows of the fold.
    """
    from sklearn.model_selection import check_cv

    n_rows = len(there)
    splits = list(check_cv(cv).split(X, y))
    tests = np.concatenate([np.empty(0, np.intp), *(test for _, test in splits)])
    if not np.array_equal(np.sort(tests), np.arange(n_rows)):
        raise RotastackError(
            f"cv must hold out each of the {n_rows} rows once; the {len(splits)} test sets have {len(tests)} rows, "
            f"{len(np.unique(tests))} of them different"
        )
    folds = np.empty(n_rows, np.intp)
    without = np.zeros((len(splits), n_rows), dtype=bool)
    for fold, (train, test) in enumerate(splits):
        folds[test] = fold
        without[fold, train] = True
        without[fold, test] = False
    kept, folds = np.unique(folds[there], return_inverse=True)
    without = without[np.ix_(kept, there)]
    for a, rows in enumerate(without):
        alone = np.flatnonzero(~(without[a:] & rows).any(axis=1))
        if len(alone):
            raise RotastackError(
                f"cv must leave training rows outside any two of its folds, so at least 3 folds are needed; outside "
                f"folds {kept[a]} and {kept[a + alone[0]]} of {len(splits)} no rows are left"
            )
    return folds, without
