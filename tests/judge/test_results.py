"""The choice among the methods of a data set."""

import numpy as np
import pandas as pd
import pytest

from rotastack.stats.resampled_t import corrected_t
from rotastack.workflow.judge.results import choose

LOSS = {"A": 0.5, "B": 0.4, "C": 0.3}


@pytest.fixture
def cells():
    """A is best, B within chance of it, and C beyond chance worse."""
    noise = np.random.default_rng(0).normal(0, 0.01, (10, 2))
    table = pd.DataFrame({"A": 0.2 + noise[:, 0], "B": 0.203 + noise[:, 1]}).assign(C=0.3)
    assert corrected_t(table["A"], table["B"], 4, 1).p > 0.05
    return table


def test_the_least_log_loss_chooses_among_ties_alone(cells):
    assert choose(cells, "error", LOSS, {}, 0.25)[:3] == ("B", ["A", "B"], 0.4)
    assert choose(1 - cells, "roc_auc", LOSS, {}, 0.25).method == "B"
    assert choose(cells, "error", {"A": 0.4, "B": 0.5}, {}, 0.25).method == "A"


def test_equal_log_loss_is_decided_by_time(cells):
    loss = {"A": 0.40001, "B": 0.40002}
    assert choose(cells, "error", loss, {"A": 2.0, "B": 1.0}, 0.25).method == "B"
    assert choose(cells, "error", loss, {"A": 1.0, "B": 2.0}, 0.25).method == "A"


@pytest.mark.parametrize(("n", "ratio"), [(10, None), (2, 0.25), (10, 2.0)])
def test_without_a_meaningful_interval_only_equal_means_tie(cells, n, ratio):
    assert choose(cells[:n], "error", LOSS, {}, ratio).tied == [cells[:n].mean().idxmin()]
    equal = cells[:n].assign(B=cells["A"] + 1e-9)
    assert choose(equal, "error", LOSS, {}, ratio).tied == ["A", "B"]


def test_failed_methods_are_never_chosen(cells):
    cells.loc[3, "A"] = np.nan
    assert choose(cells, "error", LOSS, {}, 0.25).method == "B"
    assert choose(cells * np.nan, "error", LOSS, {}) is None
