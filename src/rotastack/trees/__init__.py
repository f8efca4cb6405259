"""Trees: forests grown without an estimator object per tree."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={"forest": ["ForestClassifier"]})
