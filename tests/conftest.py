"""Settings of all tests."""

import gc
import os
import signal
import sys
import sysconfig
from contextlib import chdir

import pytest
from hypothesis import settings

collect_ignore = ["typed_client.py"]
"""Only type checkers read it: it is wrong here and there, to see that they say so."""

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
# Tests that build a wheel find meson and ninja in an environment that is not activated.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
os.environ.pop("DATA_MIRROR", None)  # tests have their own data
os.environ.pop("MLFLOW_TRACKING_URI", None)
os.environ["MLFLOW_SQLALCHEMYSTORE_POOLCLASS"] = "NullPool"  # tests delete and move databases


gc.disable()  # collecting ten thousand tests makes objects that live to the end: looking for garbage takes seconds


def pytest_collection_finish():
    """Look for garbage again, but not among what was collected."""
    gc.enable()
    gc.freeze()


# A quick run tests the same few examples each time; a thorough run, each night, tests many new random examples.
settings.register_profile("quick", max_examples=20, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def tracked_nowhere():
    """Forget MLflow's address after each test: MLflow puts it into the environment, where commands find it."""
    yield
    if "mlflow" in sys.modules:
        sys.modules["mlflow"].set_tracking_uri(None)


@pytest.fixture
def here(tmp_path):
    """An empty working directory."""
    with chdir(tmp_path):
        yield tmp_path


@pytest.fixture
def terminal_signals():
    """Handle Ctrl-C and SIGHUP, also in processes of the tests; background processes may ignore both signals."""
    heard = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in heard.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def iris():
    """Iris as float arrays."""
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)
