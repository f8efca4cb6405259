"""Formats of dates that are written as text."""

from collections.abc import Iterator

import pandas as pd

_ISO = r"[12]\d{3}-\d{2}|\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?"
_DAYS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y",
    "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
DATES = ("ISO8601", *(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S")))
_SAMPLE = 50
_WORDS = {"ISO8601": "YYYY-MM-DD", "%d": "DD", "%m": "MM", "%Y": "YYYY", "%y": "YY", "%b": "Mon", "%B": "Month",
          "%H": "hh", "%M": "mm", "%S": "ss"}  # fmt: skip


def date_formats(texts: pd.Series) -> list[str]:
    """Return the formats that read more than half of the texts as dates, those of the most texts first; else none."""
    sample = texts.head(_SAMPLE)
    if not ((sample.str.len() < 40) & sample.str.contains(r"\d\D+\d", regex=True)).mean() > 0.5:
        return []
    found: list[str] = []
    left = texts
    while len(left):
        counts = {written: dates_in(left.head(_SAMPLE), written).notna().sum() for written in _possible(found)}
        likely = [written for written, count in counts.items() if count > 0]
        counts = {written: dates_in(left, written).notna().sum() for written in likely}
        best = max(counts, key=lambda written: counts[written], default=None)
        if best is None or counts[best] <= 0.02 * len(texts):
            break
        found.append(best)
        left = left[dates_in(left, best).isna()]
    return found if 2 * len(left) < len(texts) else []


def swapped(written: str) -> str:
    """Return a format of dates with day and month exchanged."""
    return "%m".join(part.replace("%m", "%d") for part in written.split("%d"))


def in_words(written: str) -> str:
    """Return a format of dates as people write it, such as DD.MM.YYYY."""
    for mark, words in _WORDS.items():
        written = written.replace(mark, words)
    return written


def _possible(found: list[str]) -> Iterator[str]:
    """Yield the formats that cannot be confused with the formats found: those of other marks, or with a time."""
    days = {written.split(" %H")[0] for written in found}
    taken = {"".join(sorted(day.upper())) for day in days}
    for written in DATES:
        day = written.split(" %H")[0]
        if written not in found and (day in days or "".join(sorted(day.upper())) not in taken):
            yield written


def dates_in(texts: pd.Series, written: str) -> pd.Series:
    """Return texts as dates without a time zone, converted to UTC; NaT for other text."""
    if written == "ISO8601":
        texts = texts.where(texts.str.fullmatch(_ISO))
    return pd.to_datetime(texts, format=written, errors="coerce", utc=True).dt.tz_convert(None)
