"""What the tests of reading share."""

from types import SimpleNamespace

import pytest


@pytest.fixture(autouse=True)
def no_waits(monkeypatch):
    """Ask again at once: pooch and scikit-learn wait for seconds, whatever they are told."""
    for module in ("sklearn.datasets._openml", "pooch.core"):
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(sleep=lambda seconds: None))
