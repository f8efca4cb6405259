"""The folds of both protocols: fold groups, and splits at random, by cross-validation, by groups, in time, or given by the table."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    PredefinedSplit,
    StratifiedGroupKFold,
    TimeSeriesSplit,
)

from rotastack.base.warned import ignoring
from rotastack.data.artifacts import Prepared
from rotastack.data.divisions import copies_in, united
from rotastack.errors import RotastackError
from rotastack.resampling.folds import fold_groups
from rotastack.resampling.holdout import repeated_holdout
from rotastack.resampling.weka import weka_folds
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.workflow.study.names import name_of
from rotastack.workflow.study.specs import FoldGroupsSpec, ProtocolName, SplitsSpec

TEST, TRAIN, NEITHER = 0, 1, 2
"""The parts that a row can belong to in a split."""


def draw_folds(spec: FoldGroupsSpec | SplitsSpec, table: Prepared) -> pd.DataFrame:
    """Return a row for each row of the data set, and a column for each fold group, or for each split.

    A fold group has the numbers of folds; a split has 0 for test rows, 1 for training rows and 2 for others.
    """
    sequence = child(root_sequence(spec.seed), "folds", spec.dataset)
    try:
        if isinstance(spec, FoldGroupsSpec):
            prefix, parts = "FG", fold_groups(table.strata, spec.fold_groups, spec.folds, sequence)
        else:
            prefix, parts = "S", _splits(spec, table, sequence).astype(np.int8)
    except ValueError as error:
        raise RotastackError(f"{spec.dataset}: {error}") from None
    return pd.DataFrame(parts.T, columns=[name_of(prefix, k) for k in range(len(parts))])


def masks(protocol: ProtocolName, column: NDArray[np.integer]) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Return the masks of the test rows and the training rows of each fold of a fold group, or of one split."""
    if protocol == "nested":
        return [(column == fold, column != fold) for fold in range(int(column.max()) + 1)]
    return [(column == TEST, column == TRAIN)]


def _splits(spec: SplitsSpec, table: Prepared, sequence: np.random.SeedSequence) -> NDArray[np.integer]:
    """Return the part of each row in each split, shape (n_splits, n_rows)."""
    groups = table.groups
    if spec.copies_together:
        copies = copies_in(table)
        groups = copies if groups is None else united(groups, copies)
    if table.given:
        splits = given_splits(table.given, table.y, table.classes)
        if len(splits) > spec.splits:
            raise RotastackError(f"protocol.splits is {spec.splits}, but the table has {len(splits)} splits")
        parts = _parts(splits, len(table.y))
    elif groups is not None and (spec.groups is not None or spec.kind == "holdout"):
        parts = _by_groups(table, groups, spec, sequence)
    elif table.time is not None:
        parts = _by_time(table.time, spec)
    else:
        parts = _at_random(table, spec, sequence, np.arange(len(table.y)) if groups is None else groups)
    for s, k in [(s, k) for s, part in enumerate(parts) for k in (TEST, TRAIN) if k not in part]:
        raise RotastackError(
            f"split {s + 1} has no {'test' if k == TEST else 'training'} rows; take fewer folds, or another seed"
        )
    return parts


def _at_random(
    table: Prepared, spec: SplitsSpec, sequence: np.random.SeedSequence, copies: NDArray[np.intp]
) -> NDArray[np.int8]:
    """Return the part of each row in random splits or stratified random folds, shape (n_splits, n_rows).

    In folds, rows with one number of `copies` go where the first of them goes: scikit-learn's splitters of groups are slow
    for as many groups.
    """
    if spec.kind == "crossval":
        if spec.weka_seed is not None:
            groups = weka_folds(table.strata, spec.folds, spec.weka_seed)[None]
        else:
            _, first, of_row = np.unique(copies, return_index=True, return_inverse=True)
            groups = fold_groups(table.strata[first], spec.repeats, spec.folds, sequence)[:, of_row]
        return np.concatenate([group != np.arange(spec.folds)[:, None] for group in groups]).astype(np.int8)
    levels = table.codes if table.codes.shape[1] else None
    n, repeats, train, test = len(table.y), spec.repeats, spec.train, spec.test
    rows = round(train * n) if train < 1 else train
    if test is not None and repeats * (rows + test) <= n:
        parts = np.full((repeats, n), NEITHER, dtype=np.int8)
        dealt = np.random.default_rng(child(sequence, "dealt")).permutation(n)
        for part, mine in zip(parts, dealt[: repeats * (rows + test)].reshape(repeats, -1), strict=True):
            part[mine[:rows]], part[mine[rows:]] = TRAIN, TEST
        return parts
    parts = (~repeated_holdout(table.strata, repeats, train, sequence, levels=levels)).astype(np.int8)
    return parts if test is None else _fewer_tested(parts, test, sequence)


