"""Ensembles: pools of members and the estimators over them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "pooled": ["PooledEnsembleClassifier"],
        "random_rotation_forest": ["RandomRotationForestClassifier"],
        "stacked_rotation": ["StackedRotationClassifier"],
    },
)
