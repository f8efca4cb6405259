"""Model files predict as their models, and hold no type that is neither ours nor reviewed."""

import io
import json
import os
import pickle
import re
from functools import partial
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
import skops.io
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.decomposition import KernelPCA
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.refusals import refusal

from rotastack import (
    AdaBoostM1Classifier,
    DiffusionMapEnsembleClassifier,
    DoubleRotationForestClassifier,
    DoubleRotationMarginForestClassifier,
    PooledEnsembleClassifier,
    PrunedEnsembleClassifier,
    RandomProjectionEnsembleClassifier,
    RandomSubspaceEnsembleClassifier,
    RotastackClassifier,
    RotationForestClassifier,
    TreeFamily,
)
from rotastack.combine import pruning
from rotastack.errors import RotastackError
from rotastack.trees import C45Classifier, ForestClassifier, TreeClassifier
from rotastack.views import (
    DiscriminantRotation,
    DoubleRotation,
    LocalityDiscriminantAnalysis,
    PrincipalRotation,
    RandomizedView,
)
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.building import build
from rotastack.workflow.study.catalogue import resolved
from rotastack.workflow.tracking.model_files import MOST_ROOM, VERSIONS, dump_model, load_model
from rotastack.workflow.tracking.model_types import REVIEWED_TYPES
from rotastack.workflow.tracking.writer import Writer

MODELS = [
    RotationForestClassifier(3, random_state=0),
    DoubleRotationForestClassifier(3, random_state=0),
    DoubleRotationMarginForestClassifier(5, random_state=0),
    AdaBoostM1Classifier(4, TreeClassifier(max_depth=1)),
    AdaBoostM1Classifier(4, GaussianNB()),
    AdaBoostM1Classifier(4, KNeighborsClassifier(1), resample=True, random_state=0),
    AdaBoostM1Classifier(4, C45Classifier(), resample=True, random_state=0),
    PooledEnsembleClassifier(None, BaggingClassifier(KNeighborsClassifier(1), 3), n_estimators=2, random_state=0),
    PrunedEnsembleClassifier(AdaBoostM1Classifier(5, GaussianNB()), pruning.LPPruner(), "train", random_state=0),
    PrunedEnsembleClassifier(RandomForestClassifier(8), pruning.QMMPruner(), random_state=0),
    PrunedEnsembleClassifier(AdaBoostM1Classifier(5), pruning.LPPruner(), "train", random_state=0),
    *(
        PrunedEnsembleClassifier(ForestClassifier(6), pruner, random_state=0)
        for pruner in (
            pruning.DREPPruner(),
            pruning.KappaPruner(),
            pruning.MarginPruner(),
            pruning.MDMPruner(),
            pruning.OrientationPruner(),
            pruning.ReducedErrorPruner(),
        )
    ),
    PooledEnsembleClassifier(
        DoubleRotation(), C45Classifier(), pruning.MeanDMPruner(2), n_estimators=4, bootstrap=True, random_state=0
    ),
    *(
        PooledEnsembleClassifier(view, n_estimators=2, random_state=0)
        for view in (PrincipalRotation(), DiscriminantRotation(), LocalityDiscriminantAnalysis())
    ),
    PooledEnsembleClassifier(n_estimators=2, scaling="symmetric", random_state=0),
    RotastackClassifier(3, random_state=0),
    RotastackClassifier(3, ("rotations", TreeFamily("own", (PrincipalRotation(),))), random_state=0),
    *(
        CalibratedClassifierCV(
            RotastackClassifier(2, ("rotations",), random_state=0), method=method, cv=2, ensemble=ensemble
        )
        for method, ensemble in (("sigmoid", True), ("isotonic", False), ("temperature", True))
    ),
    RandomProjectionEnsembleClassifier(GaussianNB(), n_estimators=2, kind="sparse", random_state=0),
    RandomSubspaceEnsembleClassifier(KNeighborsClassifier(1), n_estimators=2, random_state=0),
    *(
        DiffusionMapEnsembleClassifier(GaussianNB(), n_estimators=2, epsilon=1.0, boost=boost, random_state=0)
        for boost in (False, True)
    ),
    *(
        PooledEnsembleClassifier(RandomizedView(reducer, {name: values}, 50), n_estimators=2, random_state=0)
        for reducer, name, values in (
            (Isomap(eigen_solver="dense"), "n_neighbors", range(5, 20)),
            (LocallyLinearEmbedding(), "n_neighbors", [5, 10]),
            (KernelPCA(2, kernel="rbf"), "gamma", [0.1, 1.0, 10.0]),
        )
    ),
]


