"""Files are written as a whole; locks are taken where the file system has them."""

import errno
import fcntl
from threading import Barrier

import pytest
import xarray as xr
from joblib import Parallel, delayed

from rotastack.data.artifacts import read_arrays, write_arrays
from rotastack.files import lock, replacing


def test_two_threads_may_write_one_file(tmp_path):
    path, both = tmp_path / "a.txt", Barrier(2, timeout=20)

    def write(text):
        with replacing(path) as temporary:
            temporary.write_text(text)
            both.wait()
            assert temporary.read_text() == text

    Parallel(2, prefer="threads")(delayed(write)(text) for text in ("first", "second"))
    assert path.read_text() in ("first", "second")
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_is_held_busy_or_refused(tmp_path, monkeypatch):
    def refused(stream, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    with (tmp_path / "a").open("w") as one, (tmp_path / "a").open("w") as other:
        assert lock(one)
        with pytest.raises(BlockingIOError):
            lock(other, waits=False)
        monkeypatch.setattr(fcntl, "flock", refused)
        assert not lock(other)


def test_arrays_are_read_without_a_lock(tmp_path):
    """HDF5 would refuse a file if the file system refuses its lock."""
    path = tmp_path / "a.nc"
    write_arrays(path, xr.Dataset({"a": ("x", [1.0, 2.0])}))
    with path.open("r+") as stream:
        assert lock(stream)
        assert list(read_arrays(path)["a"]) == [1.0, 2.0]
