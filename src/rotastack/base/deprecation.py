"""Old names that still work for two releases, and say what to write: ``FutureWarning``, as scikit-learn has it.

Classes and functions are deprecated by :class:`sklearn.utils.deprecated`; here is what parameters need.
"""

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["DEPRECATED", "renamed_arguments", "renamed_parameter"]

F = TypeVar("F", bound=Callable[..., Any])

DEPRECATED = "deprecated"
"""The default of an estimator's parameter that is on its way out: nobody has set it."""


def renamed_parameter(estimator: object, old: str, new: str, until: str) -> Any:
    """Return the value of an estimator's parameter that was renamed, wherever it was given.

    To be called by ``fit``. ``__init__`` keeps the old parameter as its last, with the default `DEPRECATED`, so that
    ``clone`` and ``set_params`` know both.

    Parameters
    ----------
    estimator : object
    old, new : str
        Names of the parameter.
    until : str
        The release in which the old name goes.

    Returns
    -------
    object
        That of the old name if it was set, with a warning, else that of the new.
    """
    value = getattr(estimator, old)
    if isinstance(value, str) and value == DEPRECATED:
        return getattr(estimator, new)
    _warn(f"{old!r} of {type(estimator).__name__} is now {new!r}, and goes in {until}")
    return value


def renamed_arguments(until: str, **names: str) -> Callable[[F], F]:
    """Have a function take arguments under their old names, too.

    Parameters
    ----------
    until : str
        The release in which the old names go.
    **names
        Old name = new name.

    Examples
    --------
    >>> @renamed_arguments(until="0.4", folds="n_folds")
    ... def split(n_folds=5):
    ...     return n_folds
    >>> split(n_folds=3)
    3
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def taking_both(*args: Any, **given: Any) -> Any:
            for old, new in names.items():
                if old in given:
                    if new in given:
                        raise TypeError(f"{function.__name__}: {old!r} is the old name of {new!r}; both are given")
                    _warn(f"{old!r} of {function.__name__} is now {new!r}, and goes in {until}")
                    given[new] = given.pop(old)
            return function(*args, **given)

        return taking_both  # type: ignore[return-value]

    return decorate


def _warn(message: str) -> None:
    """Warn of the line that called: the nearest one outside of this package and of scikit-learn, which wraps ``fit``."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ("rotastack", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, FutureWarning, stacklevel=level)
