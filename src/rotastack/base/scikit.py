"""The private parts of scikit-learn that Rotastack uses, under public names.

Scikit-learn may move or rename them in any release; then this module is the only one to change. They are
used because no public part does the same:

``Interval``, ``RealNotInt``, ``StrOptions``, ``HasMethods``
    Allowed values of a parameter, for ``_parameter_constraints``: a range of numbers, such as of those that are
    no integers, one of some strings, an object with some methods.
``validate_parameter_constraints``, ``InvalidParameterError``
    The check of parameters against these, without a fit, and what it raises.
``fit_context``
    Decorator of ``fit``: checks the parameters against ``_parameter_constraints`` before anything else is
    done, with scikit-learn's own messages. A fit with the decorator is whole or nothing (:func:`whole_fit`).
``arff``
    Reader of ARFF files that hold any text, which SciPy's does not read.
``check_sample_weight``
    Sample weights as an array of the length of X; ones for None.
``check_y``
    The target as an array of one dimension without missing values.
``check_feature_names_in``
    Names of the columns, those seen in ``fit`` or ``x0``, ``x1``, ..., for ``get_feature_names_out``.
``num_samples``
    Number of rows of an array, a list, a data frame or a sparse matrix.
``safe_indexing``
    Some of the rows of any of these.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from sklearn.base import BaseEstimator
from sklearn.base import _fit_context as scikit_fit_context
from sklearn.externals import _arff as arff
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _check_y as check_y
from sklearn.utils.validation import _num_samples as num_samples

__all__ = [
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "RealNotInt",
    "StrOptions",
    "arff",
    "check_feature_names_in",
    "check_sample_weight",
    "check_y",
    "fit_context",
    "num_samples",
    "safe_indexing",
    "validate_parameter_constraints",
    "whole_fit",
]

Fit = TypeVar("Fit", bound=Callable[..., Any])


def whole_fit(fit: Fit) -> Fit:
    """Return a method ``fit`` after which an estimator has this fit, or none.

    Attributes of an earlier fit are deleted first. A fit that raises, or is interrupted, leaves no attribute either, so
    that ``predict`` raises a NotFittedError.
    """

    @wraps(fit)
    def whole(self: BaseEstimator, *data: Any, **keywords: Any) -> Any:
        try:
            _forget_fit(self)
            return fit(self, *data, **keywords)
        except BaseException:
            _forget_fit(self)
            raise

    return whole  # type: ignore[return-value]


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """Return a decorator that adds scikit-learn's check of the parameters to a whole fit."""
    checked = scikit_fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
    return lambda fit: whole_fit(checked(fit))


def _forget_fit(estimator: BaseEstimator) -> None:
    """Delete the attributes of a fit: names that end in an underscore, except parameters such as ``lambda_``."""
    fitted = [name for name in vars(estimator) if name.endswith("_")]
    for name in set(fitted).difference(estimator.get_params(deep=False) if fitted else ()):
        delattr(estimator, name)
