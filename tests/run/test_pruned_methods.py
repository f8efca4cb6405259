"""Studies that choose among an ensemble's members: votes kept with the pool, and cells."""

import json

import numpy as np
import pytest
import xarray as xr
from sklearn.datasets import load_iris
from tests.quick import first
from tests.run.running import combine, draw, pool_slice, scored, train
from tests.run.test_splits import seen_rows

from rotastack.combine.pruning import MarginPruner, MDMPruner, QMMPruner
from rotastack.data.artifacts import read_frame
from rotastack.diagnostics import c_bound, linear_bound, margin_bound, margins, mean_disagreement
from rotastack.resampling.weka import weka_folds
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.workflow.study.building import make_estimator
from rotastack.workflow.study.names import MEASURES_OF_PRUNING, MEASURES_OF_TRAINING

BAGS = {"n_estimators": 12, "bootstrap": True}
BOOSTED = {"n_estimators": 15, "estimator": {"class": "tree_stump"}}
BOTH = ["oob", "train"]


def prune(pruner="margin", selection="train", first=None, **parameters):
    """Return a combiner as a study has it."""
    return {"kind": "prune", "pruner": pruner, "parameters": parameters, "selection": selection, "first": first}


def by_hand(folder, pool, i):
    """Return training votes, their classes, out-of-bag rows where known, test votes and the truth of one training."""
    y = load_iris(return_X_y=True)[1]
    folds, _ = read_frame(folder / "folds")
    test = np.flatnonzero(folds.iloc[:, i].to_numpy() == 0)
    return (
        pool["training_votes"].values[i],
        pool["training_classes"].values[i],
        pool["out_of_bag"].values[i] > 0 if "out_of_bag" in pool else None,
        pool["votes"].values[i],
        y[test],
    )


def test_folds_of_uneven_size_are_filled_up_and_scored_without(folder):
    """Here those of Weka."""
    draw(folder, {"protocol": "splits", "kind": "crossval", "repeats": 1, "folds": 7, "weka_seed": 1})
    tested = (read_frame(folder / "folds")[0] == 0).to_numpy()
    assert (tested.argmax(axis=1) == weka_folds(load_iris().target, 7, 1)).all()
    pool = train(folder, "lda", None, tuple(range(7)))
    rows = pool["rows"].values
    assert sorted(rows[rows >= 0]) == list(range(150))
    assert (rows == -1).sum() == rows.size - 150 > 0
    assert np.isnan(pool["proba"].values[:, 0][rows == -1]).all()
    method, record = combine(folder, {"kind": "vote", "voting": "soft"})
    scores, curve, record = scored(folder)
    wrong = [
        np.mean(method["proba"].values[k][rows[k] >= 0].argmax(axis=1) != load_iris().target[rows[k][rows[k] >= 0]])
        for k in range(7)
    ]
    np.testing.assert_allclose(scores["error"], wrong)
    assert curve["rows"].sum() == 150
    assert (curve["rows"] * (1 - curve["accuracy"])).sum() == pytest.approx(150 * np.mean(wrong), abs=2)
    trained = json.loads((folder / "p/pool.run.json").read_text())["metrics"]
    for cost in ("fit_processor_seconds", "predict_processor_seconds"):
        assert record["metrics"][cost] == {"M": pytest.approx(np.median(trained[cost]))}


def test_votes_are_those_of_the_estimator(folder):
    pool = train(folder, "rotation_forest", BAGS, selections=BOTH)
    plain = train(folder, "rotation_forest", BAGS, name="plain")
    np.testing.assert_array_equal(pool["proba"], plain["proba"])
    assert "votes" not in plain
    votes, classes, out, test_votes, _truth = by_hand(folder, pool, 1)
    assert (votes == classes[:, None])[~out].mean() > 0.95
    estimator = make_estimator(pool_slice("rotation_forest", BAGS)).set_params(
        random_state=integer_seed(child(root_sequence(1), "train", "d", "p", 1)), categorical_features=[4, 5]
    )
    folds, _ = read_frame(folder / "folds")
    mask = folds.iloc[:, 1].to_numpy() == 1
    seen = seen_rows(mask)
    estimator.fit(seen[mask], load_iris().target[mask])
    np.testing.assert_array_equal(estimator.tree_votes(seen[~mask]), test_votes)
    np.testing.assert_array_equal(estimator.forest_.out_of_bag(90), out)


