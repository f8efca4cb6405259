"""Settings that all tests share."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
# Copies of the project that tests run in share the machine code of the forest with this one.
_kernel = Path(__file__).parents[1] / "src" / "rotastack" / "trees" / "kernel"
os.environ.setdefault("NUMBA_CACHE_DIR", str(_kernel / "__pycache__"))
os.environ.pop("DATA_MIRROR", None)  # tests bring their own data
os.environ.pop("MLFLOW_TRACKING_URI", None)


# A quick run tries the same few examples each time, a thorough one many, drawn anew.
settings.register_profile("quick", max_examples=30, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    """Compile the forest before workers start, which would each do it for themselves."""
    if session.config.getoption("numprocesses", None):
        from rotastack import RotastackClassifier

        RotastackClassifier(1).fit([[0.0, 1.0], [1.0, 0.0]] * 4, [0, 1] * 4).predict([[0.0, 1.0]])


@pytest.fixture(autouse=True)
def tracked_nowhere():
    """Forget MLflow's address after each test: MLflow puts it into the environment, where commands find it."""
    yield
    if "mlflow" in sys.modules:
        sys.modules["mlflow"].set_tracking_uri(None)


@pytest.fixture
def iris():
    """Iris as float arrays."""
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)
