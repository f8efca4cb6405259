"""Model files of pruned ensembles and of forests on fitted rotations."""

import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from rotastack import (
    AdaBoostM1Classifier,
    DoubleRotationForestClassifier,
    DoubleRotationMarginForestClassifier,
    PooledEnsembleClassifier,
    PrunedEnsembleClassifier,
    RotationForestClassifier,
)
from rotastack.combine.pruning import (
    DREPPruner,
    KappaPruner,
    LPPruner,
    MarginPruner,
    MDMPruner,
    MeanDMPruner,
    OrientationPruner,
    QMMPruner,
    ReducedErrorPruner,
)
from rotastack.study.models import dump_model, load_model
from rotastack.trees import C45Classifier, ForestClassifier, TreeClassifier
from rotastack.views import (
    DiscriminantRotation,
    DoubleRotation,
    LocalityDiscriminantAnalysis,
    PrincipalRotation,
)

MODELS = [
    RotationForestClassifier(3, random_state=0),
    DoubleRotationForestClassifier(3, random_state=0),
    DoubleRotationMarginForestClassifier(5, random_state=0),
    AdaBoostM1Classifier(4, TreeClassifier(max_depth=1)),
    PrunedEnsembleClassifier(RandomForestClassifier(8), QMMPruner(), random_state=0),
    PrunedEnsembleClassifier(AdaBoostM1Classifier(5), LPPruner(), "train", random_state=0),
    *(
        PrunedEnsembleClassifier(ForestClassifier(6), pruner, random_state=0)
        for pruner in (DREPPruner(), KappaPruner(), MarginPruner(), MDMPruner(), OrientationPruner(), ReducedErrorPruner())
    ),
    PooledEnsembleClassifier(DoubleRotation(), C45Classifier(), MeanDMPruner(2), n_estimators=4, bootstrap=True, random_state=0),
    *(
        PooledEnsembleClassifier(view, n_estimators=2, random_state=0)
        for view in (PrincipalRotation(), DiscriminantRotation(), LocalityDiscriminantAnalysis())
    ),
    PooledEnsembleClassifier(n_estimators=2, scaling="symmetric", random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=lambda m: repr(m)[:60])
def test_a_model_file_predicts_as_the_model(model, tmp_path):
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    dump_model(model, tmp_path / "model.skops")
    assert (load_model(tmp_path / "model.skops").predict_proba(X) == model.predict_proba(X)).all()
