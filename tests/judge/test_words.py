"""Numbers are printed in as many digits as their spread needs."""

import pytest

from rotastack.workflow.judge.words import in_digits, printer, score_cell


@pytest.mark.parametrize(
    ("values", "units", "texts"),
    [
        ([152.13348, -0.25, 1.0], [77.0], ["152.133", "-0.25", "1"]),
        ([101325.05123, 101324.9], [0.05], ["101325.05123", "101324.9"]),
        ([2459000.5], [0.0, float("nan"), 1e-2], ["2459000.5"]),
        ([1234567.25, float("nan")], [1e6], ["1234567", "nan"]),
        ([1.5e-19], [1e-20], ["1.5e-19"]),
        ([101325.0512345], [0.0], ["101325.0512345"]),
        ([0.0], [], ["0"]),
    ],
)
def test_digits_tell_numbers_apart(values, units, texts):
    assert in_digits(values, *units) == texts


@pytest.mark.parametrize(
    ("score", "one", "other"), [("error", 0.2875, 0.28750000000000003), ("f1", 0.3125, 0.31249999999999994)]
)
def test_sums_in_another_order_print_the_same(score, one, other):
    """A sentence and a table print one score, but sum its splits in different orders."""
    assert one != other
    assert printer(score, [one])(one) == printer(score, [other])(other)
    assert score_cell(one / 10, "classification") == score_cell(other / 10, "classification")
