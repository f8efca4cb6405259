"""Rotastack: ensembles over rotated, projected or embedded views, and their evaluation.

Names are imported on first use, so ``import rotastack`` costs milliseconds.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, _, __all__ = lazy_loader.attach(
    __name__,
    submodules=["combine", "data", "diagnostics", "linear", "plots", "resampling", "stats", "trees", "views"],
    submod_attrs={
        "ensembles.adaboost": ["AdaBoostM1Classifier"],
        "ensembles.flagship.classifier": ["RotastackClassifier"],
        "ensembles.flagship.families": ["TreeFamily"],
        "ensembles.flagship.regressor": ["RotastackRegressor"],
        "ensembles.forests.double": ["DoubleRotationForestClassifier", "DoubleRotationMarginForestClassifier"],
        "ensembles.forests.multi": ["MultiRotationForestClassifier", "MultiRotationForestRegressor"],
        "ensembles.forests.random": ["RandomRotationForestClassifier", "RandomRotationForestRegressor"],
        "ensembles.forests.regularized": ["RegularizedRotationForestClassifier"],
        "ensembles.forests.rotation": ["RotationForestClassifier"],
        "ensembles.out_of_bag_search": ["OutOfBagSearchClassifier"],
        "ensembles.pooled.boosting": ["RandomRotationBoostingClassifier", "RandomRotationBoostingRegressor"],
        "ensembles.pooled.classifier": ["PooledEnsembleClassifier"],
        "ensembles.pooled.reduction": [
            "DiffusionMapEnsembleClassifier",
            "RandomProjectionEnsembleClassifier",
            "RandomSubspaceEnsembleClassifier",
        ],
        "ensembles.pooled.regressor": ["PooledEnsembleRegressor"],
        "ensembles.pooled.stacked": ["StackedRotationClassifier"],
        "ensembles.pruned": ["PrunedEnsembleClassifier"],
        "linear.diversity": ["DiversityRegularizedClassifier"],
        "linear.exclusivity": ["ExclusivityRegularizedClassifier"],
        "linear.primal_svm": ["PrimalSVMClassifier"],
        "workflow.run.comparison": ["compare_methods"],
    },
)
# Plots need an extra, so star imports and completion leave the module out.
__all__.remove("plots")


def __dir__() -> list[str]:
    return sorted(__all__)
