"""Small fits that go through all of the kernel, and a hash of what each gives.

Data and views are exact, and nothing goes through BLAS, so that the hashes are those of any machine and any build. As
a script this prints them, for whatever `rotastack` Python finds.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace

import numpy as np

from rotastack import AdaBoostM1Classifier, RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.ensembles.flagship.families import BOOSTING
from rotastack.ensembles.flagship.family_rows import FamilyRows, draw_folds
from rotastack.ensembles.flagship.growing import grow_families
from rotastack.ensembles.flagship.mixed_table import MixedTable
from rotastack.trees import (
    C45Classifier,
    ExtraForestClassifier,
    ExtraForestRegressor,
    ForestClassifier,
    ForestRegressor,
    LinearViews,
    TrainingRows,
    TreeGroup,
    TreeOptions,
    grow_forest,
)
from rotastack.trees.nodes import missing_go_left, split_columns

rng = np.random.default_rng(19)
X = rng.integers(-40, 40, (240, 7)) / 8.0
X[:, 4] = X[:, 4].round()
X[:, 5] = rng.integers(0, 2, len(X))
X[:, 6] = rng.random(len(X)) < 0.04
y = (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 2] * X[:, 3] > 4)
target = X[:, 0] * 2 + X[:, 1] + rng.integers(0, 8, len(X)) / 4.0
weights = rng.integers(0, 12, len(X)) / 4.0
CATEGORIES = np.column_stack([X[:, :3], rng.integers(0, 5, (len(X), 2))])
TURNED = rng.integers(-8, 9, (5, 7, 7)) / 8.0

FAMILIES = (
    TreeFamily("columns"),
    TreeFamily("cuts", splitter="random"),
    TreeFamily("discriminants", ("identity", "discriminants")),
    TreeFamily("principal", ("principal", "discriminants")),
    TreeFamily("sparse", ("sparse", "discriminants")),
    TreeFamily("rotation_forest", ("principal", "discriminants"), criterion="c45", max_features=None, folds=True),
    TreeFamily("boosted", folds=True, boosting=BOOSTING),
)
"""All parts, all ways to grow."""

PAIRS = TreeFamily("pairs", ("pairs",), max_features=None, folds=True)

FORESTS = {
    "gini": ForestClassifier(6),
    "entropy": ForestClassifier(6, criterion="entropy", max_features=None),
    "bagged_c45": ForestClassifier(6, criterion="c45", max_features=None, min_samples_leaf=2),
    "not_bagged": ForestClassifier(4, bootstrap=False, max_depth=4),
    "extra": ExtraForestClassifier(6, n_cuts=3, criterion="entropy"),
    "extra_bagged": ExtraForestClassifier(6, bootstrap=True, min_samples_leaf=3),
    "c45": C45Classifier(),
    "c45_unpruned": C45Classifier(confidence=None, min_samples_leaf=1, subtree_raising=False),
    "boosted": AdaBoostM1Classifier(6, C45Classifier()),
    "regression": ForestRegressor(6),
    "cost_complexity": ForestRegressor(4, ccp_alpha=0.05, min_samples_split=8),
    "extra_regression": ExtraForestRegressor(6, max_features=3),
}


def known(nodes: np.ndarray) -> np.ndarray:
    """Return nodes without the side to which they send missing values: here are none."""
    nodes = nodes.copy()
    nodes["column"] = split_columns(nodes)
    return nodes


def fitted(forest, X=X, **more):
    """Return the arrays of a forest, and what it gives for rows."""
    of_numbers = "Regressor" in type(forest).__name__
    if "random_state" in forest.get_params():
        forest.set_params(random_state=7)
    forest.fit(X, target if of_numbers else y, **more)
    trees = forest.forest_
    found = [known(trees.nodes), trees.starts, trees.impurity, trees.weight, trees.counts, trees.values, trees.sizes]
    found += [trees.views.parts, trees.views.columns, trees.views.matrices]
    if trees.views.n_features == X.shape[1]:
        found.append(trees.outputs(X.astype(np.float32)))
    return [*found, *(getattr(forest, name) for name in ("tree_oob_error_",) if hasattr(forest, name))]


def flagship(model, families: Sequence[TreeFamily] = FAMILIES, X=X) -> Iterable[np.ndarray]:
    """Families of the flagship, whatever their weight."""
    of_numbers = isinstance(model, RotastackRegressor)
    table = MixedTable(model.categorical_features)
    numbers = target if of_numbers else None
    codes = np.searchsorted(np.quantile(target, [0.25, 0.5, 0.75]), target) if of_numbers else y
    sequence = np.random.SeedSequence(7)
    folds = draw_folds(codes, None, sequence)
    data = table.fit_transform(X, model, np.zeros((len(X), 1)), folds)
    trained = (numbers, None) if of_numbers else (codes, int(codes.max()) + 1)
    rows = FamilyRows(data, *trained, codes=codes, folds=folds, dummies=table.dummies_)
    grown, unseen = grow_families(families, 4, rows, sequence)
    for trees in (trees for family in grown for trees in family.forests()):
        yield from (known(trees.nodes), trees.starts, trees.values, trees.sizes)
        yield from (trees.views.parts, trees.views.columns, trees.views.matrices)
        if np.isnan(np.asarray(X, float)).any():
            yield missing_go_left(trees.nodes)
        if trees.views.fills is not None:
            yield np.nan_to_num(trees.views.fills)
    yield unseen[: len([family for family in families if not family.folds])]


def on_views() -> Iterable[np.ndarray]:
    """Trees on views that map all columns, some, and none."""
    views = LinearViews.concatenate(
        [LinearViews.identity(7).beside(LinearViews.dense(TURNED)), LinearViews.subset([[0, 3], [2, 5]], 7)]
    )
    groups = [TreeGroup(10, views.take([0, 5, 1, 6, 2])), TreeGroup(3, views.take([4, 4, 3]), splitter="random")]
    data = X.astype(np.float32)
    trees, unseen = grow_forest(TrainingRows(data, y, 3), groups, TreeOptions(), np.random.SeedSequence(3))
    sums = [getattr(group, field.name) for group in unseen for field in fields(group)]
    return [known(trees.nodes), trees.values, trees.counts, trees.outputs(data), *sums]


def with_missing() -> Iterable[np.ndarray]:
    """All kinds of trees, and the flagship's views, on rows with missing values."""
    holed = np.where((np.arange(X.size) % 11 == 0).reshape(X.shape), np.nan, X)
    for name in ("gini", "entropy", "bagged_c45", "c45", "extra", "regression"):
        yield from fitted(FORESTS[name], holed)
        yield missing_go_left(FORESTS[name].forest_.nodes)
    yield from flagship(RotastackClassifier(), X=holed)


