"""Resampling: fold groups, random splits, rotation groups, pairs of folds for nested cross-validation."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submod_attrs={"folds": ["fold_groups", "nested_pairs"], "rotations": ["rotation_groups"]}
)
