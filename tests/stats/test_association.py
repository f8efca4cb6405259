"""The permutation test of outputs and targets over rows."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, spearmanr

from rotastack.stats.association import association_p

RNG = np.random.default_rng(0)


def test_two_classes_are_the_rank_test():
    y, score = RNG.integers(0, 2, 60), RNG.normal(size=60)
    outputs = np.column_stack([-score, score])
    expected = mannwhitneyu(
        score[y == 1], score[y == 0], alternative="greater", method="asymptotic", use_continuity=False
    )
    assert association_p([(np.arange(60), y, outputs)], 60, 2) == pytest.approx(expected.pvalue)


def test_mean_and_variance_are_those_of_all_permutations():
    y, output = RNG.normal(size=6), RNG.normal(size=(6, 1))
    every = [spearmanr(y[list(order)], output[:, 0]).statistic for order in permutations(range(6))]
    z = (spearmanr(y, output[:, 0]).statistic - np.mean(every)) / np.std(every)
    from scipy.stats import norm

    assert association_p([(np.arange(6), y, output)], 6, None) == pytest.approx(norm.sf(z))


def test_repeats_of_the_same_outputs_are_no_more_evidence():
    y, output = RNG.normal(size=50), RNG.normal(size=(50, 1))
    cell = (np.arange(50), y, output)
    assert association_p([cell] * 10, 50, None) == pytest.approx(association_p([cell], 50, None))


def test_the_levels_of_cells_are_no_evidence():
    """In order of time, a constant forecast of each span follows a trend; it knows nothing of the rows within a span."""
    cells = [(np.arange(k * 10, k * 10 + 10), k + RNG.normal(size=10), np.full((10, 1), float(k))) for k in range(5)]
    assert association_p(cells, 50, None) == 1.0
