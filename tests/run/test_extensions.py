"""What an extension module is compiled from: found by its cimports, and read without what does not count."""

import pytest

from rotastack.run.extensions import code_of, files_of, imports_of

SOURCE = '''"""Sums of squares."""

import numpy as np
from rotastack.errors import RotastackError as Error, nearest

cimport cython
from libc.math cimport sqrt
from rotastack.trees.kernel cimport adding
from rotastack.trees.kernel.squares cimport (
    square,  # of a number
    cube as third,
)


cdef extern from *:
    """
    #define TWICE(x) (2 * (x))  /* not a square */
    """
    double TWICE(double) nogil


def total(const double[::1] x, str mark="# no comment"):
    """Return the sum."""
    cdef double found = 0.0
    for i in range(x.shape[0]):
        found += square(x[i])
    return found
'''
SQUARES = '''"""Squares."""

cdef inline double square(double x) noexcept nogil:
    """Return x times x."""
    return x * x
'''
FLAGS = """# Sums in the order stated.
exact = ['-ffp-contract=off']

foreach name : ['sums']
"""


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "trees" / "kernel"
    folder.mkdir(parents=True)
    (folder / "sums.pyx").write_text(SOURCE)
    (folder / "squares.pxd").write_text(SQUARES)
    (folder / "adding.pxd").write_text("from rotastack.trees.kernel.squares cimport square\n")
    (folder / "math.pxd").write_text("cdef int not_that_of_libc\n")
    (folder / "alone.pxd").write_text("cdef int of_nobody\n")
    (folder / "meson.build").write_text(FLAGS)
    return tmp_path


def code(package):
    return code_of(files_of(package / "trees/kernel/sums.pyx", package))


def test_cimports_of_the_package_are_followed(package):
    files = files_of(package / "trees/kernel/sums.pyx", package)
    assert [f.name for f in files] == ["adding.pxd", "squares.pxd", "sums.pyx", "meson.build"]


def test_imports_are_those_of_python_alone(package):
    found = imports_of(package / "trees/kernel/sums.pyx")
    assert found == ["numpy", "rotastack.errors", "rotastack.errors.RotastackError", "rotastack.errors.nearest"]


UNSEEN = {
    "a docstring": ("sums.pyx", '"""Sums of squares."""', '"""Other\nwords: cdef int x."""'),
    "the docstring of a function": ("squares.pxd", '    """Return x times x."""\n', ""),
    "a comment": ("squares.pxd", "    return x * x", "    # by itself\n\n    return x * x  # 'quoted'"),
    "a comment in C": ("sums.pyx", "/* not a square */", "// twice"),
    "layout": ("sums.pyx", "def total(const double[::1] x, str", "def total(\n        const double[::1]  x,\n    str"),
    "indentation": ("squares.pxd", '    """Return x times x."""\n    return x', '  """Return."""\n  return \\\n x'),
    "comments on flags": ("meson.build", "# Sums in the order stated.\n", "\n"),
    "another module": ("meson.build", "['sums']", "['sums', 'more']"),
    "what nobody cimports": ("alone.pxd", "of_nobody", "of_none"),
}  # fmt: skip
SEEN = {
    "a number": ("sums.pyx", "= 0.0", "= 1.0"),
    "what is called": ("squares.pxd", "x * x", "x + x"),
    "a text": ("sums.pyx", "# no comment", "# none"),
    "depth": ("sums.pyx", "    return found", "        return found"),
    "code in C": ("sums.pyx", "(2 * (x))", "(3 * (x))"),
    "a type": ("squares.pxd", "double square(double", "float square(float"),
    "a promise": ("squares.pxd", " nogil", ""),
    "flags": ("meson.build", "contract=off", "contract=fast"),
}


@pytest.mark.parametrize("what", UNSEEN)
def test_what_does_not_count(package, what):
    before = code(package)
    edit(package, *UNSEEN[what])
    assert code(package) == before


@pytest.mark.parametrize("what", SEEN)
def test_what_counts(package, what):
    before = code(package)
    edit(package, *SEEN[what])
    assert code(package) != before


def edit(package, name, old, new):
    path = package / "trees/kernel" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
