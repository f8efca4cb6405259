"""Forests on Parquet files that do not fit into memory: each tree on a bag that is drawn from all rows in one pass."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.stats import poisson
from sklearn.base import is_classifier
from sklearn.utils.multiclass import check_classification_targets

from rotastack.seeds import child, root_sequence
from rotastack.trees.bags import kernel_seeds, tree_seeds
from rotastack.trees.draws import draw_many_below, draw_many_units, seed_at
from rotastack.trees.estimators import GrownEstimator
from rotastack.trees.growing import TreeGroup, TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees
from rotastack.trees.linear_views import LinearViews
from rotastack.trees.parquet_blocks import BLOCK_ROWS, ParquetRows
from rotastack.trees.threads import run_threads
from rotastack.trees.units import elsewhere, run_wholes

__all__ = ["BlockBags", "fit_parquet"]

OUTPUTS_AT_ONCE = 1 << 21
"""Numbers of trees' outputs held at once while rows out of bag are told."""


class BlockBags:
    """Bags of rows that are drawn block by block, from nothing but the seed of the tree and the number of the block.

    A row is in a bag as often as a Poisson number says, independently of the others: of each block so many rows are drawn
    with replacement as the Poisson number of the block says.

    Parameters
    ----------
    n_rows : int
    size : float
        Rows of a bag, on average.
    """

    def __init__(self, n_rows: int, size: float):
        self.n_blocks, rest = divmod(n_rows, BLOCK_ROWS)
        self._whole = _poisson_ends(size * BLOCK_ROWS / n_rows)
        self._rest = _poisson_ends(size * rest / n_rows) if rest else None

    def sizes(self, seed: np.uint64) -> NDArray[np.uint16]:
        """Return how many rows are drawn of each block for the bag of a seed."""
        units = draw_many_units(seed, self.n_blocks + 1)
        sizes = np.searchsorted(self._whole, units[: self.n_blocks], side="right")
        if self._rest is not None:
            sizes = np.append(sizes, np.searchsorted(self._rest, units[-1], side="right"))
        return sizes.astype(np.uint16)  # 16,384 on average at most; of all trees they are kept together

    def drawn(self, seed: np.uint64, block: int, n_rows: int, size: int) -> NDArray[np.intp]:
        """Return the rows of a block of `n_rows` that are drawn for the bag of a seed, as often as they are; `size` in all."""
        return draw_many_below(seed_at(seed, block), n_rows, size)


def _poisson_ends(mean: float) -> NDArray[np.float64]:
    """Return the distribution function of a Poisson number, as far as it is below 1."""
    ends = poisson.cdf(np.arange(int(mean + 20 * np.sqrt(mean) + 40)), mean)
    return ends[ends < 1]


