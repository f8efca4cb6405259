"""A decorator that copies descriptions of parameters, and sections of methods, from base classes to a subclass."""

import re
from inspect import cleandoc, isfunction
from textwrap import indent
from typing import TypeVar

__all__ = ["documented"]

T = TypeVar("T", bound=type)


def documented(cls: T) -> T:
    """Replace each line ``%(name, ...)s`` of a class's docstring by the descriptions of these parameters in base classes.

    A method's docstring of one line gets the sections that a base class has for the method.
    """

    def description(name: str) -> str:
        for base in cls.__mro__[1:]:
            if found := re.search(rf"^{name} : .*(\n +.*)*", cleandoc(base.__doc__ or ""), re.MULTILINE):
                return found[0]
        raise NameError(f"{cls.__name__}: no base class describes the parameter {name}")

    def described(line: re.Match[str]) -> str:
        margin, names = line.groups()
        return indent("\n".join(map(description, names.split(", "))), margin)

    for name, method in vars(cls).items():
        if isfunction(method) and method.__doc__ and "\n" not in method.__doc__:
            inherited = (vars(base)[name].__doc__ or "" for base in cls.__mro__[1:] if isfunction(vars(base).get(name)))
            method.__doc__ += next((doc[doc.index("\n\n") :] for doc in inherited if "\n\n" in doc), "")
    if cls.__doc__:  # python -OO removes docstrings
        cls.__doc__ = re.sub(r"^( *)%\(([\w, ]+)\)s$", described, cls.__doc__, flags=re.MULTILINE)
    return cls
