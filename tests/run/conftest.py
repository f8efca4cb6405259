"""A folder in which steps run."""

import pytest
from tests.run.running import iris_table, split


@pytest.fixture
def folder(tmp_path):
    """Iris as prepared, with four splits at random."""
    iris_table(tmp_path)
    split(tmp_path)
    return tmp_path
