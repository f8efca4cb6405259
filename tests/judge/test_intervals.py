"""Intervals that tests on later rows widen, by hand and by simulation."""

import numpy as np

from rotastack.workflow.judge.intervals import coverage_in_words, coverage_of_spans, widened


def spans(rng, n_spans, n, scale=1.0, shift=0.0):
    """Return targets of normal noise, and intervals that hold 90 % of standard normal ones."""
    ends = np.tile([-1.645, 1.645], (n, 1))
    return [(scale * rng.standard_normal(n) + shift * rng.standard_normal(), ends) for _ in range(n_spans)]


def test_the_factor_is_the_need_of_a_row():
    targets = np.array([0, 0, 0, 0, 1, -1, 2, 3, -4.0])
    ends = np.tile([-1.0, 1.0], (9, 1))
    found = coverage_of_spans([(targets, ends), (targets, ends)])
    assert found == {"rows": 18, "held": 12 / 18, "times": 4.0, "then_held": 1.0, "least": 1.0, "most": 1.0}
    assert widened(ends, found).tolist() == [[-4, 4]] * 9
    assert widened(np.array([[10.0, 12.0]]), {"times": 1.5}).tolist() == [[9.5, 12.5]]
    few = coverage_of_spans([(targets[:4], ends[:4])] * 3)
    assert few == {"rows": 12, "held": 1.0}, "a span's factor comes from eight rows"
    assert "100% of 12 later rows, too few" in coverage_in_words(few)


def test_intervals_are_never_narrowed_and_may_have_no_width():
    y, wide = np.linspace(-1, 1, 50), np.tile([-9.0, 9.0], (50, 1))
    found = coverage_of_spans([(y, wide)] * 3)
    assert found["times"] == found["held"] == 1
    assert "100% of 150 later rows" in coverage_in_words(found)
    assert widened(wide, found).tolist() == wide.tolist()
    assert "times" not in coverage_of_spans([(y, np.zeros((50, 2)))] * 3)


def test_widened_intervals_hold_what_is_said_of_new_spans():
    """The errors of later rows have twice the spread, and in the second case a shift of their own in each span."""
    rng = np.random.default_rng(0)
    for shift, least in ((0.0, 0.88), (1.5, 0.8)):
        said, true = [], []
        for _ in range(100):
            found = coverage_of_spans(spans(rng, 5, 60, 2.0, shift))
            said.append(found["then_held"])
            ((y, ends),) = spans(rng, 1, 60, 2.0, shift)
            low, high = widened(ends, found).T
            true.append(np.mean((low <= y) & (y <= high)))
        assert least < np.mean(true) < 0.93
        assert abs(np.mean(said) - np.mean(true)) < 0.03
