"""Studies that choose among an ensemble's members: votes kept with the pool, cells, and what does not fit."""

import json

import numpy as np
import pytest
import xarray as xr
from rotastack.learners.registry import make_learner
from rotastack.study.config import Study
from rotastack.study.training import Ballots, _other_labels, stacked
from sklearn.datasets import load_iris
from tests.study.test_holdout import combine, scored, split, step, table, train  # noqa: F401 (table is a fixture)

from rotastack.combine.pruning import MarginPruner, MDMPruner, QMMPruner
from rotastack.errors import RotastackError
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.study.artifacts import read_frame
from rotastack.study.components import PRUNERS, combine_modules, make_pruner
from rotastack.study.steps import folds_holdout
from rotastack.study.steps.refit import _estimator

BAGS = {"kind": "rotation_forest", "n_trees": 12, "bootstrap": True}
BOTH = ["oob", "train"]


@pytest.fixture
def folder(table):  # noqa: F811
    split(table)
    return table


def by_hand(folder, pool, i):
    """Return training votes, their classes, out-of-bag rows, test votes and the truth of one training."""
    y = load_iris(return_X_y=True)[1]
    folds, _ = read_frame(folder / "folds")
    test = np.flatnonzero(folds.iloc[:, i].to_numpy() == 0)
    return (
        pool["training_votes"].values[i], pool["training_classes"].values[i], pool["out_of_bag"].values[i] > 0,
        pool["votes"].values[i], y[test],
    )  # fmt: skip


def test_cross_validation_tests_each_row_once_per_repeat(folder):
    spec = {"seed": 1, "dataset": "d", "kind": "crossval", "repeats": 2, "folds": 7}
    step(folds_holdout, folder, spec, {"table": "table"}, {"folds": "folds", "record": "f.json"})
    folds, _ = read_frame(folder / "folds")
    assert list(folds.columns) == [f"R-{k:02d}" for k in range(1, 15)]
    tested = (folds == 0).to_numpy()
    assert (tested[:, :7].sum(axis=1) == 1).all()
    assert (tested[:, 7:].sum(axis=1) == 1).all()
    assert (tested[:, :7] != tested[:, 7:]).any()


def test_folds_of_uneven_size_are_filled_up_and_scored_without(folder):
    spec = {"seed": 1, "dataset": "d", "kind": "crossval", "repeats": 1, "folds": 7}
    step(folds_holdout, folder, spec, {"table": "table"}, {"folds": "folds", "record": "f.json"})
    pool = train(folder, {"kind": "lda"}, tuple(range(7)))
    rows = pool["rows"].values
    assert sorted(rows[rows >= 0]) == list(range(150))
    assert (rows == -1).sum() == rows.size - 150 > 0
    assert np.isnan(pool["proba"].values[0, :, 0][rows == -1]).all()
    method, record = combine(folder, {"kind": "vote", "voting": "soft"})
    assert record["status"] == "ok"
    scores, curve, record = scored(folder)
    wrong = [
        np.mean(
            method["proba"].values[0, k][rows[k] >= 0].argmax(axis=1)
            != load_iris().target[rows[k][rows[k] >= 0]]
        )
        for k in range(7)
    ]
    np.testing.assert_allclose(scores["error"], wrong)
    assert curve["rows"].sum() == 150
    assert (curve["rows"] * (1 - curve["accuracy"])).sum() == pytest.approx(150 * np.mean(wrong), abs=2)
    trained = json.loads((folder / "p/RG-01/pool.run.json").read_text())["metrics"]
    for cost in ("fit_processor_seconds", "predict_processor_seconds"):
        assert len(trained[cost]) == 7
        assert record["metrics"][cost] == {"M": pytest.approx(np.median(trained[cost]))}


