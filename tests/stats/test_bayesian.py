import numpy as np
import pytest

from rotastack.errors import RotastackError
from rotastack.stats import bayesian_signed_rank, signed_rank_draws

X = [
    0.823,
    0.694,
    0.614,
    0.606,
    0.885,
    0.919,
    0.812,
    0.855,
    0.79,
    0.927,
    0.886,
    0.601,
    0.9,
    0.612,
    0.855,
    0.661,
    0.902,
    0.79,
    0.705,
    0.748,
]
Y = [
    0.829,
    0.745,
    0.604,
    0.627,
    0.922,
    0.932,
    0.8,
    0.837,
    0.786,
    0.944,
    0.866,
    0.605,
    0.905,
    0.638,
    0.871,
    0.682,
    0.892,
    0.796,
    0.739,
    0.803,
]


@pytest.mark.parametrize(
    ("rope", "prior", "expected"),
    [
        (0.0, 0.5, [0.009519, 0, 0.990481]),
        (0.0053, 0.5, [0.008096, 0.006261, 0.985643]),
        (0.0103, 0.5, [0.000077, 0.328184, 0.671739]),
        (0.0103, 2.0, [0.000014, 0.428797, 0.571189]),
        (0.0203, 0.5, [0, 0.963875, 0.036125]),
    ],
)
def test_agrees_with_baycomp(rope, prior, expected):
    """Expected are the values of baycomp 1.0.3, SignedRankTest, of a million samples.

    No mean of two differences is on the border of these ropes, where baycomp depends on rounding.
    """
    found = bayesian_signed_rank(X, Y, True, rope=rope, prior=prior, n_samples=200_000, random_state=0)
    np.testing.assert_allclose(found, expected, atol=4e-3)


def test_the_better_method_has_the_lower_errors():
    errors = [0.1, 0.2, 0.3, 0.15], [0.2, 0.3, 0.4, 0.16]
    found = bayesian_signed_rank(*errors, higher_is_better=False, random_state=0)
    assert found.p_left == 1
    accuracies = [1 - np.array(column) for column in errors]
    assert found == bayesian_signed_rank(*accuracies, higher_is_better=True, random_state=0)
    draws = signed_rank_draws(*errors, higher_is_better=False, n_samples=10, random_state=0)
    assert (draws[:, 0] > draws[:, 2]).all()


def test_equal_methods():
    assert bayesian_signed_rank([0.5, 0.6], [0.5, 0.6], True, random_state=0) == (0.5, 0, 0.5)
    assert bayesian_signed_rank([0.5, 0.6], [0.5, 0.6], True, rope=0.01, random_state=0) == (0, 1, 0)
    # Equal but for rounding: 0.1 + 0.2 is above 0.3.
    assert bayesian_signed_rank([0.3], [0.1 + 0.2], True, random_state=0) == (0.5, 0, 0.5)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], []), {}, "need at least 1 scores, got 0"),
        (([0.1], [0.1, 0.2]), {}, "x and y must be pairs of scores, got 1 and 2"),
        (([0.1, 0.2], [0.1, np.nan]), {}, "y has scores that are not finite, at 1"),
        (([[0.1]], [0.1]), {}, "x must have one dimension"),
        (([0.1], [0.2], 0.01), {}, "higher_is_better must be True or False, got 0.01"),
        *(
            (([0.1], [0.2]), option, next(iter(option)))
            for option in ({"rope": -0.01}, {"rope": np.nan}, {"prior": 0}, {"prior": np.inf}, {"n_samples": 0})
        ),
    ],
)
def test_nonsense_is_refused(arguments, options, message):
    with pytest.raises(RotastackError, match=message):
        bayesian_signed_rank(*[*arguments, True][:3], **options)
