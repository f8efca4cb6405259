"""Random splits: sizes, levels, and what they do not depend on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.errors import RotastackError
from rotastack.resampling.holdout import repeated_holdout


@given(n=st.integers(10, 60), share=st.floats(0.3, 0.8), seed=st.integers(0, 99))
def test_sizes_and_prefixes(n, share, seed):
    y = np.arange(n) % 2
    few = repeated_holdout(y, 3, share, seed)
    assert (few.sum(axis=1) == n - round(share * n)).all()
    np.testing.assert_array_equal(repeated_holdout(y, 5, share, seed)[:3], few)
    for test in few:
        assert set(y[~test]) == {0, 1}


def test_rows_are_tested_equally_often():
    test = repeated_holdout(np.arange(30) % 3, 2000, 0.7, 0)
    assert abs(test.mean(axis=0) - 0.3).max() < 5 * np.sqrt(0.21 / 2000)


def test_every_level_is_trained_on():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    levels = np.stack([rng.integers(0, 3, 60), np.where(np.arange(60) < 2, 1, 0)], axis=1)
    for test in repeated_holdout(y, 50, 0.5, 1, levels=levels):
        for column in levels.T:
            assert set(column[~test]) == set(column)


def test_many_rare_levels_are_put_into_training_with_a_warning():
    levels = np.stack([np.arange(40) == k for k in range(12)], axis=1).astype(int)
    with pytest.warns(UserWarning, match="5 of 5 splits: training first got a row of each class and level"):
        splits = repeated_holdout(np.arange(40) % 2, 5, 0.5, 0, levels=levels)
    for test in splits:
        assert all(len(set(column[~test])) == 2 for column in levels.T)
    assert (splits.sum(axis=1) == 20).all()
    assert len({tuple(s) for s in splits}) == 5


@pytest.mark.filterwarnings("ignore:.*put into training first")
def test_levels_that_a_few_rows_hold_together_fit_into_few_rows():
    levels = np.stack([np.arange(30) % 10, (np.arange(30) * 3) % 10], axis=1)
    for seed in range(20):
        (test,) = repeated_holdout(np.arange(30) // 10 % 2, 1, 12 / 30, seed, levels=levels)
        assert all(len(set(column[~test])) == 10 for column in levels.T)


def test_a_whole_number_is_a_number_of_rows():
    y = np.arange(40) % 2
    np.testing.assert_array_equal(repeated_holdout(y, 3, 10, 0), repeated_holdout(y, 3, 0.25, 0))
    assert (repeated_holdout(y, 3, np.int64(39), 0).sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("y", "given", "message"),
    [
        ([0, 1], (1, 2), "2 rows for training leaves no training or no test rows; the table has 2 rows"),
        ([0, 1], (1, 0.1), "leaves no training or no test rows"),
        ([0, 1], (0,), "n_repeats must be at least 1"),
        (range(10), (1, 0.5), "cannot contain all classes and levels; at least 10 rows are needed"),
    ],
)
def test_bad_sizes_are_named(y, given, message):
    with pytest.raises(RotastackError, match=message):
        repeated_holdout(np.array(y), *given)