def test_votes_are_those_of_the_learner(folder):
    pool = train(folder, BAGS, votes=BOTH)
    plain = train(folder, BAGS, name="plain")
    np.testing.assert_array_equal(pool["proba"], plain["proba"])
    assert "votes" not in plain
    votes, classes, out, test_votes, _truth = by_hand(folder, pool, 1)
    assert votes.shape == (90, 12)
    assert test_votes.shape == (60, 12)
    assert (votes == classes[:, None])[~out].mean() > 0.95
    assert 0.25 < out.mean() < 0.5
    learner = make_learner(BAGS).set_params(
        random_state=integer_seed(child(root_sequence(1), "train", "d", "p", 1)), categorical_features=[4, 5]
    )
    folds, _ = read_frame(folder / "folds")
    mask = folds.iloc[:, 1].to_numpy() == 1
    from sklearn.preprocessing import MinMaxScaler

    X, y = load_iris(return_X_y=True)
    level = np.arange(150) % 3
    dummies = np.stack([level == 1, level == 2], axis=1).astype(float)
    seen = np.hstack([MinMaxScaler(clip=True).fit(X[mask]).transform(X), dummies]).astype(np.float32)
    learner.fit(seen[mask], y[mask])
    np.testing.assert_array_equal(learner.tree_votes(seen[~mask]), test_votes)
    np.testing.assert_array_equal(learner.forest_.out_of_bag(90), out)


@pytest.mark.parametrize("selection", ["oob", "train", "test"])
def test_a_pruned_method_is_the_pruner_itself(folder, selection):
    pool = train(folder, BAGS, votes=BOTH)
    combiner = {"kind": "prune", "pruner": "mdm", "n_select": None, "p": "moving", "selection": selection}
    method, record = combine(folder, combiner)
    assert record["status"] == "ok"
    for i in range(4):
        votes, classes, out, test_votes, truth = by_hand(folder, pool, i)
        if selection == "test":
            pruner = MDMPruner(None, p="moving").fit(test_votes, truth, classes=range(3))
        else:
            chosen_by = np.where(out, votes, -1) if selection == "oob" else votes
            pruner = MDMPruner(None, p="moving").fit(chosen_by, classes, classes=range(3))
        said = method["proba"].values[0, i]
        np.testing.assert_allclose(said, pruner.predict_proba(test_votes))
        assert method["members"].values[0, i] == pruner.n_selected_
        assert method["voters"].values[0, i] == 12
        np.testing.assert_allclose(
            method["curve"].values[i, 1, pruner.n_selected_ - 1], np.mean(said.argmax(axis=1) != truth)
        )
        if selection != "test":
            np.testing.assert_allclose(method["curve"].values[i, 0], pruner.curve_)


def test_all_members_vote_with_pruner_none_and_the_first_of_them_with_first(folder):
    pool = train(folder, BAGS, votes=["train"])
    whole, _ = combine(folder, {"kind": "prune", "pruner": "none", "selection": "train"})
    few, _ = combine(folder, {"kind": "prune", "pruner": "none", "selection": "train", "first": 1})
    votes = pool["votes"].values
    assert (few["proba"].values[0].argmax(axis=2) == votes[:, :, 0]).all()
    counts = np.stack([(votes == c).sum(axis=2) for c in range(3)], axis=2)
    clear = (counts == counts.max(axis=2, keepdims=True)).sum(axis=2) == 1
    assert (whole["proba"].values[0].argmax(axis=2) == counts.argmax(axis=2))[clear].all()
    assert (few["voters"] == 1).all()
    assert np.isnan(few["disagreement"]).all()
    assert set(whole.dims) >= {"margin", "part"}
    assert "curve" not in whole
    cdf = whole["margin_cdf"].values
    assert (np.diff(cdf, axis=2) >= 0).all()
    assert (cdf[:, :, -1] == 1).all()


