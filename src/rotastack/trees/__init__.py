"""Decision trees and forests that compiled code grows."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "boosted": ["BoostedTreesClassifier", "BoostedTreesRegressor"],
        "c45": ["C45Classifier"],
        "extra": ["ExtraForestClassifier", "ExtraForestRegressor"],
        "forest": ["ForestClassifier", "ForestRegressor"],
        "grown": ["GrownTrees"],
        "growing": ["TrainingRows", "TreeGroup", "TreeOptions", "grow_forest"],
        "linear_views": ["LinearViews"],
        "tree": ["TreeClassifier", "TreeRegressor"],
    },
)
