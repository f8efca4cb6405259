"""Studies that choose among an ensemble's members: votes kept with the pool, cells, and what does not fit."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.datasets import load_iris
from tests.study.running import checked, combine, iris_table, pool_slice, scored, split, step, train
from tests.study.test_splits import seen_rows

from rotastack.combine.pruning import MarginPruner, MDMPruner, QMMPruner
from rotastack.data.preprocessing import TablePreprocessor
from rotastack.errors import RotastackError
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.study.artifacts import read_frame
from rotastack.study.catalogue import PRUNERS
from rotastack.study.making import combiner_modules, make_combiner, make_estimator
from rotastack.study.model import Method
from rotastack.study.protocols.splits.fitting import Ballots, _other_labels, stacked
from rotastack.study.steps.refit import _estimators

BAGS = {"n_estimators": 12, "bootstrap": True}
BOOSTED = {"n_estimators": 15, "estimator": {"class": "tree_stump"}}
BOTH = ["oob", "train"]


def prune(pruner="margin", selection="train", first=None, **parameters):
    """Return a combiner as a study has it."""
    return {
        "kind": "prune",
        "pruner": pruner,
        "parameters": parameters,
        "selection": selection,
        "first": first,
    }


@pytest.fixture
def folder(tmp_path):
    iris_table(tmp_path)
    split(tmp_path)
    return tmp_path


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
    spec = {"protocol": "splits", "seed": 1, "dataset": "d", "kind": "crossval", "repeats": 2, "folds": 7}
    step("folds", folder, spec, {"table": "table"}, {"folds": "folds", "record": "f.json"})
    folds, _ = read_frame(folder / "folds")
    assert list(folds.columns) == [f"S-{k:02d}" for k in range(1, 15)]
    tested = (folds == 0).to_numpy()
    assert (tested[:, :7].sum(axis=1) == 1).all()
    assert (tested[:, 7:].sum(axis=1) == 1).all()
    assert (tested[:, :7] != tested[:, 7:]).any()


def test_folds_of_uneven_size_are_filled_up_and_scored_without(folder):
    spec = {"protocol": "splits", "seed": 1, "dataset": "d", "kind": "crossval", "repeats": 1, "folds": 7}
    step("folds", folder, spec, {"table": "table"}, {"folds": "folds", "record": "f.json"})
    pool = train(folder, "lda", None, tuple(range(7)))
    rows = pool["rows"].values
    assert sorted(rows[rows >= 0]) == list(range(150))
    assert (rows == -1).sum() == rows.size - 150 > 0
    assert np.isnan(pool["proba"].values[:, 0][rows == -1]).all()
    method, record = combine(folder, {"kind": "vote", "voting": "soft"})
    assert record["status"] == "ok"
    scores, curve, record = scored(folder)
    wrong = [
        np.mean(
            method["proba"].values[k][rows[k] >= 0].argmax(axis=1)
            != load_iris().target[rows[k][rows[k] >= 0]]
        )
        for k in range(7)
    ]
    np.testing.assert_allclose(scores["error"], wrong)
    assert curve["rows"].sum() == 150
    assert (curve["rows"] * (1 - curve["accuracy"])).sum() == pytest.approx(150 * np.mean(wrong), abs=2)
    trained = json.loads((folder / "p/pool.run.json").read_text())["metrics"]
    for cost in ("fit_processor_seconds", "predict_processor_seconds"):
        assert len(trained[cost]) == 7
        assert record["metrics"][cost] == {"M": pytest.approx(np.median(trained[cost]))}


def test_votes_are_those_of_the_estimator(folder):
    pool = train(folder, "rotation_forest", BAGS, selections=BOTH)
    plain = train(folder, "rotation_forest", BAGS, name="plain")
    np.testing.assert_array_equal(pool["proba"], plain["proba"])
    assert "votes" not in plain
    votes, classes, out, test_votes, _truth = by_hand(folder, pool, 1)
    assert votes.shape == (90, 12)
    assert test_votes.shape == (60, 12)
    assert (votes == classes[:, None])[~out].mean() > 0.95
    assert 0.25 < out.mean() < 0.5
    estimator = make_estimator(pool_slice("rotation_forest", BAGS)).set_params(
        random_state=integer_seed(child(root_sequence(1), "train", "d", "p", 1)), categorical_features=[4, 5]
    )
    folds, _ = read_frame(folder / "folds")
    mask = folds.iloc[:, 1].to_numpy() == 1
    seen = seen_rows(mask)
    estimator.fit(seen[mask], load_iris().target[mask])
    np.testing.assert_array_equal(estimator.tree_votes(seen[~mask]), test_votes)
    np.testing.assert_array_equal(estimator.forest_.out_of_bag(90), out)


@pytest.mark.parametrize("selection", ["oob", "train", "test"])
def test_a_pruned_method_is_the_pruner_itself(folder, selection):
    pool = train(folder, "rotation_forest", BAGS, selections=BOTH)
    method, record = combine(folder, prune("mdm", selection, n_select=None, p="moving"))
    assert record["status"] == "ok"
    for i in range(4):
        votes, classes, out, test_votes, truth = by_hand(folder, pool, i)
        if selection == "test":
            pruner = MDMPruner(None, p="moving").fit(test_votes, truth, classes=range(3))
        else:
            chosen_by = np.where(out, votes, -1) if selection == "oob" else votes
            pruner = MDMPruner(None, p="moving").fit(chosen_by, classes, classes=range(3))
        said = method["proba"].values[i]
        np.testing.assert_allclose(said, pruner.predict_proba(test_votes))
        assert method["members"].values[i] == pruner.n_selected_
        assert method["voters"].values[i] == 12
        np.testing.assert_allclose(
            method["curve"].values[i, 1, pruner.n_selected_ - 1], np.mean(said.argmax(axis=1) != truth)
        )
        if selection != "test":
            np.testing.assert_allclose(method["curve"].values[i, 0], pruner.curve_)


def test_all_members_vote_with_pruner_none_and_the_first_of_them_with_first(folder):
    pool = train(folder, "rotation_forest", BAGS, selections=["train"])
    whole, _ = combine(folder, prune("none"))
    few, _ = combine(folder, prune("none", first=1))
    votes = pool["votes"].values
    assert (few["proba"].values.argmax(axis=2) == votes[:, :, 0]).all()
    counts = np.stack([(votes == c).sum(axis=2) for c in range(3)], axis=2)
    clear = (counts == counts.max(axis=2, keepdims=True)).sum(axis=2) == 1
    assert (whole["proba"].values.argmax(axis=2) == counts.argmax(axis=2))[clear].all()
    assert (few["voters"] == 1).all()
    assert np.isnan(few["disagreement"]).all()
    assert set(whole.dims) >= {"margin", "part"}
    assert "curve" not in whole
    cdf = whole["margin_cdf"].values
    assert (np.diff(cdf, axis=2) >= 0).all()
    assert (cdf[:, :, -1] == 1).all()


def test_facts_of_the_members_kept(folder):
    pool = train(folder, "rotation_forest", BAGS, selections=["train"])
    method, _ = combine(folder, prune())
    for i in range(4):
        votes, classes, _, test_votes, truth = by_hand_train(folder, pool, i)
        pruner = MarginPruner().fit(votes, classes, classes=range(3))
        kept = pruner.selected_
        right = test_votes[:, kept] == truth[:, None]
        assert method["member_accuracy"].values[i] == pytest.approx(right.mean())
        pairs = [(right[:, a] != right[:, b]).mean() for a in range(len(kept)) for b in range(a)]
        expected = np.mean(pairs) if pairs else np.nan
        np.testing.assert_allclose(method["disagreement"].values[i], expected)
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
    pool = train(folder, "adaboost_m1", BOOSTED, selections=["train"])
    sizes = np.isfinite(pool["voter_weights"].values).sum(axis=1)
    assert sizes.max() == pool.sizes["voter"] <= 15
    method, record = combine(folder, prune("qmm"))
    assert record["status"] == "ok"
    assert method["voters"].values.tolist() == sizes.tolist()
    weighted, _ = combine(folder, prune("none", vote="weighted"))
    np.testing.assert_allclose(weighted["proba"].values, pool["proba"].values[:, 0], atol=1e-5)
    i = int(sizes.argmax())
    votes, classes, _, test_votes, _ = by_hand_train(folder, pool, i)
    pruner = QMMPruner().fit(votes, classes, weights=pool["voter_weights"].values[i], classes=range(3))
    np.testing.assert_allclose(method["proba"].values[i], pruner.predict_proba(test_votes), atol=1e-6)


def test_blocks_make_no_difference(folder):
    combiner = prune("kappa", n_select=0.5)
    train(folder, "adaboost_m1", BOOSTED, selections=["train"])  # of another length in each split
    whole, _ = combine(folder, combiner)
    for k in (0, 2):
        train(folder, "adaboost_m1", BOOSTED, (k, k + 1), f"part{k}", selections=["train"])
    parts, _ = combine(folder, combiner, ("part0", "part2"))
    xr.testing.assert_equal(whole, parts)


def test_noise_is_the_same_for_all_pools_and_only_in_training_rows(folder):
    kept = {"selections": ["train"]}
    clean = train(folder, "rotation_forest", BAGS, **kept)
    noisy = train(folder, "rotation_forest", BAGS, noise={"labels": 0.2}, **kept)
    other = train(folder, "bagged_c45", {"n_estimators": 5}, noise={"labels": 0.2}, **kept)
    more = train(folder, "rotation_forest", BAGS, noise={"labels": 0.3}, **kept)
    changed = noisy["training_classes"].values != clean["training_classes"].values
    assert (changed.sum(axis=1) == 18).all()
    np.testing.assert_array_equal(noisy["training_classes"], other["training_classes"])
    also = more["training_classes"].values != clean["training_classes"].values
    assert (also.sum(axis=1) == 27).all()
    assert also[changed].all()
    np.testing.assert_array_equal(noisy["rows"], clean["rows"])
    fuzzy = train(folder, "rotation_forest", BAGS, noise={"features": 0.5}, **kept)
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
        "p": {"estimator": "rotation_forest", "parameters": BAGS},
        "j": {"estimator": "c45"},
        "b": {"estimator": "adaboost_m1"},
    }
    content = {
        "name": "s", "datasets": ["iris"], "protocol": protocol or {"kind": "holdout"}, "pools": pools,
        "methods": {"J": {"pool": "j", "combiner": {"kind": "vote"}}, **methods},
    }  # fmt: skip
    return checked(content)


def test_defaults_of_pruned_methods():
    made = study({
        "A": {"pool": "p", "combiner": {"kind": "prune"}},
        "B": {"pool": "b", "combiner": {"kind": "prune", "pruner": "drep"}},
    }, protocol={"kind": "crossval"})  # fmt: skip
    combiner = made.methods["A"].combiner
    assert (combiner.pruner, combiner.parameters, combiner.selection, combiner.first) == (
        "margin",
        {},
        None,
        None,
    )
    assert made.document.protocol.dump() == {"rotations": 8, "kind": "crossval", "repeats": 1, "folds": 10}
    assert made.protocol.n_cells == 10
    assert [made.selections_of(pool) for pool in "pbj"] == [["auto"], ["auto"], []]
    assert made.train_spec("iris", "p", "S-01")["selections"] == ["auto"]


def test_without_a_selection_members_are_chosen_out_of_bag_where_they_have_bags(folder):
    train(folder, "rotation_forest", BAGS, selections=["auto"])
    xr.testing.assert_equal(
        combine(folder, prune(selection=None))[0], combine(folder, prune(selection="oob"))[0]
    )
    boosted = train(folder, "adaboost_m1", BOOSTED, selections=["auto"])
    assert "out_of_bag" not in boosted
    xr.testing.assert_equal(
        combine(folder, prune(selection=None))[0], combine(folder, prune(selection="train"))[0]
    )


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"pool": "j", "combiner": {"kind": "prune"}}, "C45Classifier has no members that vote"),
        ({"pool": "p", "combiner": {"kind": "prune", "pruner": "kapa"}}, "'kapa' is unknown; did you mean 'kappa'"),
        ({"pool": "p", "combiner": prune("kappa", v=0.5)}, "'v' is not a parameter of KappaPruner.*there are n_select, vote"),
        ({"pool": "p", "combiner": prune("lp", vote="simple")}, "'vote' is not a parameter of LPPruner"),
        ({"pool": "p", "combiner": prune("kappa", n_select="many")}, "parameters: n_select of KappaPruner must be int or float or null, found 'many'"),
        ({"pool": "p", "combiner": prune("none", vote="loud")}, "parameters: vote must be 'simple' or 'weighted', got 'loud'"),
        ({"pool": "b", "combiner": prune(selection="oob")}, "selection: the members of AdaBoostM1Classifier have no out-of-bag rows"),
        ({"pool": "p", "combiner": prune("kappa", n_select=13)}, "n_select: 13 members are wanted of 12"),
        ({"pool": "p", "combiner": prune("none", first=13)}, "the pool has 12 members, not 13"),
        ({"pool": "p", "combiner": {"kind": "vote", "pruner": "kappa"}}, "unknown key 'pruner'"),
        ({"pool": "p", "combiner": {"kind": "prune", "n_select": 3}}, "'n_select' of earlier editions is now a parameter of the pruner"),
        ({"pool": "p", "combiner": prune("sklearn.svm.SVC")}, "SVC is no pruner: it has no method combine"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_anything_runs(method, message):
    with pytest.raises(RotastackError, match=message):
        study({"A": method})


NAIVE, NEAREST = {"class": "naive_bayes"}, {"class": "nearest_neighbors"}


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ({"estimator": "bagging", "parameters": {"estimator": NEAREST}, "diversity": True}, "diversity: BaggingClassifier has no trees that vote"),
        ({"estimator": "adaboost_m1", "parameters": {"estimator": NEAREST}}, "fit of KNeighborsClassifier takes no sample_weight; use resample=True"),
        ({"estimator": "rotation_forest", "parameters": {"estimator": NAIVE}}, "estimator must be a tree .*got GaussianNB"),
        ({"estimator": "random_subspace", "parameters": {"n_estimators": 5}, "ensemble_sizes": [2]}, "K.combiner: its pool has ensemble_sizes; combiner member takes one of them"),
    ],
)  # fmt: skip
def test_estimators_within_that_do_not_fit(pool, message):
    with pytest.raises(RotastackError, match=message):
        study({"K": {"pool": "k", "combiner": {"kind": "vote"}}}, {"j": {"estimator": "c45"}, "k": pool})


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ({"estimator": "forest", "parameters": {"n_estimators": 5}}, "ForestClassifier has no members whose mean decides"),
        ({"estimator": "random_subspace", "parameters": {"n_estimators": 5}}, "6 members are wanted; the estimator has 5"),
    ],
)  # fmt: skip
def test_ensemble_sizes_that_do_not_fit(pool, message):
    pools = {"j": {"estimator": "c45"}, "k": {**pool, "ensemble_sizes": [2, 6]}}
    with pytest.raises(RotastackError, match=f"pools.k.ensemble_sizes: {message}"):
        study({"K": {"pool": "k", "combiner": {"kind": "member", "member": "2"}}}, pools)


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        ({"kind": "nested", "folds": 5}, r"prune needs splits"),
        ({"kind": "crossval", "train": 0.7}, "protocol: unknown key 'train'"),
        ({"kind": "holdout", "folds": 5}, "protocol: unknown key 'folds'"),
        ({"kind": "hold-out"}, "protocol.kind: 'hold-out' is not one of nested, holdout, crossval; did you mean 'holdout'"),
    ],
)  # fmt: skip
def test_protocols_that_do_not_fit(protocol, message):
    with pytest.raises(RotastackError, match=message):
        study({"A": {"pool": "p", "combiner": {"kind": "prune"}}}, protocol=protocol)


def test_noise_needs_splits():
    pools = {"j": {"estimator": "c45", "noise": {"labels": 0.1}}, "k": {"estimator": "lda"}}
    with pytest.raises(RotastackError, match="pools.j: noise goes with random splits only"):
        study({"K": {"pool": "k", "combiner": {"kind": "vote"}}}, pools, {"kind": "nested"})


def combiner_slice(combiner):
    return Method.read({"pool": "p", "combiner": combiner}, "m").combiner.resolved()


@pytest.mark.parametrize("name", PRUNERS)
def test_every_pruner_of_a_study_can_be_made(name):
    given = {"margin": {"lambda_": 0.5}, "lasso": {"lambda_": 0.5}}.get(name, {})
    content = combiner_slice(prune(name, **given))
    made = make_combiner(content)
    assert hasattr(made, "fit")
    assert type(made).__module__ in combiner_modules(content)
    if given:
        assert made.lambda_ == 0.5
        assert made.size == ("nonzero" if name == "lasso" else "best")


def refitted(pool, combiner):
    """Return what the step would fit to iris."""
    frame = pd.DataFrame(load_iris().data).rename(columns=str)
    method = {"pool": pool, "combiner": combiner_slice(combiner)}
    spec = {"protocol": "splits", "folds": 5, "rotations": 3}
    preprocessor, model = _estimators(spec, method, TablePreprocessor(), frame)
    model.set_params(random_state=0)
    return model.fit(preprocessor.transform(frame), load_iris().target), preprocessor.transform(frame)


def test_the_refitted_model_is_pruned():
    model, X = refitted(pool_slice("rotation_forest", BAGS), prune("kappa", "oob", n_select=4))
    inner = model.pool_.members[0].model.estimator
    assert len(inner.voters_) == 4
    assert model.score(X, load_iris().target) > 0.9


def test_the_refitted_ensemble_has_the_size_of_its_method():
    pool = pool_slice("random_subspace", {"n_estimators": 9}, ensemble_sizes=[2, 5])
    model, _ = refitted(pool, {"kind": "member", "member": "5"})
    assert len(model.pool_.members[0].model.estimator.pool_.members) == 5
