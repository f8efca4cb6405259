"""Sentences of an explanation."""

import re

import pytest

from rotastack.workflow.use.explanation import _families_in_words


def families(*of_each):
    """Return families of two kinds by (rotated, share, error)."""
    return [
        {"name": f"f{k}", "rotated": rotated, "weight": share, "share": share, "error": error}
        for k, (rotated, share, error) in enumerate(of_each)
    ]


@pytest.mark.parametrize(
    ("of_each", "numbers"),
    [
        ([(True, 0.6, 0.1), (False, 0.3, 0.12), (False, 0.1, 0.2)], ["60%", "33%", "f0", "10.0%", "f1", "12.0%"]),
        ([(True, 0.3, 0.2), (True, 0.0, 0.1), (False, 0.7, 0.05)], ["30%", "67%", "f1", "10.0%", "f2", "5.0%"]),
    ],
)
def test_weights_and_errors_of_rotated_families_stand_beside_the_others_without_a_claim(of_each, numbers):
    """No test says whether rotations matter: of noise, one forest in 13 had more weight and a lower error with them."""
    (told,) = _families_in_words(families(*of_each), "classification")
    assert re.findall(r"f\d|[\d.]+%", told) == numbers
    assert "matter" not in told


def test_families_without_weight_show_no_relation():
    (told,) = _families_in_words(families((True, 0.0, 0.5), (False, 0.0, 0.5)), "classification")
    assert "no relation of the columns to the target is shown" in told


@pytest.mark.parametrize("of_each", [[(True, 1.0, 0.1)], [(True, 0.6, float("nan")), (False, 0.4, 0.1)], []])
def test_else_no_sentence_speaks_of_rotations(of_each):
    assert _families_in_words(families(*of_each), "classification") == []
