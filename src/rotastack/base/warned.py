"""Warn at the line of whoever called into the package."""

import sys
import warnings
from pathlib import Path

import numpy as np
import sklearn

__all__ = ["warn"]

_INSIDE = tuple(f"{Path(found).parent}/" for found in (Path(__file__).parent, np.__file__, sklearn.__file__))
"""Folders of the package, and of those whose decorators and pipelines stand between it and its callers."""


def warn(message: str) -> None:
    """Warn of `message` at the innermost line outside of the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