EXRM = {"class": "exrm", "parameters": {"n_estimators": 3}}
MACHINES = [
    ("exrm", {"n_estimators": 3}),
    ("exrm_nystroem", {"exrm__n_estimators": 3, "nystroem__n_components": 20}),
    ("primal_svm", {}),
    ("drm", {}),
    ("nu_svm", {}),
    (
        "sklearn.ensemble.AdaBoostClassifier",
        {"estimator": {"class": "mean_weight", "parameters": {"estimator": EXRM}}, "n_estimators": 3},
    ),
    ("bagging", {"estimator": EXRM}),
    ("sklearn.calibration.CalibratedClassifierCV", {"estimator": EXRM}),
    ("PooledEnsembleClassifier", {"view": {"class": "rotation"}, "estimator": EXRM}),
]


def refitted(name, parameters):
    """Return a machine as studies refit it: a pool of one, with its scaler."""
    found = resolved(name, parameters)
    machine = build(found["class"], found["parameters"])
    return PooledEnsembleClassifier(None, machine, n_estimators=1, scaling="symmetric", random_state=0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS + [refitted(*machine) for machine in MACHINES], ids=lambda m: repr(m)[:60])
def test_a_model_file_predicts_as_the_model(model, tmp_path):
    X, y = load_iris(return_X_y=True)
    dump_model(model.fit(X[:100], y[:100]), tmp_path / "model.skops")
    found = load_model(tmp_path / "model.skops")
    assert (found.predict(X) == model.predict(X)).all()
    assert not hasattr(model, "predict_proba") or (found.predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("tests", "Stranger"),
        ("rotastackevil.models", "Stranger"),  # the beginning of our name is not our name
        ("rotastack.nowhere", "Stranger"),
        ("rotastack.errors", "Stranger"),  # no such class
        ("rotastack.errors", "nearest"),  # no class
        ("rotastack.workflow.tracking.model_files", "Path"),  # another's class
        ("rotastack.__main__", "main"),
    ],
)
def test_a_file_with_a_strange_type_is_refused_by_its_name(module, name, tmp_path):
    path = tmp_path / "model.skops"
    stranger = type(name, (), {"__module__": module})()
    stranger.number = 1
    model = PooledEnsembleClassifier(n_estimators=2)
    model.strange_ = [stranger]
    top = module.partition(".")[0]
    hint = "" if top == "rotastack" else f"; if you trust the code of {top}: [^\n]*--trust {top} to other commands"
    message = rf"^[^\n]*model.skops: the file contains types outside the list of safe types: {module}\.{name}{hint}$"
    assert re.search(message, refusal(dump_model, model, path))
    assert not list(tmp_path.iterdir())
    skops.io.dump(model, path)  # as somebody else would write it
    assert re.search(message, refusal(load_model, path))


@pytest.fixture
def small(tmp_path):
    X, y = load_iris(return_X_y=True)
    dump_model(GaussianNB().fit(X, y), tmp_path / "model.skops")
    return tmp_path / "model.skops"


def rewritten(path, name, content):
    """Replace a part of a model file."""
    with ZipFile(path) as archive:
        parts = {n: archive.read(n) for n in archive.namelist()} | {name: content}
    with ZipFile(path, "w") as archive:
        for n, part in parts.items():
            archive.writestr(n, part)


@pytest.mark.parametrize(("package", "version"), [("rotastack", "7.1.0"), ("scikit-learn", "0.24.2")])
def test_a_file_of_other_versions_is_refused_by_their_names(small, package, version):
    rewritten(small, "versions.json", json.dumps({**VERSIONS, package: version}))
    words = rf"^[^\n]*model.skops: written by [^\n]*{package} {version}[^\n]* installed are [^\n]*{VERSIONS[package]}[^\n]*pip install"
    assert re.search(words, refusal(load_model, small))


