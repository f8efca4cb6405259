"""Every illustration that a study can name is drawn somewhere and explained."""

import numpy as np
import pytest

from rotastack.project import project_file
from rotastack.schema import schema
from rotastack.study.components import illustration_module, load
from rotastack.study.illustrations import machines, rotations
from rotastack.study.job import Job
from rotastack.study.steps import illustrate

NAMES = schema("study")["properties"]["illustrations"]["items"]["enum"]


def curves(axis):
    return {line.get_label(): np.asarray(line.get_ydata()) for line in axis.lines}


def test_names_drawings_and_captions_belong_together():
    assert set(NAMES) == {*rotations.DRAW, *machines.DRAW}
    for name in NAMES:
        assert name in load(illustration_module(name)).DRAW
        assert project_file(f"workflow/report/illustration_{name}.rst").is_file()


def test_the_step_writes_what_is_asked_for_the_same_twice(tmp_path):
    files = {}
    for folder in "ab":
        (tmp_path / folder).mkdir()
        paths = [tmp_path / folder / f"weights.{kind}" for kind in ("svg", "png")]
        illustrate.run(Job("illustrate", {"seed": 1}, {}, {"figures": paths}, {}))
        files[folder] = [path.read_bytes() for path in paths]
    assert files["a"] == files["b"]


@pytest.mark.parametrize("power", [1, 2])
def test_objectives_fall_to_the_optimum(monkeypatch, power):
    monkeypatch.setattr(machines, "ROWS", 200)
    monkeypatch.setattr(machines, "ITERATIONS", 60)
    figure = machines.DRAW["exrm_convergence"](np.random.SeedSequence(0))
    axis = figure.axes[power - 1]
    assert axis.get_title() == f"loss of power {power}"
    drawn = curves(axis)
    assert list(drawn) == ["ExRM 5", "ExRM 10", "ExRM 30", "exact optimum"]
    for path in list(drawn.values())[:3]:
        assert path[0] == 1
        assert path.min() > -1e-6
        assert path[-1] < 0.05
    assert (drawn["exact optimum"] == 0).all()


def test_seconds_are_those_of_every_machine_and_size(monkeypatch):
    monkeypatch.setattr(machines, "SIZES", (40, 80))
    (axis,) = machines.DRAW["exrm_seconds"](np.random.SeedSequence(0)).axes
    drawn = curves(axis)
    assert len(drawn) == 7
    assert all(len(seconds) == 2 and (seconds > 0).all() for seconds in drawn.values())
    assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")


def test_table_2_has_every_machine_here_and_as_printed(monkeypatch):
    monkeypatch.setattr(machines, "WIDTHS", (3,))
    monkeypatch.setattr(machines, "TRAINING", 40)
    (axis,) = machines.DRAW["exrm_table_2"](np.random.SeedSequence(0)).axes
    here, printed = axis.lines
    assert [tick.get_text() for tick in axis.get_yticklabels()] == list(machines.PRINTED)
    assert printed.get_xdata().tolist() == list(machines.PRINTED.values())
    assert (here.get_xdata() > 0).all()
