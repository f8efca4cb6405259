"""The limit on BLAS threads holds for all of its users, and ends with the last of them."""

import json
import os
import subprocess
import sys

import pytest

BEGINNING = """
from threading import Event, Thread

import numpy as np
from threadpoolctl import threadpool_info

from rotastack.blas import one_blas_thread


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


assert blas_threads() == {2}
"""
NESTED = """
with one_blas_thread():
    assert blas_threads() == {1}
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {1}
assert blas_threads() == {2}
"""
ERROR = """
try:
    with one_blas_thread():
        np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError:
    assert blas_threads() == {2}
else:
    raise AssertionError
"""
TWO_USERS = """
inside, leave = Event(), Event()


def hold():
    with one_blas_thread():
        inside.set()
        leave.wait(10)


other = Thread(target=hold)
if OTHER_FIRST:
    other.start()
    inside.wait(10)
with one_blas_thread():
    if OTHER_FIRST:
        leave.set()
        other.join()
    else:
        other.start()
        inside.wait(10)
        assert blas_threads() == {1}
leave.set()
other.join()
assert blas_threads() == {2}
"""


CASES = {
    "nested": NESTED,
    "error": ERROR,
    "two users, main first": "OTHER_FIRST = False" + TWO_USERS,
    "two users, other first": "OTHER_FIRST = True" + TWO_USERS,
}
RUN_ALL = """
import json, sys, traceback

faults = {}
for name, code in json.load(sys.stdin).items():
    try:
        exec(code, globals().copy())
    except BaseException:
        faults[name] = traceback.format_exc()
print(json.dumps(faults))
"""


@pytest.fixture(scope="module")
def faults():
    # In a separate process: the processes of the tests are limited to one thread, which one thread of Python controls.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + RUN_ALL], input=json.dumps(CASES),
        env={**os.environ, **threads}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_limit(faults, name):
    assert name not in faults, faults[name]