def test_facts_of_the_members_kept(folder):
    pool = train(folder, BAGS, votes=["train"])
    method, _ = combine(folder, {"kind": "prune", "pruner": "margin", "selection": "train"})
    for i in range(4):
        votes, classes, _, test_votes, truth = by_hand_train(folder, pool, i)
        pruner = MarginPruner().fit(votes, classes, classes=range(3))
        kept = pruner.selected_
        right = test_votes[:, kept] == truth[:, None]
        assert method["member_accuracy"].values[0, i] == pytest.approx(right.mean())
        pairs = [(right[:, a] != right[:, b]).mean() for a in range(len(kept)) for b in range(a)]
        expected = np.mean(pairs) if pairs else np.nan
        np.testing.assert_allclose(method["disagreement"].values[0, i], expected)
        np.testing.assert_allclose(
            method["order_accuracy"].values[i], (test_votes[:, pruner.order_] == truth[:, None]).mean(axis=0)
        )


def by_hand_train(folder, pool, i):
    y = load_iris(return_X_y=True)[1]
    folds, _ = read_frame(folder / "folds")
    test = np.flatnonzero(folds.iloc[:, i].to_numpy() == 0)
    return (
        pool["training_votes"].values[i],
        pool["training_classes"].values[i],
        None,
        pool["votes"].values[i],
        y[test],
    )


def test_boosting_that_ends_early_and_its_weights(folder):
    pool = train(folder, {"kind": "adaboost_m1", "n_trees": 15, "tree": "stump"}, votes=["train"])
    sizes = np.isfinite(pool["voter_weights"].values).sum(axis=1)
    assert sizes.max() == pool.sizes["voter"] <= 15
    method, record = combine(folder, {"kind": "prune", "pruner": "qmm", "selection": "train"})
    assert record["status"] == "ok"
    assert method["voters"].values[0].tolist() == sizes.tolist()
    weighted, _ = combine(
        folder, {"kind": "prune", "pruner": "none", "vote": "weighted", "selection": "train"}
    )
    np.testing.assert_allclose(weighted["proba"].values[0], pool["proba"].values[0, :, 0], atol=1e-5)
    i = int(sizes.argmax())
    votes, classes, _, test_votes, _ = by_hand_train(folder, pool, i)
    pruner = QMMPruner().fit(votes, classes, weights=pool["voter_weights"].values[i], classes=range(3))
    np.testing.assert_allclose(method["proba"].values[0, i], pruner.predict_proba(test_votes), atol=1e-6)


def test_blocks_make_no_difference(folder):
    combiner = {"kind": "prune", "pruner": "kappa", "n_select": 0.5, "selection": "train"}
    learner = {"kind": "adaboost_m1", "n_trees": 15, "tree": "stump"}  # of another length in each split
    train(folder, learner, votes=["train"])
    whole, _ = combine(folder, combiner)
    for k in (0, 2):
        train(folder, learner, (k, k + 1), f"part{k}", votes=["train"])
    parts, _ = combine(folder, combiner, ("part0", "part2"))
    xr.testing.assert_equal(whole, parts)


def test_noise_is_the_same_for_all_pools_and_only_in_training_rows(folder):
    clean = train(folder, BAGS, votes=["train"])
    noisy = train(folder, BAGS, votes=["train"], noise={"labels": 0.2})
    other = train(folder, {"kind": "bagging", "n_trees": 5}, votes=["train"], noise={"labels": 0.2})
    more = train(folder, BAGS, votes=["train"], noise={"labels": 0.3})
    changed = noisy["training_classes"].values != clean["training_classes"].values
    assert (changed.sum(axis=1) == 18).all()
    np.testing.assert_array_equal(noisy["training_classes"], other["training_classes"])
    also = more["training_classes"].values != clean["training_classes"].values
    assert (also.sum(axis=1) == 27).all()
    assert also[changed].all()
    np.testing.assert_array_equal(noisy["rows"], clean["rows"])
    fuzzy = train(folder, BAGS, votes=["train"], noise={"features": 0.5})
    assert (fuzzy["training_classes"].values == clean["training_classes"].values).all()
    assert (fuzzy["votes"].values != clean["votes"].values).any()


def test_other_labels_are_other_labels():
    y = np.random.default_rng(0).integers(0, 4, 100)
    noisy = _other_labels(y, 4, 1.0, np.random.default_rng(1))
    assert (noisy != y).all()
    assert set(noisy) == {0, 1, 2, 3}
    assert (_other_labels(y, 4, 0.0, np.random.default_rng(1)) == y).all()


