"""What the shell offers: commands, options and their values."""

import os
import subprocess
import sys

import pytest


def offered(folder, line):
    """Return what argcomplete answers to the shell, which asks by variables."""
    asked = {
        "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "offered"), "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
    }  # fmt: skip
    subprocess.run([sys.executable, "-m", "rotastack"], env={**os.environ, **asked}, cwd=folder, check=True, timeout=60)
    return [word.strip() for word in (folder / "offered").read_text().splitlines()]


@pytest.mark.parametrize(("line", "found"), [
    ("rotastack ex", ["explain"]), ("rotastack run t.csv --score roc", ["roc_auc"]), ("rotastack run --size m", ["medium"]),
    ("rotastack run --profile sl", ["slurm"]), ("rotastack run t", ["t.csv", "tiny"]), ("rotastack explain mi", ["mine"]),
])  # fmt: skip
def test_values_are_offered(tmp_path, line, found):
    (tmp_path / "t.csv").write_text("a,b\n")
    (tmp_path / "t.txt").write_text("")
    model = tmp_path / "results/mine/d/model/model.skops"
    model.parent.mkdir(parents=True)
    model.touch()
    assert sorted(offered(tmp_path, line)) == found
