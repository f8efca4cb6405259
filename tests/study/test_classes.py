"""Estimators and views by their class: what is found, what is refused before anything runs, what is recorded."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from tests.refusals import refusal
from tests.run.running import checked, combine, iris_table, split, train, train_nested

from rotastack.data.artifacts import write_frame
from rotastack.workflow.study import catalogue
from rotastack.workflow.study.classes import check_classes, without_model


def study(pool):
    return checked(
        {
            "name": "s",
            "datasets": ["iris"],
            "protocol": {"kind": "holdout"},
            "pools": {"p": pool, "q": {"estimator": "lda"}},
            "methods": {
                "A": {"pool": "p", "combiner": {"kind": "vote"}},
                "B": {"pool": "q", "combiner": {"kind": "vote"}},
            },
        }
    )


@pytest.mark.parametrize(
    ("pool", "path"),
    [
        (
            {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "parameters": {"n_estimators": 5}},
            "sklearn.ensemble.ExtraTreesClassifier",
        ),
        (
            {
                "estimator": "RotationForestClassifier",
                "parameters": {"estimator": {"class": "TreeClassifier", "parameters": {"max_depth": 2}}},
            },
            "rotastack.ensembles.forests.rotation.RotationForestClassifier",
        ),
        (
            {"estimator": "xgboost.XGBClassifier", "parameters": {"max_depth": 3, "tree_method": "exact"}},
            "xgboost.XGBClassifier",
        ),
        (
            {"estimator": "bagging", "parameters": {"estimator": {"class": "sklearn.svm.SVC"}, "estimator__C": 3}},
            "sklearn.ensemble.BaggingClassifier",
        ),
        (
            {
                "estimator": "PooledEnsembleClassifier",
                "parameters": {
                    "view": {"class": "rotation", "parameters": {"flip": True}},
                    "estimator": {"class": "bagging", "parameters": {"estimator": {"class": "c45"}}},
                },
            },
            "rotastack.ensembles.pooled.classifier.PooledEnsembleClassifier",
        ),
        ({"estimator": "tests.study.strange.Mute", "parameters": {"power": 1}}, "tests.study.strange.Mute"),
        ({"estimator": "tests.study.strange.Duck"}, "tests.study.strange.Duck"),
        (
            {
                "estimator": "sklearn.gaussian_process.GaussianProcessClassifier",
                "parameters": {"kernel": {"class": "sklearn.gaussian_process.kernels.RBF"}},
            },
            "sklearn.gaussian_process.GaussianProcessClassifier",
        ),
    ],
)
def test_any_compatible_class_may_be_named(pool, path):
    assert study(pool).pools["p"].estimator == path


MUTE = "tests.study.strange.Mute"
PLACE = "s.yaml: pools.p.estimator"
BAD = [
    ({"estimator": "sklearn.svm.SVCC"}, f"{PLACE}: module sklearn.svm has no class 'SVCC'; did you mean 'SVC'"),
    (
        {"estimator": "sklearn.swm.SVC"},
        f"{PLACE}: sklearn.swm.SVC cannot be imported: No module named 'sklearn.swm'; did you mean 'svm'",
    ),
    (
        {"estimator": "catbost.CatBoostClassifier"},
        f"{PLACE}: catbost.CatBoostClassifier needs the package catbost, which is not installed: pip install 'catbost'",
    ),
    ({"estimator": "sklearn.svm"}, f"{PLACE}: sklearn.svm is not a class but module"),
    ({"estimator": "sklearn.base.clone"}, f"{PLACE}: sklearn.base.clone is not a class but function"),
    (
        {"estimator": "subprocess.Popen", "parameters": {"args": ["true"]}},
        f"{PLACE}: subprocess.Popen is neither estimator, view nor combiner; a study builds no other class",
    ),
    (
        {"estimator": "bagging", "parameters": {"estimator": {"class": "pathlib.Path"}}},
        "s.yaml: pools.p.parameters.estimator: pathlib.Path is neither estimator",
    ),
    (
        {"estimator": "lda", "view": "functools.partial"},
        "s.yaml: pools.p.view: functools.partial is neither estimator, view nor combiner",
    ),
    (
        {"estimator": "ForestRegressor"},
        f"{PLACE}: ForestRegressor is a regressor, but the study's task is classification",
    ),
    ({"estimator": "sklearn.cluster.KMeans"}, f"{PLACE}: KMeans is not a classifier"),
    (
        {"estimator": "sklearn.ensemble.VotingClassifier"},
        f"{PLACE}: sklearn.ensemble.VotingClassifier cannot be created: VotingClassifier.__init__() missing 1 required positional argument: 'estimators'",
    ),
    (
        {"estimator": "forest", "parameters": {"n_estimator": 3}},
        "s.yaml: pools.p.parameters: 'n_estimator' is not a parameter of ForestClassifier; did you mean 'n_estimators'; allowed: n_estimators, ",
    ),
    (
        {"estimator": "sklearn.svm.SVC", "parameters": {"kernel": "poli"}},
        "s.yaml: pools.p.parameters: The 'kernel' parameter of SVC must be a str among",
    ),
    (
        {"estimator": "boosted", "parameters": {"learning_rate": "fast"}},
        "s.yaml: pools.p.parameters: learning_rate of XGBClassifier must be float or null, found 'fast'",
    ),
    (
        {"estimator": "tests.study.strange.Mute", "parameters": {"power": 1.5}},
        "s.yaml: pools.p.parameters: power of Mute must be int, found 1.5",
    ),
    (
        {"estimator": "tests.study.strange.Open", "parameters": {"dept": 1}},
        "s.yaml: pools.p.parameters: 'dept' is not a parameter of Open; did you mean 'depth'",
    ),
    (
        {"estimator": "svm", "parameters": {"C": 2}},
        "s.yaml: pools.p.parameters: 'C' is not a parameter of Pipeline; did you mean 'svc__C'",
    ),
    (
        {"estimator": "bagging", "parameters": {"estimator": {"class": "forst"}}},
        "s.yaml: pools.p.parameters.estimator: 'forst' is unknown; did you mean 'forest'",
    ),
    (
        {"estimator": "bagging", "parameters": {"estimator": {"class": "forest", "parameters": {"depth": 1}}}},
        "s.yaml: pools.p.parameters.estimator.parameters: 'depth' is not a parameter of ForestClassifier; did you mean 'max_depth'",
    ),
    (
        {"estimator": "bagging", "parameters": {"estimator": {"class": "forest", "parameter": {}}}},
        "s.yaml: pools.p.parameters.estimator: top level: unknown key 'parameter'; did you mean 'parameters'",
    ),
    (
        {"estimator": "exrm", "parameters": {"tol": "paper"}},
        "s.yaml: pools.p.parameters: tol='paper' needs solver='alm'",
    ),
    ({"estimator": "lda", "view": "rotatoin"}, "s.yaml: pools.p.view: 'rotatoin' is unknown; did you mean 'rotation'"),
    (
        {"estimator": "lda", "view": "sklearn.svm.SVC"},
        "s.yaml: pools.p.view: SVC is not a view: method transform is missing",
    ),
    (
        {"estimator": "lda", "view": {"clas": "rotation"}},
        "s.yaml: pools.p.view: unknown key 'clas'; did you mean 'class'",
    ),
    ({"estimator": 5}, "s.yaml: pools.p.estimator: must be a valid string, found 5"),
    ({"parameters": {}}, "s.yaml: pools.p: key 'estimator' is missing"),
]


def test_a_silencing_parameter_of_the_catalogue_may_have_any_name(monkeypatch):
    """As LightGBM's verbosity, which its signature does not name."""
    path = "tests.study.strange.Open"
    monkeypatch.setitem(catalogue._BY_PATH, path, catalogue.Entry(path, {}, {"dept": 0}))
    assert study({"estimator": path}).pools["p"].parameters == {"dept": 0}


