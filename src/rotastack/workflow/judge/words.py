"""Numbers and names in the formats of verdicts, pages and printed tables."""

from collections.abc import Callable, Sequence
from math import log10

import pandas as pd

from rotastack.stats.metrics import IN_UNITS


def p_equal(p: float) -> str:
    """Return a p-value behind "=" or "<", as sentences print it after the letter p."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def p_cell(p: float | None) -> str:
    """Return a p-value in the format of a table."""
    if p is None or pd.isna(p):
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def score_cell(score: float | None, task: str) -> str:
    """Return a score in the format of a table: four decimals in classification, at least four digits in regression."""
    if score is None or pd.isna(score):
        return "no score"
    if task == "classification":
        return f"{round(score, 12):.4f}"
    return f"{score:.4g}" if abs(score) < 1e4 else f"{score:.0f}"


def printer(score: str, values: Sequence[float]) -> Callable[[float], str]:
    """Return a function that prints a score, with enough digits to distinguish these values and to show only 0 as 0.

    The function uses at most two digits more than usual.
    """
    values = [float(v) if score in IN_UNITS else round(float(v), 4) or float(v) for v in values]

    def form(more: int) -> Callable[[float], str]:
        if score in ("error", "balanced_accuracy"):
            return lambda value: f"{round(value, 12):.{1 + more}%}"  # not by the order of a sum
        if score not in IN_UNITS:
            return lambda value: f"{round(value, 12):.{3 + more}f}"
        return lambda value: f"{value:#.{4 + more}g}".rstrip(".") if abs(value) < 1e4 else f"{value:,.{more}f}"

    forms = [form(more) for more in range(3)]
    for shown in forms:
        texts = [shown(v) for v in values]
        if len({*texts}) == len({*values}) and all(
            v == 0 or {*text} & {*"123456789"} for v, text in zip(values, texts, strict=True)
        ):
            return shown
    return forms[-1]


def in_digits(values: Sequence[float], *units: float) -> list[str]:
    """Return numbers in six digits, or in more that tell apart differences of a thousandth of the least unit above 0.

    Without such a unit they have all digits.
    """
    largest = max((abs(v) for v in values if v == v), default=0.0)
    digits = min(15, max((5 + int(log10(max(largest, u) / u)) for u in units if u > 0), default=15))
    return [f"{v:.{max(6, digits, len(f'{abs(v):.0f}'))}g}" for v in values]


def short_message(message: str) -> str:
    """Return the message of a failed method without the class of the error and a full stop."""
    return message.rpartition("Error: ")[2].rstrip(".")


def capital(text: str) -> str:
    """Return a text that begins with a capital letter; the rest stays as it is."""
    return f"{text[0].upper()}{text[1:]}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return names as a list in a sentence; of more than `most` + 1 names, the first `most` and the number of others."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} others"
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
