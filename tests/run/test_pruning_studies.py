"""What a study may say of pruning and of own combiners, what of it is refused before anything runs, and the model made of it."""

import re

import pandas as pd
import pytest
from sklearn.datasets import load_iris
from tests.refusals import refusal
from tests.run.running import checked, combiner_slice, pool_slice, refit_spec, told
from tests.run.test_pruned_methods import BAGS, prune

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.workflow.run.fingerprint import code_of, named_modules
from rotastack.workflow.run.steps.refit import _estimators
from rotastack.workflow.study.building import make
from rotastack.workflow.study.catalogue import PRUNERS


def study(methods, pools=None, protocol=None):
    pools = pools or {
        "p": {"estimator": "rotation_forest", "parameters": BAGS},
        "j": {"estimator": "c45"},
        "b": {"estimator": "adaboost_m1"},
    }
    content = {
        "name": "s",
        "datasets": ["iris"],
        "protocol": protocol or {"kind": "holdout"},
        "pools": pools,
        "methods": {"J": {"pool": "j", "combiner": {"kind": "vote"}}, **methods},
    }
    return checked(content)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"pool": "j", "combiner": {"kind": "prune"}}, "C45Classifier has no members that vote"),
        ({"pool": "p", "combiner": {"kind": "prune", "pruner": "kapa"}}, "'kapa' is unknown; did you mean 'kappa'"),
        (
            {"pool": "p", "combiner": prune("kappa", v=0.5)},
            "'v' is not a parameter of KappaPruner.*allowed: n_select, vote",
        ),
        (
            {"pool": "p", "combiner": prune("none", vote="loud")},
            "parameters: The 'vote' parameter of AllMembers must be a str among .*Got 'loud'",
        ),
        (
            {"pool": "p", "combiner": prune("qmm", v="emargin")},
            "parameters: v='emargin' needs the parameter hypothesis_size",
        ),
        (
            {"pool": "p", "combiner": prune("kappa", n_select=0)},
            "parameters: The 'n_select' parameter of KappaPruner must be an int",
        ),
        (
            {"pool": "b", "combiner": prune(selection="oob")},
            "selection: the members of AdaBoostM1Classifier have no out-of-bag rows",
        ),
        (
            {"pool": "p", "combiner": prune("kappa", n_select=13)},
            "n_select: 13 is more than the 12 members of the pool",
        ),
        (
            {"pool": "p", "combiner": {"kind": "prune", "n_select": 3}},
            "unknown key 'n_select'; did you mean 'selection'",
        ),
        ({"pool": "p", "combiner": prune("sklearn.svm.SVC")}, "SVC is not a pruner: method kept_shares is missing"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_runs(method, message):
    assert re.search(message, refusal(study, {"A": method}))


NAIVE, NEAREST = {"class": "naive_bayes"}, {"class": "nearest_neighbors"}
VOTE, SIZED, NOISY = {"kind": "vote"}, {"kind": "member", "member": "2"}, {"estimator": "c45", "noise": {"labels": 0.1}}


@pytest.mark.parametrize(
    ("pool", "combiner", "protocol", "message"),
    [
        (
            {"estimator": "bagging", "parameters": {"estimator": NEAREST}, "diversity": True},
            VOTE,
            {},
            "diversity: BaggingClassifier has no trees that vote",
        ),
        (
            {"estimator": "adaboost_m1", "parameters": {"estimator": NEAREST}},
            VOTE,
            {},
            "KNeighborsClassifier.fit has no parameter sample_weight; set resample=True",
        ),
        (
            {"estimator": "rotation_forest", "parameters": {"estimator": NAIVE}},
            VOTE,
            {},
            "estimator must be a tree .*got GaussianNB",
        ),
        (
            {"estimator": "random_subspace", "parameters": {"n_estimators": 5}, "ensemble_sizes": [2]},
            VOTE,
            {},
            "K.combiner: the pool has ensemble_sizes; use combiner member, with one of the sizes",
        ),
        (
            {"estimator": "forest", "parameters": {"n_estimators": 5}, "ensemble_sizes": [2, 6]},
            SIZED,
            {},
            "pools.k.ensemble_sizes: ForestClassifier does not average its members",
        ),
        (
            {"estimator": "random_subspace", "parameters": {"n_estimators": 5}, "ensemble_sizes": [2, 6]},
            SIZED,
            {},
            "pools.k.ensemble_sizes: 6 is more than the 5 members of the estimator",
        ),
        (
            {"estimator": "rotation_forest", "parameters": BAGS},
            {"kind": "prune"},
            {"kind": "nested", "folds": 5},
            "prune needs splits",
        ),
        (
            {"estimator": "lda"},
            VOTE,
            {"kind": "hold-out"},
            "protocol.kind: 'hold-out' is not one of nested, holdout, crossval, given; did you mean 'holdout'",
        ),
        (NOISY, VOTE, {"kind": "nested"}, "pools.k: noise is for splits only"),
    ],
)
def test_pools_that_do_not_fit(pool, combiner, protocol, message):
    pools = {"j": {"estimator": "c45"}, "k": pool}
    assert re.search(message, refusal(study, {"K": {"pool": "k", "combiner": combiner}}, pools, protocol))


@pytest.mark.parametrize("name", PRUNERS)
def test_the_module_of_a_pruner_counts(name):
    content = combiner_slice(prune(name))
    assert type(make(content)).__module__ in named_modules("combine", content.content())


def refitted(pool, combiner, y=None, **options):
    """Return what the step would fit to iris."""
    frame = pd.DataFrame(load_iris().data).rename(columns=str)
    spec = refit_spec(pool, combiner, folds=5, **options)
    preprocessor, model = _estimators(spec, spec.methods["A"], TablePreprocessor(), frame)
    model.set_params(random_state=0)
    y = load_iris().target if y is None else y
    return model.fit(preprocessor.transform(frame), y), preprocessor.transform(frame)


def test_the_refitted_model_of_a_table_estimator_keeps_its_threshold():
    vote = {"kind": "vote", "scoring": "balanced_accuracy"}
    model, _ = refitted(
        pool_slice("hist_gradient_boosting", {"max_iter": 3}), vote, (load_iris().target == 1).astype(int)
    )
    assert [type(c).__name__ for c in model.combiners_] == ["Voting"] * 5
    assert all(0 < c.best_threshold_ < 1 for c in model.combiners_)


def test_the_refitted_model_is_pruned():
    model, X = refitted(pool_slice("rotation_forest", BAGS), prune("kappa", "oob", n_select=4))
    assert len(model.pool_.members[0].model.estimator.voters_) == 4
    assert model.score(X, load_iris().target) > 0.9


# Combiners that a study names by their class


def study_of_one(combiner, protocol=None):
    return study({"A": {"pool": "j", "combiner": combiner}}, protocol=protocol or {"kind": "nested"})


def test_a_class_is_built_with_its_parameters_and_its_module_counts():
    made = study_of_one({"kind": "other", "class": "Voting", "parameters": {"voting": "hard"}})
    spec = made.methods["A"].combiner
    assert spec.content() == {
        "kind": "other",
        "class": "rotastack.combine.voting.Voting",
        "parameters": {"voting": "hard"},
    }
    assert make(spec).voting == "hard"
    assert list(named_modules("combine", spec.content())) == ["rotastack.combine.voting"]
    assert not made.has_second_level("j")
    assert len({code_of("combine", told(made, "combine", "iris", label).content()) for label in "AJ"}) == 1


def test_the_class_tells_whether_it_is_trained():
    stacking = {"kind": "other", "class": "Stacking", "parameters": {"estimator": {"class": "logistic"}}}
    assert study_of_one(stacking).has_second_level("j")
    assert "other needs nested cross-validation" in refusal(study_of_one, stacking, {"kind": "holdout"})


def test_a_combiner_of_another_module_that_is_not_trained_needs_no_fit():
    combiner = {"kind": "other", "class": "tests.study.strange.NoNumbers"}
    for protocol in ({"kind": "nested"}, {"kind": "holdout"}):
        assert not study_of_one(combiner, protocol).has_second_level("j")


def test_a_vote_with_a_score_is_trained():
    for vote in (
        {"kind": "vote", "scoring": "accuracy"},
        {"kind": "other", "class": "Voting", "parameters": {"scoring": "accuracy"}},
    ):
        assert study_of_one(vote).has_second_level("j")
        assert re.search(
            "A.combiner: .* needs nested cross-validation", refusal(study_of_one, vote, {"kind": "holdout"})
        )
    assert study_of_one({"kind": "vote"}).methods["A"].combiner.parameters == {"voting": "soft"}


@pytest.mark.parametrize(
    ("combiner", "message"),
    [
        ({"class": "Votin"}, "'Votin' is unknown; did you mean 'Voting'"),
        ({"class": "RandomRotation"}, "RandomRotation is not a combiner: method predict_proba is missing"),
        (
            {"class": "LogLinearWeights", "parameters": {"ridge": 0}},
            "parameters: The 'ridge' parameter of LogLinearWeights",
        ),
        ({"class": "BestGroups", "parameters": {"n_best": "all"}}, "parameters: The 'n_best' parameter of BestGroups"),
        ({}, "class"),
    ],
)
def test_mistakes_in_own_combiners_are_named(combiner, message):
    assert re.search(message, refusal(study_of_one, {"kind": "other", **combiner}))
