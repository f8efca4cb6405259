"""A decorator that copies the description of a parameter from a base class into the docstring of a subclass."""

import re
from inspect import cleandoc
from textwrap import indent
from typing import TypeVar

__all__ = ["documented"]

T = TypeVar("T", bound=type)


def documented(cls: T) -> T:
    """Replace each line ``%(name)s`` of a class's docstring by the description of that parameter in a base class.

    Examples
    --------
    >>> class Forest:
    ...     '''Trees.
    ...
    ...     Parameters
    ...     ----------
    ...     n_jobs : int or None
    ...         Threads.
    ...     '''
    >>> @documented
    ... class RotatedForest(Forest):
    ...     '''Trees on rotations.
    ...
    ...     Parameters
    ...     ----------
    ...     %(n_jobs)s
    ...     '''
    >>> print(cleandoc(RotatedForest.__doc__))
    Trees on rotations.
    <BLANKLINE>
    Parameters
    ----------
    n_jobs : int or None
        Threads.
    """

    def described(line: re.Match[str]) -> str:
        margin, name = line.groups()
        for base in cls.__mro__[1:]:
            description = re.search(rf"^{name} : .*(\n +.*)*", cleandoc(base.__doc__ or ""), re.MULTILINE)
            if description:
                return indent(description[0], margin)
        raise NameError(f"{cls.__name__}: no base class describes the parameter {name}")

    if cls.__doc__:  # python -OO removes docstrings
        cls.__doc__ = re.sub(r"^( *)%\((\w+)\)s$", described, cls.__doc__, flags=re.MULTILINE)
    return cls
