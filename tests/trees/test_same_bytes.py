"""The same trees on every machine, by every compiler and for every width of vectors: by what was recorded, and built anew."""

import json
import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.trees import small_cases

ROOT = Path(__file__).resolve().parents[2]
RECORDED = {
    "gini": "a92641d80c890de0",  # the default forest: bags, columns drawn for each split
    "entropy": "66b307b69fb949d0",  # another criterion, and all columns for each split
    "bagged_c45": "5c83157b998bdb8d",  # gain ratio on bags
    "not_bagged": "7a90b1423c99013b",  # no bags: no out-of-bag votes
    "extra": "9b90b622f3cd7b88",  # random cuts, several for each column
    "extra_bagged": "2360bb9844f1021c",  # random cuts on weighted rows
    "c45": "b5d82fd347c02003",  # one tree with C4.5's pruning and raising of subtrees
    "c45_unpruned": "ae0b098c47fbb551",  # the tree before pruning
    "boosted": "9a1fdaf5ffbb2659",  # weights that change from tree to tree
    "flagship": "5f8d81b75702ab4a",  # all families, and boosted trees, for classes
    "regression": "c503a1dd91abca05",  # squared error: other sums than counts
    "cost_complexity": "695f73aa9310efe9",  # pruning by cost and complexity
    "extra_regression": "e8af92c78a85def5",  # random cuts for numbers
    "flagship_regression": "dbda15257d1f85f1",  # all families, and boosted trees, for numbers
    "weights": "380835888e24a9da",  # weights of 0 and fractions, for classes
    "regression_weights": "fc1ae4bc2df4292e",  # the same for numbers
    "categories": "3210ec1d6f447ae7",  # pairs and categories as columns, for classes
    "numbers_of_categories": "ba6e693ed47c707e",  # the same for numbers
    "views": "9120857abcfda779",  # views of all columns, of some, and of none in one forest
    "missing": "c9ce9e12f17d706a",  # every criterion with missing values, whose side is learned
}
"""Case -> hash. Each case adds a part of the kernel, which its comment names."""


@pytest.mark.parametrize("case", small_cases.CASES)
def test_trees_are_those_that_were_recorded(case):
    assert small_cases.hash_of(case) == RECORDED[case]


BUILDS = {
    "plain": "-DROTASTACK_WIDE=",  # for any x86-64: no function is compiled for several widths
    "widest": "-march=native -DROTASTACK_WIDE=",
}


@pytest.mark.slow
# Elsewhere what was recorded is tested by the test above, with the build that there is.
@pytest.mark.skipif(
    platform.machine() != "x86_64" or os.name == "nt",
    reason="only x86-64 has several widths of vectors, and MSVC knows no -march",
)
# A build takes a minute. The tests' own build has the widest functions of the machine, by ROTASTACK_WIDE.
@pytest.mark.parametrize("build", ["plain", pytest.param("widest", marks=pytest.mark.nightly)])
def test_trees_do_not_depend_on_the_width_of_vectors(build, tmp_path):
    flags = f"setup-args=-Dc_args={BUILDS[build]}"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--config-settings", flags, "-w", tmp_path]
    subprocess.run([*pip, "wheel", *options, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = "import rotastack, runpy, sys; print(rotastack.__file__, file=sys.stderr); runpy.run_path(sys.argv[1], run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, small_cases.__file__],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(tmp_path) in done.stderr
    assert json.loads(done.stdout) == RECORDED
