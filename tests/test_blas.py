"""The limit on BLAS threads holds for all of its users, and ends with the last of them."""

from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from rotastack.blas import one_blas_thread


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    if blas_threads() != {2}:
        threadpool_limits(2, "blas")
    if blas_threads() != {2}:
        pytest.skip("BLAS cannot have two threads here")


def test_one_thread_inside_and_as_before_outside():
    with one_blas_thread():
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_an_error_ends_the_limit_too():
    with pytest.raises(np.linalg.LinAlgError), one_blas_thread():
        np.linalg.inv(np.zeros((2, 2)))
    assert blas_threads() == {2}


@pytest.mark.parametrize("first", ["main", "other"])
def test_after_users_in_several_threads_it_is_as_it_was(first):
    inside, leave = Event(), Event()

    def hold():
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    other = Thread(target=hold)
    if first == "other":
        other.start()
        inside.wait(10)
    with one_blas_thread():
        if first == "main":
            other.start()
            inside.wait(10)
            assert blas_threads() == {1}
        else:
            leave.set()
            other.join()
    leave.set()
    other.join()
    assert blas_threads() == {2}
