"""Combiners: what turns a pool's outputs into one decision."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "least_squares": ["LeastSquaresPool"],
        "log_linear": ["LogLinearPool"],
        "rotation_weights": ["RotationWeights"],
        "stacking": ["Stacking"],
        "voting": ["Voting"],
    },
)
