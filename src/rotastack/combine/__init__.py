"""Combiners: they turn the outputs of a pool's members into one decision."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "best_groups": ["BestGroups"],
        "least_squares": ["LeastSquaresWeights"],
        "log_linear": ["LogLinearWeights"],
        "rotation_weights": ["RotationWeights"],
        "stacking": ["Stacking"],
        "voting": ["Voting"],
    },
)