@pytest.mark.parametrize("selection", first(1, ["oob", "train", "test"]))
def test_a_pruned_method_is_the_pruner_itself(folder, selection):
    pool = train(folder, "rotation_forest", BAGS, selections=BOTH)
    method, _ = combine(folder, prune("mdm", selection, n_select=None, p="moving"))
    for i in range(4):
        votes, classes, out, test_votes, truth = by_hand(folder, pool, i)
        if selection == "test":
            pruner = MDMPruner(None, p="moving").fit(test_votes, truth, classes=range(3))
        else:
            chosen_by = np.where(out, votes, -1) if selection == "oob" else votes
            pruner = MDMPruner(None, p="moving").fit(chosen_by, classes, classes=range(3))
        said = method["proba"].values[i]
        np.testing.assert_allclose(said, pruner.predict_proba(test_votes))
        assert (method["members"].values[i], method["voters"].values[i]) == (pruner.n_selected_, 12)
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
    assert np.isnan(few["disagreement"]).all()
    assert "curve" not in whole
    cdf = whole["margin_cdf"].values
    assert (np.diff(cdf, axis=2) >= 0).all()
    assert (cdf[:, :, -1] == 1).all()


def test_facts_of_the_members_kept(folder):
    pool = train(folder, "rotation_forest", BAGS, selections=["train"])
    method, _ = combine(folder, prune())
    of_splits = {name for name, values in method.data_vars.items() if values.dims == ("split",)}
    assert (
        set(MEASURES_OF_PRUNING) <= of_splits <= {*MEASURES_OF_PRUNING, *MEASURES_OF_TRAINING}
    )  # a claim may be on these
    for i in range(4):
        votes, classes, _, test_votes, truth = by_hand(folder, pool, i)
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
        chosen, tested = margins(votes[:, kept], classes), margins(test_votes[:, kept], truth)
        weights = np.full(len(kept), 1 / len(kept))
        differ = mean_disagreement(votes[:, kept], classes)
        size = len(kept) * np.sqrt(1 / 90 + 89 / 90 * (1 - 2 * np.nan_to_num(differ)))
        assert method["c_bound"].values[i] == pytest.approx(c_bound(chosen))
        assert (tested <= 0).mean() <= method["test_c_bound"].values[i] == pytest.approx(c_bound(tested))
        assert method["linear_bound"].values[i] == pytest.approx(linear_bound(chosen, weights))
        if size > 1:
            assert method["diversity_bound"].values[i] == pytest.approx(margin_bound(chosen, size))


@pytest.mark.slow
def test_boosting_that_ends_early_and_its_weights(folder):
    pool = train(folder, "adaboost_m1", BOOSTED, selections=["train"])
    sizes = np.isfinite(pool["voter_weights"].values).sum(axis=1)
    method, _ = combine(folder, prune("qmm"))
    assert method["voters"].values.tolist() == sizes.tolist()
    weighted, _ = combine(folder, prune("none", vote="weighted"))
    np.testing.assert_allclose(weighted["proba"].values, pool["proba"].values[:, 0], atol=1e-5)
    i = int(sizes.argmax())
    votes, classes, _, test_votes, _ = by_hand(folder, pool, i)
    pruner = QMMPruner().fit(votes, classes, weights=pool["voter_weights"].values[i], classes=range(3))
    np.testing.assert_allclose(method["proba"].values[i], pruner.predict_proba(test_votes), atol=1e-6)


@pytest.mark.slow
def test_noise_is_the_same_for_all_pools_and_only_in_training_rows(folder):
    kept = {"selections": ["train"]}
    clean = train(folder, "rotation_forest", BAGS, **kept)
    noisy = train(folder, "rotation_forest", BAGS, noise={"labels": 0.2}, **kept)
    other = train(folder, "bagged_c45", {"n_estimators": 5}, noise={"labels": 0.2}, **kept)
    more = train(folder, "rotation_forest", BAGS, noise={"labels": 0.3}, **kept)
    changed, also = ((pool["training_classes"] != clean["training_classes"]).values for pool in (noisy, more))
    np.testing.assert_array_equal(noisy["training_classes"], other["training_classes"])
    for rows, n in ((changed, 18), (also & changed, 18), (also, 27)):
        assert (rows.sum(axis=1) == n).all()
    np.testing.assert_array_equal(noisy["rows"], clean["rows"])
    fuzzy = train(folder, "rotation_forest", BAGS, noise={"features": 0.5}, **kept)
    assert (fuzzy["training_classes"].values == clean["training_classes"].values).all()
    assert (fuzzy["votes"].values != clean["votes"].values).any()


@pytest.mark.slow
def test_without_a_selection_members_are_chosen_out_of_bag_where_they_have_bags(folder):
    train(folder, "rotation_forest", BAGS, selections=["auto"])
    xr.testing.assert_equal(combine(folder, prune(selection=None))[0], combine(folder, prune(selection="oob"))[0])
    assert "out_of_bag" not in train(folder, "adaboost_m1", BOOSTED, selections=["auto"])
    xr.testing.assert_equal(combine(folder, prune(selection=None))[0], combine(folder, prune(selection="train"))[0])
