"""Ensembles: pools of members and the estimators over them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "adaboost": ["AdaBoostM1Classifier"],
        "flagship.classifier": ["RotastackClassifier"],
        "flagship.families": ["TreeFamily"],
        "flagship.regressor": ["RotastackRegressor"],
        "forests.double": ["DoubleRotationForestClassifier", "DoubleRotationMarginForestClassifier"],
        "forests.multi": ["MultiRotationForestClassifier", "MultiRotationForestRegressor"],
        "forests.random": ["RandomRotationForestClassifier", "RandomRotationForestRegressor"],
        "forests.regularized": ["RegularizedRotationForestClassifier"],
        "forests.rotation": ["RotationForestClassifier"],
        "inducers.bayes": ["GaussianBayesClassifier"],
        "inducers.nearest": ["NearestNeighborClassifier"],
        "pooled.boosting": ["RandomRotationBoostingClassifier", "RandomRotationBoostingRegressor"],
        "pooled.classifier": ["PooledEnsembleClassifier"],
        "pooled.reduction": [
            "DiffusionMapEnsembleClassifier",
            "RandomProjectionEnsembleClassifier",
            "RandomSubspaceEnsembleClassifier",
        ],
        "pooled.regressor": ["PooledEnsembleRegressor"],
        "pooled.stacked": ["StackedRotationClassifier"],
        "pruned": ["PrunedEnsembleClassifier"],
    },
)
