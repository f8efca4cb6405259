"""Settings that all tests share."""

import os

import pytest

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.pop("DATA_MIRROR", None)  # tests bring their own data
os.environ.pop("MLFLOW_TRACKING_URI", None)


@pytest.fixture
def iris():
    """Iris as float arrays."""
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)