CASES: dict[str, Callable[[], Iterable[np.ndarray]]] = {
    **{name: lambda forest=forest: fitted(forest) for name, forest in FORESTS.items()},
    "weights": lambda: fitted(ForestClassifier(6), sample_weight=weights),
    "regression_weights": lambda: fitted(ForestRegressor(6), sample_weight=weights),
    "flagship": lambda: flagship(RotastackClassifier()),
    "flagship_regression": lambda: flagship(
        RotastackRegressor(), (*FAMILIES[:5], replace(FAMILIES[5], criterion="gini", splitter="random"), FAMILIES[6])
    ),
    "categories": lambda: flagship(RotastackClassifier(categorical_features=[3, 4]), (*FAMILIES, PAIRS), CATEGORIES),
    "numbers_of_categories": lambda: flagship(
        RotastackRegressor(categorical_features=[3, 4]), (FAMILIES[0], PAIRS, FAMILIES[6]), CATEGORIES
    ),
    "views": on_views,
    "missing": with_missing,
}


def hash_of(case: str) -> str:
    """Return a hash of the bytes that a case gives, -0 and NaN included."""
    digest = hashlib.sha256()
    for array in CASES[case]():
        digest.update(f"{array.dtype.str} {array.shape}\n".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    print(json.dumps({case: hash_of(case) for case in CASES}, indent=1))
