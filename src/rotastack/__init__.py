"""Rotastack: ensembles over rotated, projected or embedded views, and their evaluation.

Names are imported on first use, so ``import rotastack`` costs milliseconds.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "combine",
        "data",
        "diagnostics",
        "ensembles",
        "linear",
        "plots",
        "resampling",
        "stats",
        "trees",
        "views",
    ],
    submod_attrs={
        "ensembles.adaboost_m1": ["AdaBoostM1Classifier"],
        "ensembles.double_rotation_forest": [
            "DoubleRotationForestClassifier",
            "DoubleRotationMarginForestClassifier",
        ],
        "ensembles.gaussian_bayes": ["GaussianBayesClassifier"],
        "ensembles.multi_rotation_forest": ["MultiRotationForestClassifier", "MultiRotationForestRegressor"],
        "ensembles.nearest_neighbor": ["NearestNeighborClassifier"],
        "ensembles.pooled": ["PooledEnsembleClassifier"],
        "ensembles.pooled_regressor": ["PooledEnsembleRegressor"],
        "ensembles.pruned": ["PrunedEnsembleClassifier"],
        "ensembles.random_rotation_boosting": [
            "RandomRotationBoostingClassifier",
            "RandomRotationBoostingRegressor",
        ],
        "ensembles.random_rotation_forest": [
            "RandomRotationForestClassifier",
            "RandomRotationForestRegressor",
        ],
        "ensembles.reduction_ensembles": [
            "DiffusionMapEnsembleClassifier",
            "RandomProjectionEnsembleClassifier",
            "RandomSubspaceEnsembleClassifier",
        ],
        "ensembles.regularized_rotation_forest": ["RegularizedRotationForestClassifier"],
        "ensembles.rotastack": ["RotastackClassifier"],
        "ensembles.rotastack_regressor": ["RotastackRegressor"],
        "ensembles.rotation_forest": ["RotationForestClassifier"],
        "ensembles.stacked_rotation": ["StackedRotationClassifier"],
        "linear.diversity": ["DiversityRegularizedClassifier"],
        "linear.exclusivity": ["ExclusivityRegularizedClassifier"],
        "linear.primal_svm": ["PrimalSVMClassifier"],
    },
)
