"""Errors that are the user's to mend."""


class RotastackError(ValueError):
    """Something the user can mend: one line that names the culprit and what is allowed."""


def nearest(name: str, known: list[str]) -> str:
    """Return ``"; did you mean 'x'"`` for the known name closest to `name`, or nothing."""
    import difflib

    by_lower = {k.lower(): k for k in known}
    matches = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.4)
    return f"; did you mean {by_lower[matches[0]]!r}" if matches else ""
