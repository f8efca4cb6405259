"""The limit on BLAS threads holds for all of its users, and ends with the last of them."""

import os
import subprocess
import sys

SCRIPT = """
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import numpy as np
from threadpoolctl import threadpool_info

from rotastack.blas import one_blas_thread


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


assert blas_threads() == {2}
with one_blas_thread():
    assert blas_threads() == {1}
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == {1}
assert blas_threads() == {2}

try:
    with one_blas_thread():
        np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError:
    assert blas_threads() == {2}
else:
    raise AssertionError

A = np.random.default_rng(0).normal(size=(2000, 90))


def gram():
    with one_blas_thread():
        assert blas_threads() == {1}
        return (A.T @ A).tobytes()


def in_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def rest_alone():
    with one_blas_thread():
        inside.set()
        assert leave.wait(10)
        return blas_threads()


main = gram()
assert in_thread(gram) == main and in_thread(lambda: in_thread(gram)) == main
assert in_thread(blas_threads) == {2}
inside, leave = Event(), Event()
with ThreadPoolExecutor(1) as pool:  # the one that came first leaves first
    with one_blas_thread():
        other = pool.submit(rest_alone)
        assert inside.wait(10)
    leave.set()
    assert other.result() == {1}
    assert pool.submit(gram).result() == main
assert blas_threads() == {2}

for other_first in (False, True):  # two users at a time
    inside, leave = Event(), Event()

    def hold():
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    other = Thread(target=hold)
    if other_first:
        other.start()
        inside.wait(10)
    with one_blas_thread():
        if other_first:
            leave.set()
            other.join()
            assert blas_threads() == {1}
        else:
            other.start()
            inside.wait(10)
            assert blas_threads() == {1}
    leave.set()
    other.join()
    assert blas_threads() == {2}
"""


def test_limit():
    """In a process of its own: those of the tests are limited to one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")
    subprocess.run([sys.executable, "-c", SCRIPT], env={**os.environ, **threads}, check=True)