def _by_groups(
    table: Prepared, groups: NDArray[np.intp], spec: SplitsSpec, sequence: np.random.SeedSequence
) -> NDArray[np.int8]:
    """Return splits by scikit-learn's group splitters: the rows of a group are all trained on or all tested."""
    rows, n_groups = np.zeros((len(groups), 1)), len(np.unique(groups))
    if spec.kind == "holdout":
        share = spec.train if spec.train < 1 else spec.train / len(groups)
        seed = integer_seed(child(sequence, "groups"))
        splitter: Any = GroupShuffleSplit(spec.repeats, train_size=share, random_state=seed)
        return _fewer_tested(_parts(splitter.split(rows, table.y, groups), len(groups)), spec.test, sequence)
    if n_groups < spec.folds:
        raise RotastackError(f"{n_groups} groups cannot be split into {spec.folds} folds")
    of_task = StratifiedGroupKFold if table.classes else GroupKFold
    splits = []
    for repeat in range(spec.repeats):
        splitter = of_task(spec.folds, shuffle=True, random_state=integer_seed(child(sequence, "groups", repeat)))
        with ignoring("The least populated class"):  # a class may have fewer rows than folds
            splits += splitter.split(rows, table.y, groups)
    return _parts(splits, len(groups))


def _by_time(time: NDArray[np.intp], spec: SplitsSpec) -> NDArray[np.int8]:
    """Return splits by scikit-learn's splitter of time series; rows of one moment stay together."""
    n_moments, n_splits = int(time.max()) + 1, spec.folds if spec.kind == "crossval" else spec.repeats
    sizes: dict[str, int] = {}
    if spec.kind == "holdout":
        of_moment = len(time) / n_moments
        if spec.train < 1:
            tested = (1 - spec.train) * n_moments / n_splits
        else:
            sizes["max_train_size"] = max(1, round(spec.train / of_moment))
            tested = (n_moments - sizes["max_train_size"]) / n_splits
        if spec.test:
            tested = min(tested, spec.test / of_moment)
        sizes["test_size"] = max(1, int(tested))
    splitter = TimeSeriesSplit(n_splits, **sizes)
    moments = splitter.split(np.zeros((n_moments, 1)))
    rows = [(np.flatnonzero(np.isin(time, train)), np.flatnonzero(np.isin(time, test))) for train, test in moments]
    return _parts(rows, len(time))


def _parts(splits: Iterable[tuple[NDArray, NDArray]], n_rows: int) -> NDArray[np.int8]:
    """Return the part of each row in each split, shape (n_splits, n_rows)."""
    splits = list(splits)
    parts = np.full((len(splits), n_rows), NEITHER, dtype=np.int8)
    for part, (train, test) in zip(parts, splits, strict=True):
        part[train], part[test] = TRAIN, TEST
    return parts


def _fewer_tested(parts: NDArray[np.int8], test: int | None, sequence: np.random.SeedSequence) -> NDArray[np.int8]:
    """Return splits with at most `test` test rows each, drawn at random."""
    for r, part in enumerate(parts):
        tested = np.flatnonzero(part == TEST)
        if test is not None and len(tested) > test:
            rng = np.random.default_rng(child(sequence, "tested", r))
            part[rng.choice(tested, len(tested) - test, replace=False)] = NEITHER
    return parts


def given_splits(
    columns: Sequence[NDArray[np.intp]], y: NDArray, classes: Sequence[str]
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the training and test rows of a table's own splits: one split for each column of folds and each fold."""
    splits: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for column in columns:
        rows = np.flatnonzero(column >= -1)
        splits += [(rows[train], rows[test]) for train, test in PredefinedSplit(column[rows]).split()]
    if not splits:
        raise RotastackError("no split has test rows; at least one is needed")
    for s, (train, test) in enumerate(splits):
        if not len(train):
            raise RotastackError(f"split {s + 1} of {len(splits)} has no training rows; at least one is needed")
        if classes and len(without := np.setdiff1d(y[test], y[train])):
            raise RotastackError(f"split {s + 1} of {len(splits)} has no training row of class {classes[without[0]]!r}")
    return splits
