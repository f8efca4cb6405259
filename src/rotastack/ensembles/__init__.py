"""Ensembles: pools of members and the estimators over them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "adaboost_m1": ["AdaBoostM1Classifier"],
        "double_rotation_forest": ["DoubleRotationForestClassifier", "DoubleRotationMarginForestClassifier"],
        "gaussian_bayes": ["GaussianBayesClassifier"],
        "multi_rotation_forest": ["MultiRotationForestClassifier", "MultiRotationForestRegressor"],
        "nearest_neighbor": ["NearestNeighborClassifier"],
        "pooled": ["PooledEnsembleClassifier"],
        "pooled_regressor": ["PooledEnsembleRegressor"],
        "pruned": ["PrunedEnsembleClassifier"],
        "random_rotation_boosting": ["RandomRotationBoostingClassifier", "RandomRotationBoostingRegressor"],
        "random_rotation_forest": ["RandomRotationForestClassifier", "RandomRotationForestRegressor"],
        "reduction_ensembles": [
            "DiffusionMapEnsembleClassifier",
            "RandomProjectionEnsembleClassifier",
            "RandomSubspaceEnsembleClassifier",
        ],
        "regularized_rotation_forest": ["RegularizedRotationForestClassifier"],
        "rotastack": ["RotastackClassifier"],
        "rotastack_regressor": ["RotastackRegressor"],
        "rotation_forest": ["RotationForestClassifier"],
        "stacked_rotation": ["StackedRotationClassifier"],
        "tree_families": ["TreeFamily"],
    },
)
