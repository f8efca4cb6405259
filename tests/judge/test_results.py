"""The choice among the methods of a data set."""

import numpy as np
import pandas as pd
import pytest

from rotastack.workflow.judge.results import RowTests, all_means, choose, sorted_means

LOSS = {"A": 0.5, "B": 0.4, "C": 0.3}


def of_influences(influences, means):
    """Return the tests of methods by columns of influences, and their means."""
    about = {
        "unit": "rows",
        "times": 1,
        "widening": dict.fromkeys(influences, 1.0),
        "fewest": dict.fromkeys(influences, len(influences)),
    }
    return RowTests(influences, **about, means=means, alpha=0.05)


def row_tests(losses):
    """Return the tests of methods by a column of losses each, and their means, best first."""
    means, n = sorted_means(losses, "error"), len(losses)
    return of_influences((losses - losses.mean()) / np.sqrt(n * (n - 1)), means), means


def chosen(losses, breaker=LOSS, seconds=()):
    test, means = row_tests(losses)
    return choose(means, breaker, dict(seconds), test)


@pytest.fixture
def losses():
    """A is best, B is not told apart from A, and C is."""
    at = np.arange(100)
    return pd.DataFrame({"A": at < 20, "B": at >= 79, "C": at < 60}).astype(float)


@pytest.mark.parametrize(
    ("changes", "rows", "options", "method", "alike"),
    [
        ({}, 100, {}, "B", "AB"),  # of the methods that are not told apart, that of the least log loss
        ({}, 100, {"breaker": {"A": 0.4, "B": 0.5}}, "A", "AB"),
        ({}, 100, {"breaker": {"A": 0.40001, "B": 0.40002}, "seconds": {"A": 2.0, "B": 1.0}}, "B", "AB"),
        ({}, 100, {"breaker": {"A": 0.40002, "B": 0.40001}, "seconds": {"A": 1.0, "B": 2.0}}, "A", "AB"),
        ({}, 1, {}, "B", "B"),  # one row has no variance
        ({"A": np.nan}, 100, {}, "B", "B"),  # failed
    ],
)
def test_the_choice(losses, changes, rows, options, method, alike):
    found = chosen(losses.assign(**changes).iloc[:rows], **options)
    assert (found.method, found.alike) == (method, [*alike])


def test_without_a_difference_all_are_alike_and_of_failures_none_is_chosen(losses):
    assert chosen(losses.assign(B=losses["A"] + 1e-9)[["A", "B"]]).alike == ["A", "B"]
    assert chosen(losses * np.nan) is None


def test_the_candidates_are_a_block_of_the_ranking(losses):
    """C is told apart from A; D, which is worse, is not, as its losses are of other rows."""
    at = np.arange(100)
    losses = losses.assign(B=at < 32, D=at >= 66)[["A", "B", "D"]].astype(float)
    test, _ = row_tests(losses)
    assert test("B", "A").p < 0.05 < test("D", "A").p
    assert chosen(losses).alike == ["A"]


def test_means_in_units_of_the_target_keep_their_digits():
    cells = pd.DataFrame(
        {"dataset": "d", "method": [*"AABB"], "rmse": [1e-19, 2e-19, 0.1, 0.2], "r2": [1e-17, 0, 0.1, 0.2]}
    )
    means = all_means(cells, "mean").set_index("method")
    assert (means["rmse"].tolist(), means["r2"].tolist()) == ([1.5e-19, 0.15], [0, 0.15])


def test_methods_with_a_difference_of_rounding_errors_are_equal():
    nothing = pd.DataFrame(np.zeros((10, 2)), columns=["A", "B"])
    found = of_influences(nothing, pd.Series({"A": 0.3, "B": 0.1 + 0.2}))("A", "B")
    assert (found.difference, found.p) == (0, 1)