def test_a_patch_of_a_version_reads_the_file(small):
    numbers = VERSIONS["scikit-learn"].split(".")
    rewritten(small, "versions.json", json.dumps({**VERSIONS, "scikit-learn": f"{numbers[0]}.{numbers[1]}.99"}))
    assert isinstance(load_model(small), GaussianNB)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("model.skops", b"", "is empty"),
        ("model.skops", b"PK nothing", "not a model file, or incomplete: File is not a zip file$"),
        ("dates.csv", b"day,y\n18/09/2020,1\n", "not a model file; a model file ends in .skops$"),
        ("model.skops", None, "not found"),
    ],
)
def test_a_file_that_is_no_model_is_one_line_and_nobody_is_told_to_delete_their_data(tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert re.search(rf"{name}: [^\n]*{words}", refusal(load_model, tmp_path / name))


def hostile(value, path):
    """Write a model with an attribute as somebody else would."""
    model = GaussianNB()
    model.theta_ = value
    skops.io.dump(model, path)
    return path


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (os.system, "posix.system"),
        (eval, "builtins.eval"),
        (partial(os.system, "true"), "functools.partial"),
        (RandomForestClassifier().fit, "sklearn.ensemble._forest.RandomForestClassifier.fit"),
        (Plan, "rotastack.workflow.run.plan.Plan"),  # a class of ours that no model has
        (object.__new__(Writer), "rotastack.workflow.tracking.writer.Writer"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_file_could_have_called_is_refused(value, named, tmp_path):
    """Functions, methods, classes that do things, and objects of ours that are no part of a model."""
    path = hostile(value, tmp_path / "model.skops")
    assert re.search(r"types outside the list of safe types: [^\n]*" + re.escape(named), refusal(load_model, path))


@pytest.mark.parametrize("kind", sorted(REVIEWED_TYPES))
def test_each_reviewed_type_is_a_class(kind):
    module, _, name = kind.rpartition(".")
    assert isinstance(getattr(pytest.importorskip(module), name), type)


def test_pickles_are_no_models(tmp_path):
    """What joblib and pickle write is refused unread."""

    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "pwned"),))

    (tmp_path / "model.skops").write_bytes(pickle.dumps(Evil()))
    assert "not a model file" in refusal(load_model, tmp_path / "model.skops")
    body = io.BytesIO()
    np.save(body, np.array([Evil()], dtype=object), allow_pickle=True)
    path = hostile(np.arange(3.0), tmp_path / "array.skops")
    with ZipFile(path) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".npy")]
    rewritten(path, name, body.getvalue())
    assert "cannot be read" in refusal(load_model, path)
    assert not (tmp_path / "pwned").exists()


def test_an_archive_of_paths_writes_nothing(small, tmp_path):
    rewritten(small, "../../evil.txt", "x")
    before = sorted(tmp_path.parent.rglob("*"))
    assert isinstance(load_model(small), GaussianNB)
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_a_bomb_is_refused_before_it_is_unpacked(small):
    with ZipFile(small, "a", ZIP_DEFLATED) as archive:
        archive.writestr("zeros.npy", bytes(MOST_ROOM))
    assert re.search(
        r"not a Rotastack model file: the content unpacks to 268,\d+,\d+ bytes", refusal(load_model, small)
    )


def test_damage_anywhere_is_one_line(small, tmp_path):
    """Half of a file, and files of which a byte is another; some bytes say nothing, such as times."""
    body = small.read_bytes()
    said = []
    for place in range(0, len(body), 37):
        for damaged in (body[:place], body[:place] + bytes([body[place] ^ 0xFF]) + body[place + 1 :]):
            small.write_bytes(damaged)
            try:
                load_model(small)
            except RotastackError as error:
                said.append(str(error))
    assert len(said) > len(body) / 37
    assert "\n" not in "".join(said)
