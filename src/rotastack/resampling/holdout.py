"""Repeated holdout: random splits of the rows into training and test rows."""

import warnings
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence

_TRIES = 200


def repeated_holdout(
    y: ArrayLike,
    n_repeats: int = 100,
    train_size: float = 0.7,
    random_state: object = None,
    *,
    levels: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    """Draw random test sets, uniformly among those that leave every class and level in the training set.

    Repeat r does not depend on `n_repeats`. Up to 200 splits are drawn for each repeat, until the training set has all
    classes and levels. If no split does, the training set begins with a row of each class and level, and a warning
    is issued.

    `train_size` is a share of the rows, rounded to whole rows, or with an int a number of rows. `levels`, of shape
    (n_rows, n_columns), are categorical columns. The result (n_repeats, n_rows) is True for test rows (thesis, section
    1.6.3).
    """
    y = np.asarray(y)
    n = len(y)
    is_count = isinstance(train_size, Integral)
    n_train = int(train_size) if is_count else round(train_size * n)
    if n_repeats < 1:
        raise RotastackError(f"n_repeats must be at least 1, got {n_repeats}")
    if not 0 < n_train < n:
        requested = f"{train_size} rows" if is_count else f"a share of {train_size:g} of the rows"
        raise RotastackError(
            f"train_size: {requested} for training leaves no training or no test rows; the table has {n} rows"
        )
    columns = [y] if levels is None else [y, *np.asarray(levels).T]
    codes = [np.unique(column, return_inverse=True)[1] for column in columns]
    sizes = [int(c.max()) + 1 for c in codes]
    sequence = root_sequence(random_state)
    test = np.ones((n_repeats, n), dtype=bool)
    forced = 0
    for r in range(n_repeats):
        rng = np.random.default_rng(child(sequence, r))
        for _ in range(_TRIES):
            train = rng.permutation(n)[:n_train]
            if all(len(np.unique(c[train])) == size for c, size in zip(codes, sizes, strict=True)):
                break
        else:
            train = _with_every_level(codes, sizes, n_train, rng)
            forced += 1
        test[r, train] = False
    if forced:
        warnings.warn(
            f"{forced} of {n_repeats} splits: training first got a row of each class and level, "
            "because a random split lacked a class or level",
            UserWarning,
            stacklevel=2,
        )
    return test


def _with_every_level(codes, sizes, n_train, rng) -> NDArray[np.intp]:
    """Return training rows with every level: first rows chosen greedily for missing levels, then random rows."""
    order = rng.permutation(len(codes[0]))
    numbers = np.cumsum([0, *sizes[:-1]])
    levels = np.stack([c[order] + first for c, first in zip(codes, numbers, strict=True)], axis=1)
    missing = np.ones(sum(sizes), dtype=bool)
    rare = 1.0 / np.bincount(levels.ravel(), minlength=sum(sizes))
    chosen: list[int] = []
    while missing.any():
        best = int((missing * rare)[levels].sum(axis=1).argmax())
        chosen.append(best)
        missing[levels[best]] = False
    if len(chosen) > n_train:
        raise RotastackError(
            f"{n_train} training rows cannot contain all classes and levels; at least {len(chosen)} rows are needed"
        )
    rest = np.delete(np.arange(len(order)), chosen)
    return order[np.concatenate([chosen, rest[: n_train - len(chosen)]]).astype(np.intp)]