def test_trainings_of_different_sizes_are_filled_up():
    def ballots(n_test, n_train, n_voters):
        return Ballots(
            np.ones((n_test, n_voters), np.int16), np.ones((n_train, n_voters), np.int16),
            np.ones(n_train, np.intp), np.ones((n_train, n_voters), bool), np.full(n_voters, 0.5),
        )  # fmt: skip

    variables = stacked([ballots(3, 7, 2), ballots(2, 8, 4)], 3)
    assert variables["votes"][1][0].tolist() == [[1, 1, -1, -1]] * 3
    assert variables["votes"][1][1].tolist() == [[1] * 4] * 2 + [[-1] * 4]
    assert variables["training_classes"][1].tolist() == [[1] * 7 + [-1], [1] * 8]
    assert np.isnan(variables["voter_weights"][1][0]).tolist() == [False, False, True, True]
    assert stacked([], 3) == {}


def study(methods, pools=None, protocol=None):
    pools = pools or {
        "p": {"learner": BAGS},
        "j": {"learner": {"kind": "c45"}},
        "b": {"learner": {"kind": "adaboost_m1"}},
    }
    content = {
        "name": "s", "datasets": ["iris"], "protocol": protocol or {"kind": "holdout"}, "pools": pools,
        "methods": {"J": {"pool": "j", "combiner": {"kind": "vote"}}, **methods},
    }  # fmt: skip
    return Study.from_mapping(content, "s.yaml")


def test_defaults_of_pruned_methods():
    made = study({
        "A": {"pool": "p", "combiner": {"kind": "prune"}},
        "B": {"pool": "b", "combiner": {"kind": "prune", "pruner": "drep"}},
    }, protocol={"kind": "crossval"})  # fmt: skip
    assert made.methods["A"]["combiner"] == {"kind": "prune", "pruner": "margin", "selection": "oob"}
    assert made.methods["B"]["combiner"]["selection"] == "train"
    assert made.content["protocol"] == {"kind": "crossval", "repeats": 1, "folds": 10}
    assert made.n_splits == 10
    assert made.is_holdout
    assert (made.votes_of("p"), made.votes_of("b"), made.votes_of("j")) == (["oob"], ["train"], [])
    assert made.train_spec("iris", "p", "RG-01", "R-01")["pool"]["votes"] == ["oob"]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"pool": "j", "combiner": {"kind": "prune"}}, "c45 has no members that vote"),
        ({"pool": "p", "combiner": {"kind": "prune", "pruner": "kapa"}}, "pruner: 'kapa'"),
        ({"pool": "p", "combiner": {"kind": "prune", "pruner": "kappa", "v": 0.5}}, "'v' does not go with pruner 'kappa'; it takes n_select, vote"),
        ({"pool": "p", "combiner": {"kind": "prune", "pruner": "lp", "vote": "simple"}}, "it takes nothing"),
        ({"pool": "b", "combiner": {"kind": "prune", "selection": "oob"}}, "adaboost_m1 have no out-of-bag rows"),
        ({"pool": "p", "combiner": {"kind": "prune", "pruner": "kappa", "n_select": 13}}, "13 members are wanted of 12"),
        ({"pool": "p", "combiner": {"kind": "prune", "pruner": "none", "first": 13}}, "the pool has 12 members, not 13"),
        ({"pool": "p", "combiner": {"kind": "vote", "pruner": "kappa"}}, "'pruner' does not go with kind 'vote'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_anything_runs(method, message):
    with pytest.raises(RotastackError, match=message):
        study({"A": method})


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ({"learner": {"kind": "bagging", "base": "nn"}, "diversity": True}, "diversity: bagging has trees that vote with base j48 only"),
        ({"learner": {"kind": "adaboost_m1", "tree": "stump", "base": "nb"}}, "pools.k.learner: tree and base exclude each other"),
        ({"learner": {"kind": "adaboost_m1", "base": "nn"}}, "base nn takes no weights of rows; it needs resample: true"),
        ({"learner": {"kind": "rotation_forest", "tree": "stump", "base": "nb"}}, "pools.k.learner: tree and base exclude each other"),
        ({"learner": {"kind": "rotation_forest", "base": "nb"}, "diversity": True}, "diversity: rotation_forest has trees that vote with base j48 only"),
        ({"learner": {"kind": "forest", "n_trees": 5}, "sizes": [2]}, "sizes: forest has no members whose mean decides"),
        ({"learner": {"kind": "random_subspace", "n_estimators": 5}, "sizes": [2, 6]}, "sizes: 6 members are wanted; the learner has 5"),
        ({"learner": {"kind": "random_subspace"}, "sizes": [2]}, "2 members are wanted; the learner says nothing of its number; give it n_estimators"),
        ({"learner": {"kind": "random_subspace", "n_estimators": 5}, "sizes": [2]}, "K.combiner: its pool has sizes; combiner member takes one of them"),
    ],
)  # fmt: skip
def test_bases_that_do_not_fit(pool, message):
    with pytest.raises(RotastackError, match=message):
        study(
            {"K": {"pool": "k", "combiner": {"kind": "vote"}}}, {"j": {"learner": {"kind": "c45"}}, "k": pool}
        )


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        ({"kind": "nested", "folds": 5}, r"prune needs splits"),
        ({"kind": "crossval", "train": 0.7}, "'train' does not go with kind 'crossval'"),
        ({"kind": "holdout", "folds": 5}, "'folds' does not go with kind 'holdout'"),
    ],
)
def test_protocols_that_do_not_fit(protocol, message):
    with pytest.raises(RotastackError, match=message):
        study({"A": {"pool": "p", "combiner": {"kind": "prune"}}}, protocol=protocol)


