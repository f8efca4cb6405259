"""The compiled parts, each against a plain computation."""

import numpy as np
import pytest
from scipy.stats import kstest

from rotastack.trees import ExtraForestClassifier
from rotastack.trees.bags import draw_many_below, draw_many_units
from rotastack.trees.kernel.batches import _sort_rows

SHAPES = {
    "even": lambda rng, n: rng.random(n),
    "normal": lambda rng, n: rng.standard_normal(n) * 1e3,
    "heavy tails": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "few values": lambda rng, n: rng.integers(0, 3, n),
    "one outlier": lambda rng, n: np.r_[1e30, rng.random(n - 1)],
    "next to each other": lambda rng, n: np.float32(1) + rng.integers(0, 5, n) * np.finfo(np.float32).eps,
    "subnormal": lambda rng, n: rng.integers(-9, 9, n) * 1e-44,
    "the whole range": lambda rng, n: rng.choice([-3e38, 3e38, 0, 1, -1], n),
    "two clusters": lambda rng, n: rng.random(n) * 1e-6 + rng.integers(0, 2, n),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 3, 8, 9, 20, 21, 64, 500, 3000, 70000])
def test_sorting(shape, n):
    rng = np.random.default_rng(n)
    values = SHAPES[shape](rng, n).astype(np.float32)
    rows = rng.permutation(2 * n)[:n].astype(np.uint32)
    column = np.zeros(rows.max() + 1, np.float32)
    column[rows] = values
    found = np.array(_sort_rows(column, rows))  # the row numbers in the kernel's order of the values
    assert sorted(found) == sorted(rows)
    assert (values[np.argsort(rows)[np.searchsorted(np.sort(rows), found)]] == np.sort(values)).all()


def test_random_cuts_lie_between_the_values():
    rng = np.random.default_rng(0)
    X = rng.random((200, 3)).astype(np.float32)
    y = rng.integers(0, 2, 200)
    cuts = [
        ExtraForestClassifier(1, max_depth=1, max_features=None, random_state=s).fit(X, y).forest_.nodes["cut"][0]
        for s in range(40)
    ]
    assert 0 <= min(cuts) < 0.3 < 0.7 < max(cuts) <= 1


def test_random_numbers_are_even():
    """The bags of trees are drawn by the same numbers in Python: see `test_weights.py`."""
    draws, units = draw_many_below(7, 10, 20000), draw_many_units(7, 20000)
    counts = np.bincount(draws, minlength=10)
    assert ((counts - 2000) ** 2 / 2000).sum() < 27.9  # chi-squared, 9 df, 0.999
    assert kstest(units, "uniform").pvalue > 1e-3
