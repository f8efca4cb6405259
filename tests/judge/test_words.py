"""Numbers are printed in as many digits as their spread needs."""

import pytest

from rotastack.workflow.judge.words import in_digits


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
