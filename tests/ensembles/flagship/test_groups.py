"""The flagship on rows of groups, such as visits of patients: what trees and folds may share, and what follows."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.own_tables import visits

from rotastack import RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.ensembles.flagship.family_rows import draw_folds
from rotastack.views import RandomRotation

ROTATED = ("rotations", TreeFamily("turned", (RandomRotation(),)))


def patients(n_patients=60, seed=0):
    """Return visits whose target depends on the first lab value and, far more, on the patient."""
    table, _ = visits(n_patients, seed)
    groups = table["patient_id"].to_numpy()
    X = table.filter(like="lab").to_numpy(copy=True)
    return X, X[:, 0] + np.random.default_rng(seed).standard_normal(n_patients)[groups], groups


def small(kind=RotastackClassifier, **parameters):
    return kind(**{"trees_per_family": 10, "random_state": 0, **parameters})


@pytest.mark.parametrize("seed", [0, 1])
def test_out_of_bag_scores_hold_for_new_patients(seed):
    """All visits of a patient have the same outcome, which depends on chance alone."""
    table, target = visits(200, seed)
    known, X, y = table["patient_id"] < 100, table.filter(like="lab"), table[target]
    clf = small().fit(X[known], y[known], groups=table["patient_id"][known])
    assert clf.n_groups_ == 100
    assert abs(clf.oob_score_ - clf.score(X[~known], y[~known])) < 0.2
    assert small().fit(X[known], y[known]).oob_score_ > 0.9


def test_intervals_hold_for_new_patients():
    X, y, groups = patients(160)
    known = groups < 80
    reg = small(RotastackRegressor, trees_per_family=30).fit(X[known], y[known], groups=groups[known])
    low, high = reg.predict_interval(X[~known]).T
    assert np.mean((low <= y[~known]) & (y[~known] <= high)) > 0.8  # without groups less than 0.7
    assert abs(reg.oob_score_ - reg.score(X[~known], y[~known])) < 0.2
    assert whole(reg.residuals_.forest.out_of_bag(known.sum()), groups[known])


def whole(mask, groups):
    """Return whether all rows of a group are alike in `mask`, (row, ...)."""
    return all((mask[groups == g] == mask[groups == g][:1]).all() for g in np.unique(groups))


@pytest.mark.parametrize("weighted", [False, True])
def test_trees_and_folds_hold_out_whole_groups(all_kept, weighted):
    X, y, groups = patients()
    weights = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0 + np.arange(len(y)) % 3) if weighted else None
    clf = small(families=(*ROTATED, "discriminants", "boosted")).fit(X, y > 0, weights, groups)
    there = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    out = clf.forest_.out_of_bag(len(y))[there]
    assert whole(out, groups[there])
    assert 0.2 < out.mean() < 0.6
    for grown in clf.grown_[1:]:
        assert whole(grown.unseen(np.arange(len(y)))[there], groups[there])
        assert (grown.unseen(np.arange(len(y)))[~there] == -1).all()
    assert np.isnan(clf.oob_decision_function_[~there]).all()
    assert np.isfinite(clf.oob_decision_function_[there]).all()


@pytest.mark.parametrize(
    ("kind", "families"), [(RotastackClassifier, ROTATED), (RotastackRegressor, (TreeFamily("columns"), ROTATED[1]))]
)
def test_a_group_has_no_influence_on_the_trees_that_hold_it_out(all_kept, kind, families):
    """A patient has other values, within the ranges by which columns are scaled, and other classes."""
    X, y, groups = patients()
    mine = groups == 7
    assert not np.isin(X[mine], [X.min(axis=0), X.max(axis=0)]).any()
    changed, other = np.where(mine[:, None], X[::-1], X), y  # trees of numbers depend on the mean target by rounding
    if kind is RotastackClassifier:
        y, other = y > 0, np.where(mine, y <= 0, y > 0)
    first, second = (small(kind, families=families).fit(*table, groups=groups) for table in ((X, y), (changed, other)))
    out = first.forest_.out_of_bag(len(y))[mine][0]
    before, after = (fitted.forest_.outputs(fitted.table_.transform(X, fitted)) for fitted in (first, second))
    same = np.array([np.array_equal(a, b) for a, b in zip(before, after, strict=True)])
    assert same[out].all()
    assert not same[~out].any()


def test_names_of_groups_and_jobs_change_nothing():
    X, y, groups = patients(40)
    plain = small(class_weight="balanced").fit(X, y > 0, groups=groups)
    for given in (
        groups.tolist(),
        pd.Series(groups, index=groups + 3),
        pd.Categorical([f"patient {g}" for g in groups]),
        pd.Series(groups.astype(str), dtype="string"),
        groups.astype("datetime64[D]"),
    ):
        again = small(class_weight="balanced", n_jobs=2).fit(X, y > 0, groups=given)
        assert np.array_equal(again.oob_decision_function_, plain.oob_decision_function_)
        assert np.array_equal(again.predict_proba(X), plain.predict_proba(X))


def test_importances_are_measured_on_other_groups():
    """The values of a column tell the patient, and so the target; of new patients they say nothing."""
    X, y, groups = patients(80)
    X[:, 1] = np.random.default_rng(1).permutation(80)[groups]
    alone = small(RotastackRegressor).fit(X, y).out_of_bag_importances(X, y).importances_mean
    apart = small(RotastackRegressor).fit(X, y, groups=groups).out_of_bag_importances(X, y).importances_mean
    assert alone[1] > 0.05 > apart[1]
    assert apart[0] == apart.max() > 0.2


@pytest.mark.parametrize("n", [2, 3, 9])
def test_fewer_groups_than_folds_are_fewer_folds(all_kept, n):
    X, y, groups = patients(30)
    clf = small(families=("boosted",)).fit(X, y > 0, groups=groups % n)
    assert set(clf.grown_[0].boosted.folds) == set(range(min(n, 5)))
    pure = small().fit(X, y > 0, groups=y > 0)  # each fold has one class
    assert 0 <= pure.oob_score_ <= 1


def test_folds_have_alike_shares_and_sizes():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(200), rng.integers(1, 12, 200))
    y = rng.permutation(np.arange(200) % 4 == 0)[groups].astype(int)
    folds, again, other = (draw_folds(y, None, np.random.SeedSequence(seed), groups) for seed in (0, 0, 1))
    assert whole(folds, groups)
    sizes = np.bincount(folds, minlength=5)
    assert np.ptp(sizes) < 0.1 * sizes.mean()
    assert np.ptp(np.bincount(folds, y) / sizes) < 0.08
    assert np.array_equal(again, folds)
    assert not np.array_equal(other, folds)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([0, 1, 2], r"groups must have shape \(6,\), one entry for each row, got \(3,\)"),
        (np.zeros((6, 1)), r"groups must have shape \(6,\), one entry for each row, got \(6, 1\)"),
        ("patient", r"groups must have shape \(6,\), one entry for each row, got \(\)"),
        (
            ["a", "b", None, "c", np.nan, "a"],
            "groups: missing in 2 of 6 rows, the first is row 2; each row needs a group",
        ),
        ([1.0, 2.0, 3.0, np.nan, 1.0, 2.0], "groups: missing in 1 of 6 rows, the first is row 3"),
        ([1, 1, 1, 1, 1, 2], "groups: rows with a positive weight have only one group; at least 2 groups are needed"),
    ],
)
def test_groups_that_are_none_are_one_line(groups, said):
    with pytest.raises(ValueError, match=said):
        small().fit(np.arange(12).reshape(6, 2), [0, 1] * 3, sample_weight=[1, 1, 1, 1, 1, 0], groups=groups)


@pytest.mark.parametrize("asked", [True, False])
def test_groups_are_routed_to_fit(asked):
    X, y, groups = patients(40)
    alone = small().fit(X, y > 0, groups=groups)
    with config_context(enable_metadata_routing=True):
        clf = small().set_fit_request(groups=True) if asked else small()
        pipeline = make_pipeline(StandardScaler(), clf)
        assert pipeline.fit(X, y > 0, groups=groups)[-1].n_groups_ == 40
        found = cross_validate(pipeline, X, y > 0, params={"groups": groups}, cv=GroupKFold(4), return_estimator=True)
    assert [fitted[-1].n_groups_ for fitted in found["estimator"]] == [30] * 4
    assert make_pipeline(clf).fit(X, y > 0, rotastackclassifier__groups=groups)[-1].oob_score_ == alone.oob_score_
