"""Forget an earlier fit, so that nothing of it can decide."""

from sklearn.base import BaseEstimator

__all__ = ["forget_fit"]


def forget_fit(estimator: BaseEstimator) -> None:
    """Delete all attributes whose names end in an underscore, but for parameters such as ``lambda_``."""
    for name in [n for n in vars(estimator) if n.endswith("_") and n not in estimator._get_param_names()]:
        delattr(estimator, name)