def fit_parquet(
    forest: Any,
    paths: str | PathLike | Sequence[str | PathLike],
    target: str,
    *,
    max_samples: int = 100_000,
    memory: float = 1e9,
    oob_score: bool = True,
    read_rows: int = BLOCK_ROWS,
) -> Any:
    """Fit a forest to the rows of Parquet files, of which it holds some at a time.

    A tree's bag is drawn from the rows of all files, in one pass over these, by a hash of its seed and the number of the
    row; the rows of as many trees as there is memory for are drawn in one pass. The forest depends neither on how rows are
    spread over files, nor on `memory`, `read_rows` and `n_jobs`. Within ``joblib.parallel_config("dask")`` or another
    backend, each worker reads the files for its trees by itself, so it must see them.

    Memory beyond what is imported, for p columns and C classes: `memory` bytes for bags, a block of 16,384 rows, a row group
    of one file, ``max_samples (8 p + 244 + 8 C)`` for each thread, and, while rows out of bag are told, 16,384 for each tree
    and 2 for each tree and block.

    Parameters
    ----------
    forest : ForestClassifier, ForestRegressor, ExtraForestClassifier or ExtraForestRegressor
        With `bootstrap`, without `class_weight`. It is fitted.
    paths : str, path, or sequence of these
        Parquet files, or folders of them, the same on all workers. Columns must be numbers; null and NaN are missing values.
    target : str
    max_samples : int, default=100_000
        Rows of a bag on average: a row is in it as often as a Poisson number says. At most the number of rows.
    memory : float, default=1e9
        Bytes for the bags drawn in one pass, in each process; one bag is always drawn.
    oob_score : bool, default=True
        Read the files once more, and tell the accuracy or R^2 of rows out of bag.
    read_rows : int
        Rows decoded at once.

    Returns
    -------
    forest
        With `forest_`, `classes_` of a classifier, and `oob_score_`; outputs of single rows out of bag are not kept.

    Raises
    ------
    RotastackError
        Files or columns that cannot be used; the message names them.
    ValueError
        Parameters of the forest that are not allowed, or a continuous target of a classifier.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack.trees import ForestClassifier, fit_parquet
    >>> folder = getfixture("tmp_path")
    >>> load_iris(as_frame=True).frame.to_parquet(folder / "iris.parquet")
    >>> forest = fit_parquet(ForestClassifier(50, random_state=0), folder, "target", max_samples=100)
    >>> len(forest.forest_), forest.oob_score_ > 0.9
    (50, True)
    """
    _check(forest)
    if max_samples < 1 or memory <= 0:
        raise ValueError(f"max_samples ({max_samples}) and memory ({memory}) must be above 0")
    rows = ParquetRows(paths, target, read_rows, numeric_target=not is_classifier(forest))
    sequence = root_sequence(forest.random_state)
    bags = BlockBags(rows.n_rows, min(max_samples, rows.n_rows))
    bag_seeds = kernel_seeds(child(sequence, "rows"), forest.n_estimators)
    classes = _classes(rows) if is_classifier(forest) else None
    each = min(max_samples, rows.n_rows) * (4 * len(rows.columns) + 12)
    at_once = max(1, int(min(memory / each, forest.n_estimators)))
    if elsewhere(forest.n_jobs):  # none of the workers is left without trees
        at_once = min(at_once, -(-forest.n_estimators // effective_n_jobs(forest.n_jobs)))
    units = [(a, min(a + at_once, forest.n_estimators)) for a in range(0, forest.n_estimators, at_once)]
    family, options = forest._family(), forest._options()
    shared = (
        rows, bags, bag_seeds, tree_seeds(sequence, 0, forest.n_estimators), classes, family, options, sequence
    )  # fmt: skip
    grown = [trees for some in run_wholes(_grown, units, shared, forest.n_jobs) for trees in some]
    identity = LinearViews.identity(len(rows.columns))
    for trees in grown:
        trees.views = identity  # one for all, where workers return copies
    forest.forest_ = GrownTrees.concatenate(grown)
    forest.n_features_in_, forest.feature_names_in_ = len(rows.columns), np.array(rows.columns, object)
    if classes is not None:
        forest.classes_ = classes
    forest._forget_out_of_bag()
    if oob_score:
        forest.oob_score_ = _score(forest.forest_, rows, bags, bag_seeds, classes, forest.n_jobs)
    return forest


def _check(forest: Any) -> None:
    if not isinstance(forest, GrownEstimator) or not hasattr(forest, "bootstrap"):
        raise TypeError(f"{type(forest).__name__} cannot be fitted to Parquet files; forests of rotastack.trees can")
    forest._check_parameters()
    if not forest.bootstrap:
        raise ValueError("bootstrap is False, but trees on Parquet files see a bag of the rows each")
    if getattr(forest, "class_weight", None) is not None:
        raise ValueError("class_weight must be None for Parquet files: bags are drawn evenly")


def _classes(rows: ParquetRows) -> NDArray:
    found: NDArray | None = None
    for y in rows.targets():
        check_classification_targets(y)
        found = np.unique(y if found is None else np.concatenate([found, y]))
    assert found is not None
    return found


def _grown(
    trees: tuple[int, int], n_jobs: int | None, rows: ParquetRows, bags: BlockBags, bag_seeds: NDArray[np.uint64],
    seeds: NDArray[np.uint64], classes: NDArray | None, family: TreeGroup, options: TreeOptions, sequence: np.random.SeedSequence,
) -> tuple[GrownTrees, ...]:  # fmt: skip
    """Draw the bags of some trees in one pass, and grow them."""
    mine = range(*trees)
    drawn = {tree: _Bag(bags, bag_seeds[tree], len(rows.columns)) for tree in mine}
    for block, X, y in rows.blocks():
        target = y.astype(np.float64) if classes is None else np.searchsorted(classes, y).astype(np.float64)
        for bag in drawn.values():
            bag.take(block, X, target)

    def grow(tree: int, stop: NDArray[np.uint8]) -> GrownTrees:
        X, y, counts = drawn.pop(tree).filled()
        if not len(X):
            raise ValueError(f"the bag of tree {tree} is empty: raise max_samples")
        grown, _ = grow_forest(
            X, y, [replace(family, n_trees=1)], options, sequence,
            n_classes=None if classes is None else len(classes), bag_counts=counts, seeds=seeds[tree : tree + 1],
            want_oob=False, describe_nodes=False, n_jobs=1,
        )  # fmt: skip
        return grown

    return tuple(run_threads(grow, mine, n_jobs))


class _Bag:
    """The rows of a tree's bag, as they are found block by block."""

    def __init__(self, bags: BlockBags, seed: np.uint64, n_columns: int):
        self._bags, self._seed, self._sizes = bags, seed, bags.sizes(seed)
        most = int(self._sizes.sum())
        self._X = np.empty((most, n_columns), np.float32)
        self._y, self._counts = np.empty(most), np.empty((1, most), np.int32)
        self._end = 0

    def take(self, block: int, X: NDArray[np.float32], y: NDArray[np.float64]) -> None:
        rows = self._bags.drawn(self._seed, block, len(X), int(self._sizes[block]))
        rows, counts = np.unique(rows, return_counts=True)
        here = slice(self._end, self._end + len(rows))
        self._X[here], self._y[here], self._counts[0, here] = X[rows], y[rows], counts
        self._end = here.stop

    def filled(self) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.int32]]:
        return self._X[: self._end], self._y[: self._end], self._counts[:, : self._end]


