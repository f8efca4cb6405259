"""Parameters of which `make test` takes the first few; `make test-rest` takes the others."""

import pytest


def first(n, values):
    """Return parameters for ``parametrize``; those after the first `n` are of the slow tests."""
    groups = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*group, marks=[pytest.mark.slow] * (k >= n)) for k, group in enumerate(groups)]
