"""Pictures of linear machines draw what their text says."""

from types import SimpleNamespace

import numpy as np
import pytest


@pytest.mark.parametrize("power", [1, 2])
def test_objectives_fall_to_the_optimum(gallery, power):
    axis = gallery("exrm_convergence").figures[0].axes[power - 1]
    assert axis.get_title() == f"loss of power {power}"
    drawn = {line.get_label(): np.asarray(line.get_ydata()) for line in axis.lines}
    assert list(drawn) == ["ExRM 5", "ExRM 10", "ExRM 30", "exact optimum"]
    for path in list(drawn.values())[:3]:
        assert path[0] == 1
        assert path.min() > -1e-6
        assert path[-1] < {1: 0.05, 2: 0.001}[power]
    assert (drawn["exact optimum"] == 0).all()


@pytest.mark.slow
def test_seconds_are_those_of_every_machine_and_size(gallery):
    ran = gallery("exrm_seconds")
    (axis,) = ran.figures[0].axes
    assert [line.get_label() for line in axis.lines] == list(ran.machines)
    assert len(ran.machines) == 7
    for line in axis.lines:
        assert tuple(line.get_xdata()) == ran.SIZES
        assert (np.asarray(line.get_ydata()) > 0).all()
    assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")


@pytest.mark.slow
def test_table_2_has_every_machine_here_and_as_printed(gallery):
    ran = gallery("exrm_table_2")
    (axis,) = ran.figures[0].axes
    here, printed = axis.lines
    assert set(ran.machines) == set(ran.PRINTED)
    assert [tick.get_text() for tick in axis.get_yticklabels()] == list(ran.PRINTED)
    assert list(printed.get_xdata()) == list(ran.PRINTED.values())
    assert list(here.get_xdata()) == [ran.seconds[label] for label in ran.PRINTED]
    assert min(here.get_xdata()) > 0
    assert len(ran.COLUMNS) == 8


def test_the_clock_takes_the_fastest_run(shared, monkeypatch):
    times = iter([0.0, 5.0, 10.0, 12.0, 20.0, 23.0])
    monkeypatch.setattr(shared.time, "perf_counter", lambda: next(times))
    machine = SimpleNamespace(fit=lambda X, y: None)
    assert shared.seconds_of_training(machine, None, None, n_runs=3) == 2.0


def test_linear_problems_are_noisy_and_nearly_balanced(shared):
    X, y = shared.linear_problem(20_000, np.random.default_rng(0))
    assert X.shape == (20_000, 22)
    assert abs(X).max() <= 1
    assert 0.3 < y.mean() < 0.5
    wrong = (X @ np.cos(np.arange(22)) > 0.5) != y
    assert 0.05 < wrong.mean() < 0.15
