"""The table of several tests."""

import numpy as np
import pytest
from sklearn.datasets import load_wine


@pytest.fixture(scope="session")
def wine():
    X, y = load_wine(return_X_y=True)
    return X.astype(np.float32), y
