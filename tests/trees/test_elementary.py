"""The kernel's own logarithms, powers and cosines, against arithmetic of many digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rotastack.trees.kernel.batches import _cos_turns, _exp2, _log2, times_log2

UNITS = 3
"""Units in the last place that a result may be off."""


def digits_off(found, exact: Decimal) -> float:
    return float(abs(Decimal(found) - exact)) / np.spacing(abs(float(exact)))


@given(st.floats(1e-300, 1e300) | st.floats(0.9, 1.1))
def test_logarithms(x):
    with localcontext(prec=50):
        exact = Decimal(x).ln() / Decimal(2).ln()
    assert _log2(x) == 0 if x == 1 else digits_off(_log2(x), exact) <= UNITS


@given(st.floats(-1000, 999))
def test_powers(x):
    with localcontext(prec=50):
        exact = (Decimal(x) * Decimal(2).ln()).exp()
    assert digits_off(_exp2(x), exact) <= UNITS


@given(st.floats(0, 1))
def test_cosines(turns):
    assert _cos_turns(turns) == pytest.approx(math.cos(2 * math.pi * turns), abs=1e-15)


@pytest.mark.parametrize(
    ("function", "x", "exact"),
    [
        *((_log2, 2.0**k, k) for k in (-1022, -40, -1, 0, 1, 2, 10, 52, 1023)),
        *((_exp2, k, 2.0**k) for k in (-40, -1, 0, 1, 2, 10, 52)),
        *((_exp2, x, 0) for x in (-1000.5, -1e300, -math.inf)),
        *((_cos_turns, k / 4, (1, 0, -1, 0, 1)[k]) for k in range(5)),
    ],
)
def test_exact_values(function, x, exact):
    assert function(x) == exact


def test_the_table_of_whole_weights():
    table = times_log2(1000)
    x = np.arange(1, 1000)
    np.testing.assert_allclose(table[1:], x * np.log2(x), rtol=1e-15)
    assert table[0] == table[1] == 0
    assert table[512] == 512 * 9
    assert len(times_log2(0)) == 0
