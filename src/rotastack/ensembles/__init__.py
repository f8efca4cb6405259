"""Ensembles: pools of members and the estimators over them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "multi_rotation_forest": ["MultiRotationForestClassifier", "MultiRotationForestRegressor"],
        "pooled": ["PooledEnsembleClassifier"],
        "pooled_regressor": ["PooledEnsembleRegressor"],
        "pruned": ["PrunedEnsembleClassifier"],
        "random_rotation_boosting": ["RandomRotationBoostingClassifier", "RandomRotationBoostingRegressor"],
        "random_rotation_forest": ["RandomRotationForestClassifier", "RandomRotationForestRegressor"],
        "regularized_rotation_forest": ["RegularizedRotationForestClassifier"],
        "stacked_rotation": ["StackedRotationClassifier"],
    },
)
