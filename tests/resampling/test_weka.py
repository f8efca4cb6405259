"""WEKA's folds: their random numbers are Java's, and they are stratified. `tests/published` has what WEKA printed with them."""

import numpy as np
import pytest

from rotastack.errors import RotastackError
from rotastack.resampling.weka import _JavaRandom, weka_folds


@pytest.mark.parametrize(
    ("bound", "expected"), [(10, [5, 8, 7, 3, 4, 4, 4, 6, 8, 8]), (1000, [985, 588, 847, 313, 254])]
)
def test_random_numbers_are_those_of_java(bound, expected):
    """Each is what ``new java.util.Random(1).nextInt(bound)`` returns."""
    random = _JavaRandom(1)
    assert [random.below(bound) for _ in expected] == expected


@pytest.mark.parametrize(("n", "n_folds"), [(3, 3), (50, 10), (97, 10), (101, 7)])
def test_folds_are_a_stratified_partition(n, n_folds):
    y = np.random.default_rng(n).integers(0, 3, n).astype(str)
    folds = weka_folds(y, n_folds, seed=2)
    sizes = np.bincount(folds, minlength=n_folds)
    assert sizes.tolist() == [n // n_folds + (fold < n % n_folds) for fold in range(n_folds)]
    for label in np.unique(y):
        of_class = np.bincount(folds[y == label], minlength=n_folds)
        assert of_class.max() - of_class.min() <= 2
    assert (weka_folds(y, n_folds, seed=2) == folds).all()
    if n > 3:
        assert (weka_folds(y, n_folds, seed=3) != folds).any()


@pytest.mark.parametrize(("n_folds", "message"), [(3, "2 rows cannot be split into 3 folds"), (1, "at least 2, got 1")])
def test_too_few_rows_or_folds_are_refused(n_folds, message):
    with pytest.raises(RotastackError, match=message):
        weka_folds([0, 1], n_folds)
