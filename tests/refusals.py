"""Errors of one line."""

import pytest

from rotastack.errors import RotastackError


def refusal(function, *arguments, **options):
    """Return the message of the RotastackError that a call raises, which is one line."""
    with pytest.raises(RotastackError) as caught:
        function(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)
