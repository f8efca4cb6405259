"""Settings that all tests share."""

import os
from pathlib import Path

import pytest

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
# Copies of the project that tests run in share the machine code of the forest with this one.
_kernel = Path(__file__).parents[1] / "src" / "rotastack" / "trees" / "kernel"
os.environ.setdefault("NUMBA_CACHE_DIR", str(_kernel / "__pycache__"))
os.environ.pop("DATA_MIRROR", None)  # tests bring their own data
os.environ.pop("MLFLOW_TRACKING_URI", None)


@pytest.fixture
def iris():
    """Iris as float arrays."""
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)
