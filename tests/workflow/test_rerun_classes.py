"""An edit or another version of a class, or of a library, retrains the pools that use it."""

import pytest
from tests.edits import edited
from tests.quick import first
from tests.workflow.project import changed

pytestmark = pytest.mark.workflow


FOREIGN = """
from sklearn.ensemble import ExtraTreesClassifier


class Grove(ExtraTreesClassifier):
    pass
"""
MANY = """
name: many
datasets: [iris]
protocol: {rotation_groups: 1, fold_groups: 1, folds: 3, rotations: 3}
pools:
  grove: {estimator: foreign_grove.Grove, parameters: {n_estimators: 3}}
  nested_grove: {estimator: bagging, parameters: {estimator: {class: foreign_grove.Grove}}}
  boosted: {estimator: xgboost.XGBClassifier, parameters: {n_estimators: 3}}
  logistic: {estimator: sklearn.linear_model.LogisticRegression}
  own: {estimator: RotationForestClassifier, parameters: {n_estimators: 3}}
  rotated: {view: rotation, estimator: naive_bayes}
  subspace: {view: {class: RandomSubspace}, estimator: naive_bayes}
  projected: {view: {class: projection}, estimator: naive_bayes}
  ranked: {view: {class: sklearn.preprocessing.QuantileTransformer, parameters: {n_quantiles: 10}}, estimator: naive_bayes}
methods:
  Grove: {pool: grove, combiner: {kind: vote}}
  Nested: {pool: nested_grove, combiner: {kind: vote}}
  Boosted: {pool: boosted, combiner: {kind: vote}}
  Logistic: {pool: logistic, combiner: {kind: vote}}
  Own: {pool: own, combiner: {kind: vote}}
  Rotated: {pool: rotated, combiner: {kind: vote}}
  Subspace: {pool: subspace, combiner: {kind: vote}}
  Projected: {pool: projected, combiner: {kind: vote}}
  Ranked: {pool: ranked, combiner: {kind: stacking, estimator: foreign_grove.Grove}}
model: {refit: none}
"""


@pytest.fixture
def many(blank, tmp_path, monkeypatch):
    """A study of estimators and views from many modules; one is in a separate distribution."""
    place = tmp_path / "site"
    (place / "foreign_grove-1.0.dist-info").mkdir(parents=True)
    (place / "foreign_grove.py").write_text(FOREIGN)
    (place / "foreign_grove-1.0.dist-info/RECORD").write_text("foreign_grove.py,,\n")
    monkeypatch.syspath_prepend(place)

    def ask(version="1.0"):
        about = f"Metadata-Version: 2.1\nName: foreign-grove\nVersion: {version}\n"
        (place / "foreign_grove-1.0.dist-info/METADATA").write_text(about)
        return blank.jobs(study="config/studies/many.yaml")

    (blank.folder / "config/studies/many.yaml").write_text(MANY)
    return ask


def pools(different):
    return {name[2] for name in different if name[0] == "train"}


@pytest.mark.slow
def test_another_version_of_a_foreign_estimator_reruns_its_pools_alone(many):
    different = changed(many(), many("2.0"))
    assert pools(different) == {"grove", "nested_grove"}
    assert ("combine", "iris", "Ranked") in different


@pytest.mark.parametrize(
    ("distribution", "some", "others"),
    first(1, [
        ("xgboost-cpu", {"boosted"}, {"grove", "nested_grove", "logistic", "own", "rotated", "subspace", "ranked"}),
        ("scikit-learn", {"logistic", "rotated", "ranked"}, set()),
    ]),
)  # fmt: skip
def test_another_version_of_a_library_reruns_what_computes_with_it(many, monkeypatch, distribution, some, others):
    from rotastack.workflow.run import fingerprint

    before, version = many(), fingerprint.version
    monkeypatch.setattr(fingerprint, "version", lambda name: "99" if name == distribution else version(name))
    different = changed(before, many())
    assert some <= pools(different)
    assert not pools(different) & others
    if others:
        assert {name for name in different if name[0] == "train"} == {("train", "iris", p, "RG-01/FG-01") for p in some}


@pytest.mark.parametrize(
    ("file", "expected"), first(1, [("ensembles/forests/rotation.py", {"own"}), ("combine/pruning/margin.py", set())])
)
def test_an_edit_of_one_class_reruns_its_pools_only(many, file, expected):
    before = many()
    with edited(file):
        different = changed(before, many())
    assert pools(different) == expected
    assert not {name[0] for name in different} & {"table", "groups", "combine"}
