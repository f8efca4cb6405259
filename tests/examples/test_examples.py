"""Every script of the gallery runs, and draws what its text says."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from tests.examples.claims import CLAIMS

FOLDER = Path(__file__).parents[2] / "examples"
SLOW = (
    "boosting_on_views", "boundaries", "calibration", "class_weights", "comparing_methods", "exrm_seconds", "exrm_table_2", "how_many_trees",
    "noisy_square", "prediction_intervals", "projections", "pruned_to_a_tenth", "questions", "rotated", "spheres",
    "stacking_step_by_step", "when_rotations_help",
)  # fmt: skip
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


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_fit_for_the_gallery(name):
    source = (FOLDER / f"plot_{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, underline, blank, *text = ast.get_docstring(tree).splitlines()
    assert title
    assert (underline, blank) == ("=" * len(title), "")
    assert text
    assert title.endswith("?")
    assert re.match(r"[^.?]*\?", " ".join(text).strip()), "the first sentence is a question"
    *_, shown, seen = source.split("\n# %%\n")
    assert shown.endswith("\nplt.show()\n")
    assert seen.startswith("# Result: "), "the last block states the result"
    assert all(line.startswith("# ") for line in seen.splitlines())
    assert "savefig" not in source


def test_claims_are_of_scripts_that_are_there():
    assert set(CLAIMS) <= set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_list_has_every_script_by_its_question(name):
    title = (FOLDER / f"plot_{name}.py").read_text(encoding="utf-8").splitlines()[1]
    assert f"\n* {title} ``plot_{name}.py``\n" in (FOLDER / "README.rst").read_text(encoding="utf-8") + "\n"


def test_the_site_lists_the_same_scripts_in_the_same_order():
    listed, linked = (
        re.findall(r"(plot_\w+\.py)`", (FOLDER / name).read_text(encoding="utf-8"))
        for name in ("README.rst", "GALLERY_HEADER.rst")
    )
    assert len(listed) == len(SCRIPTS)
    assert listed == linked


@pytest.mark.parametrize("name", [*(f"plot_{name}" for name in SCRIPTS), "_shared"])
def test_a_script_uses_public_names_only(name):
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("rotastack"):
            module = importlib.import_module(node.module)
            assert all(hasattr(module, alias.name) and alias.name[0] != "_" for alias in node.names)
