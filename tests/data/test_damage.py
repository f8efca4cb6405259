"""A damaged file between two steps is an error of ours, or changes nothing: libraries alone return other numbers."""

import random
from functools import partial

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from rotastack.data.artifacts import read_arrays, read_frame, write_arrays, write_frame
from rotastack.errors import DELETE, RotastackError

rng = np.random.default_rng(0)
PREPARED = pd.DataFrame(
    {
        "a": rng.normal(size=60),
        "color": pd.Categorical(rng.choice(["red", "blue"], 60)),
        "text": rng.choice(["one", "two", None], 60),
        "target": rng.integers(0, 3, 60),
    }
)
POOL = xr.Dataset(
    {"proba": (("member", "row", "class"), rng.random((2, 20, 3), np.float32)), "rows": ("row", range(20)), "n": 1.5},
    coords={"member": [1, 2], "class": ["s", "c", "v"]},
    attrs={"second_level": 1, "status": "ok"},
)
CASES = {
    "prepared": (write_frame, read_frame, [PREPARED, {"task": "classification", "classes": ["x", "y", "z"]}]),
    "scores": (write_frame, read_frame, [pd.DataFrame({"method": ["RF", "RRE"] * 20, "error": rng.random(40)})]),
    "no rows": (write_frame, read_frame, [pd.DataFrame({"error": np.zeros(0)})]),
    "pool": (write_arrays, read_arrays, [POOL]),
    "no cells": (write_arrays, read_arrays, [xr.Dataset({"a": (("x", "y"), np.zeros((0, 3)))}, attrs={"a": 1})]),
}
each_case = pytest.mark.parametrize("case", CASES)


def damages(body, seed):
    """Return files with a changed byte, a lost sector, an early end, or more bytes, at random places."""
    draw = random.Random(seed)
    for _ in range(150):
        place = draw.randrange(len(body))
        yield body[:place] + bytes([body[place] ^ draw.randrange(1, 256)]) + body[place + 1 :]
    yield from (body[:a] + bytes(len(body[a : a + 512])) + body[a + 512 :] for a in range(0, len(body), 97))
    yield from (body[:place] + rest for place in range(0, len(body), 501) for rest in (b"", body))
    yield body + bytes(8)


def equal(found, right):
    """Tell whether two contents are equal, with their types."""
    if isinstance(right, xr.Dataset):
        return found.identical(right) and all(found[name].dtype == right[name].dtype for name in right.variables)
    return found[0].equals(right[0]) and list(found[0].dtypes) == list(right[0].dtypes) and found[1] == right[1]


@each_case
def test_damage_is_seen(case, tmp_path):
    """Checksums of HDF5 and Parquet alone miss 3 and 27 of 4000 flipped bytes, and one more makes HDF5 read for ever."""
    write, read, content = CASES[case]
    path = tmp_path / "file"
    write(path, *content)
    body, right = path.read_bytes(), read(path)
    files, told = set(damages(body, case)) - {body}, []  # a lost sector may have held zeros
    for damaged in files:
        path.write_bytes(damaged)
        try:
            assert equal(read(path), right)
        except RotastackError as error:
            told.append(str(error))
    assert "\n" not in "".join(told)
    assert all(line.endswith(DELETE) for line in told)
    assert len(told) > 0.95 * len(files), "only the mark before the checksum of Parquet may change"


@each_case
def test_the_checksum_changes_no_content_and_no_byte(case, tmp_path):
    write, read, content = CASES[case]
    for name in ("a", "b"):
        write(tmp_path / name, *content)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert equal(read(tmp_path / "a"), (content[0], dict(*content[1:])) if write is write_frame else content[0])
    others = pd.read_parquet if write is write_frame else partial(xr.load_dataset, engine="h5netcdf")
    assert others(tmp_path / "a").equals(content[0]), "other programs read it"


def test_a_parquet_file_of_another_program_has_no_checksum_and_is_read_but_arrays_have_one(tmp_path):
    PREPARED.to_parquet(tmp_path / "a.parquet", compression="gzip")
    assert equal(read_frame(tmp_path / "a.parquet"), (PREPARED, {}))
    POOL.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    with pytest.raises(RotastackError, match=r"a\.nc: damaged \(its checksum does not fit\); delete it and run again$"):
        read_arrays(tmp_path / "a.nc")