def test_noise_needs_splits():
    pools = {"j": {"learner": {"kind": "c45"}, "noise": {"labels": 0.1}}, "k": {"learner": {"kind": "lda"}}}
    with pytest.raises(RotastackError, match="noise go with random splits only"):
        study({"K": {"pool": "k", "combiner": {"kind": "vote"}}}, pools, {"kind": "nested"})


@pytest.mark.parametrize("name", PRUNERS)
def test_every_pruner_of_a_study_can_be_made(name):
    made = make_pruner(
        {"pruner": name, "lambda": 0.5, "vote": "weighted", "n_select": 3, "rho": 0.3, "v": 0.1}
    )
    assert hasattr(made, "fit")
    modules = combine_modules({"kind": "prune", "pruner": name})
    assert type(made).__module__ in modules
    if name in ("margin", "lasso"):
        assert made.lambda_ == 0.5
        assert made.size == ("nonzero" if name == "lasso" else "best")


def test_the_refitted_model_is_pruned():
    method = {
        "pool": {"learner": BAGS, "scaling": "minmax", "sizes": []},
        "combiner": {"kind": "prune", "pruner": "kappa", "n_select": 4, "selection": "oob"},
    }
    X, y = load_iris(return_X_y=True)
    model = (
        _estimator({"holdout": True}, method, np.zeros(4, dtype=bool)).set_params(random_state=0).fit(X, y)
    )
    inner = model.pool_.members[0].model.estimator
    assert len(inner.voters_) == 4
    assert model.score(X, y) > 0.9


def test_the_refitted_ensemble_has_the_size_of_its_method():
    method = {
        "pool": {
            "learner": {"kind": "random_subspace", "n_estimators": 9},
            "scaling": "minmax",
            "sizes": [2, 5],
        },
        "combiner": {"kind": "member", "member": "5"},
    }
    model = _estimator({"holdout": True}, method, np.zeros(4, dtype=bool)).set_params(random_state=0)
    model.fit(*load_iris(return_X_y=True))
    assert len(model.pool_.members[0].model.estimator.pool_.members) == 5