@pytest.mark.parametrize(("pool", "message"), BAD)
def test_what_is_wrong_is_said_in_one_line_before_anything_runs(pool, message):
    assert refusal(study, pool).startswith(message)


@pytest.mark.parametrize(
    ("pool", "types"),
    [
        ({"estimator": MUTE}, {"A": [MUTE]}),
        ({"estimator": "bagging", "parameters": {"estimator": {"class": MUTE}}}, {"A": [MUTE]}),
        ({"estimator": "boosted"}, {}),
        ({"estimator": "svm"}, {}),
    ],
)
def test_types_that_no_model_file_may_hold_are_known_before_the_run(pool, types):
    made = study(pool)
    assert without_model(made, check_classes(made, "s.yaml")) == types
    made.document.trusted.append("tests.study.strange")
    assert without_model(made, check_classes(made, "s.yaml")) == {}


@pytest.fixture
def table(tmp_path):
    iris_table(tmp_path)
    split(tmp_path, 2)
    return tmp_path


def test_an_estimator_without_probabilities_votes(table):
    pool = train(table, MUTE, None, (0, 1))
    assert set(np.unique(pool["proba"])) == {0, 1}
    decided = pool["proba"].values[:, 0].argmax(axis=-1)
    assert (decided == load_iris().target[pool["rows"].values]).mean() > 0.85
    assert train(table, "tests.study.strange.Duck", None, (0, 1)).attrs["status"] == "ok"


def trained(table, name, protocol, **options):
    """Train an estimator on splits or in nested cross-validation; return the pool and its record."""
    if protocol == "splits":
        pool = train(table, f"tests.study.strange.{name}", None, (0, 1))
    else:
        write_frame(table / "folds", pd.DataFrame({"FG-01": np.arange(150) % 3}))
        pool, _ = train_nested(table, f"tests.study.strange.{name}", **options)
    return pool, json.loads((table / "p/pool.run.json").read_text())


@pytest.mark.parametrize("protocol", ["splits", "nested"])
def test_one_that_fails_is_recorded_and_its_method_has_no_scores(table, protocol):
    _, record = trained(table, "Failing", protocol)
    assert (record["status"], record["message"]) == ("failed", "RuntimeError: no luck today")
    method, record = combine(table, {"kind": "vote"}, protocol=protocol)
    assert record["message"] == "the pool failed: RuntimeError: no luck today"
    assert np.isnan(method["proba"]).all()


@pytest.mark.parametrize("protocol", ["splits", "nested"])
@pytest.mark.filterwarnings("default:did not converge")
def test_one_that_warns_is_recorded_once_and_goes_on(table, protocol):
    _, record = trained(table, "Uneasy", protocol, nested=False)
    assert (record["status"], record["warnings"]) == ("ok", ["did not converge"])
