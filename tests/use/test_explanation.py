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


def test_rotations_matter_beyond_their_number_and_without_a_higher_error():
    of_each = families((True, 0.6, 0.1), (False, 0.3, 0.12), (False, 0.1, 0.2))
    (told,) = _families_in_words(of_each, "classification")
    assert re.findall(r"f\d|[\d.]+%", told) == ["60%", "33%", "f0", "10.0%", "f1", "12.0%"]
    (told,) = _families_in_words(families((True, 0.0, 0.5), (False, 0.0, 0.5)), "classification")
    assert "no relation of the columns to the target is shown" in told, "without weights"


@pytest.mark.parametrize(
    "of_each",
    [
        [(True, 0.6, 0.1), (True, 0.0, 0.2), (False, 0.4, 0.12)],  # two of three families, with less than two thirds
        [(True, 0.6, 0.13), (False, 0.4, 0.12)],
        [(True, 1.0, 0.1)],
        [(True, 0.6, float("nan")), (False, 0.4, 0.1)],
        [],
    ],
)
def test_else_no_sentence_speaks_of_rotations(of_each):
    assert _families_in_words(families(*of_each), "classification") == []
