"""Every script of the gallery runs, and draws what its text says."""

import re
from pathlib import Path

import pytest
from tests.examples.claims import CLAIMS

FOLDER = Path(__file__).parents[2] / "examples"
SLOW = (
    "boosting_on_views",
    "boundaries",
    "calibration",
    "class_weights",
    "comparing_methods",
    "exrm_seconds",
    "exrm_table_2",
    "how_many_trees",
    "noisy_square",
    "prediction_intervals",
    "projections",
    "pruned_to_a_tenth",
    "questions",
    "rotated",
    "spheres",
    "stacking_step_by_step",
    "when_rotations_help",
)
"""Scripts of more than a second; the others run in `make test`."""
SCRIPTS = sorted(path.stem.removeprefix("plot_") for path in FOLDER.glob("plot_*.py"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in SCRIPTS])
def test_a_script_draws(gallery, name):
    ran = gallery(name)
    assert ran.figures
    for figure in ran.figures:
        assert any(axis.has_data() for axis in figure.axes)
        figure.canvas.draw()
    CLAIMS.get(name, lambda ran: None)(ran)


def test_the_lists_have_every_script_by_its_question_in_the_same_order():
    listed, linked = ((FOLDER / name).read_text(encoding="utf-8") for name in ("README.rst", "GALLERY_HEADER.rst"))
    for name in SCRIPTS:
        title = (FOLDER / f"plot_{name}.py").read_text(encoding="utf-8").splitlines()[1]
        assert f"\n* {title} ``plot_{name}.py``\n" in f"{listed}\n"
    found = re.findall(r"plot_(\w+)\.py`", listed)
    assert found == re.findall(r"plot_(\w+)\.py`", linked)
    assert sorted(found) == sorted({*found, *CLAIMS}) == SCRIPTS
