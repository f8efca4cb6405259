"""Nested cross-validation leaks nothing: planted changes in a held-out fold."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.quick import first
from xgboost import XGBClassifier

from rotastack import StackedRotationClassifier
from rotastack.combine.nested import combine_nested
from rotastack.combine.stacking import Stacking
from rotastack.combine.voting import Voting
from rotastack.ensembles.pooled.nested import HeldOut, nested_outputs
from rotastack.ensembles.pooled.pool import PoolOptions, Recipe
from rotastack.resampling import fold_groups, nested_pairs
from rotastack.trees import ForestClassifier, TrainingRows
from rotastack.views import RandomRotation
from rotastack.views.scaling import MinMaxScaler01, QuantileScaler, RelativeRankScaler

CASES = first(
    2,
    [
        ("forest", Stacking(ForestClassifier(10)), MinMaxScaler01()),
        ("forest", Voting(), QuantileScaler()),
        ("boosted", Stacking(LogisticRegression(max_iter=1000)), RelativeRankScaler()),
    ],
)
SMALL = {"forest": ForestClassifier(4), "boosted": XGBClassifier(n_estimators=3, n_jobs=1)}


def decide(X, y, folds, kind, combiner, scaler):
    estimator = SMALL[kind]
    recipes = [Recipe(None, estimator)] + [Recipe(RandomRotation(random_state=k).fit(X), estimator) for k in range(2)]
    rows, held_out = TrainingRows(X, y, 3), HeldOut(folds, nested_pairs(4))
    options = PoolOptions(scaler, np.zeros(X.shape[1], dtype=bool))
    outputs = nested_outputs(rows, held_out, recipes, options, np.random.SeedSequence(5))
    return combine_nested(combiner, outputs, folds, y, np.random.SeedSequence(6))[0]


@pytest.mark.parametrize(("kind", "combiner", "scaler"), CASES)
def test_a_held_out_fold_is_not_seen_and_its_rows_do_not_see_each_other(iris, kind, combiner, scaler):
    X, y = iris
    folds = fold_groups(y, 1, 4, 0)[0]
    before = decide(X, y, folds, kind, combiner, scaler)
    for h in range(4):
        held = folds == h
        changed = y.copy()
        changed[held] = np.random.default_rng(h).permutation(y[held])
        after = decide(X, changed, folds, kind, combiner, scaler)
        assert after[held].tobytes() == before[held].tobytes()
        assert after[~held].tobytes() != before[~held].tobytes()  # the test would notice a change
        rows = np.flatnonzero(held)
        scaled, others = rows[::2], rows[1::2]
        changed = X.copy()
        changed[scaled] *= 1000
        after = decide(changed, y, folds, kind, combiner, scaler)
        assert after[others].tobytes() == before[others].tobytes()


def test_rows_that_a_given_split_does_not_train_on_are_not_seen(iris):
    """Such as rows within a gap around the test rows."""
    X, y = iris[0][::2], iris[1][::2]
    folds = np.arange(len(y)) % 4
    kept = np.arange(len(y)) % 3 > 0
    splits = [
        (np.flatnonzero((folds != h) & kept if h == 1 else folds != h), np.flatnonzero(folds == h)) for h in range(4)
    ]
    clf = StackedRotationClassifier(2, n_trees=4, cv=splits, random_state=0)
    before = clf.fit(X, y).oof_proba_
    after = clf.fit(X, np.where(kept | (folds == 1), y, (y + 1) % 3)).oof_proba_
    assert after[folds == 1].tobytes() == before[folds == 1].tobytes()
    assert after[folds != 1].tobytes() != before[folds != 1].tobytes()  # the test would notice a change
