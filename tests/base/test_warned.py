"""Warnings are ignored within blocks, and no block leaves a filter behind."""

import time
import warnings
from threading import Barrier

import pytest
from joblib import Parallel, delayed

from rotastack.base.warned import ignoring

BOTH = Barrier(2, timeout=20)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_block_that_outlives_another_still_ignores_and_leaves_no_filter_behind(order):
    def one(k):
        with ignoring("of a kind"):
            BOTH.wait()
            time.sleep(0.1 * k)
            warnings.warn("of a kind", stacklevel=1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        Parallel(2, prefer="threads")(delayed(one)(k) for k in order)
        assert caught == []
        assert warnings.filters == before


def test_an_inner_block_takes_its_filter_back():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ignoring("outer"):
            with ignoring("inner"), ignoring("outer"):
                warnings.warn("inner", stacklevel=1)
            for text in ("inner", "outer"):
                warnings.warn(text, stacklevel=1)
    assert [str(w.message) for w in caught] == ["inner"]


def test_a_block_keeps_to_the_filters_of_a_block_of_python():
    with ignoring("outer"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ignoring("inner"):
            for text in ("inner", "outer"):
                warnings.warn(text, stacklevel=1)
        warnings.warn("inner", stacklevel=1)
    assert [str(w.message) for w in caught] == ["outer", "inner"]