def _score(
    forest: GrownTrees, rows: ParquetRows, bags: BlockBags, seeds: NDArray[np.uint64], classes: NDArray | None, n_jobs: int | None,
) -> float:  # fmt: skip
    """Return the accuracy or R^2 over the rows that are out of any bag; NaN if there are none."""
    n_outputs = forest.values.shape[1]
    step = max(1, OUTPUTS_AT_ONCE // (len(forest) * n_outputs))
    sizes = [bags.sizes(seed) for seed in seeds]
    n_known, right, offset = 0, 0, None
    sums: list[NDArray[np.float64]] = []  # of y, y^2 and squared errors by block, the same for any reader
    for block, X, y in rows.blocks():
        unseen = np.ones((len(forest), len(X)), bool)
        for tree, seed in enumerate(seeds):
            unseen[tree, bags.drawn(seed, block, len(X), int(sizes[tree][block]))] = False
        totals = np.concatenate(
            [_totals(forest.outputs(X[a : a + step], n_jobs), unseen[:, a : a + step]) for a in range(0, len(X), step)]
        )
        counts = unseen.sum(axis=0)
        known = counts > 0
        n_known += int(known.sum())
        if classes is not None:
            right += int((classes[totals[known].argmax(axis=1)] == y[known]).sum())
            continue
        numbers = y[known].astype(np.float64)
        errors = numbers - totals[known, 0] / counts[known]
        offset = numbers[:1].sum() if offset is None else offset
        numbers -= offset
        sums.append(np.array([numbers.sum(), (numbers**2).sum(), (errors**2).sum()]))
    if not n_known:
        return float("nan")
    if classes is not None:
        return right / n_known
    total, squares, loss = np.sum(sums, axis=0)
    spread = squares - total**2 / n_known
    return float(1 - loss / spread) if spread > 0 else float("nan")


def _totals(outputs: NDArray[np.float64], unseen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the sums of outputs (tree, row, output) over the trees that have not seen a row, tree after tree."""
    total = np.zeros(outputs.shape[1:])
    for of_tree, mine in zip(outputs, unseen, strict=True):
        total += of_tree * mine[:, None]
    return total
