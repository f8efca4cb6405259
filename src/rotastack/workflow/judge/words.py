"""Numbers and names in the formats of verdicts, pages and printed tables."""

from collections.abc import Callable, Sequence

import pandas as pd

from rotastack.stats.metrics import IN_UNITS

__all__ = ["capital", "counted", "listed", "p_cell", "p_equal", "printer", "score_cell"]


def p_equal(p: float) -> str:
    """Return a p-value behind "=" or "<", as sentences print it after "p".

    Examples
    --------
    >>> p_equal(0.0123), p_equal(0.0001)
    ('= 0.012', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def p_cell(p: float | None) -> str:
    """Return a p-value in the format of a table.

    Examples
    --------
    >>> p_cell(0.0123), p_cell(0.0001), p_cell(None)
    ('0.012', '< 0.001', '-')
    """
    if p is None or pd.isna(p):
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def score_cell(score: float | None, task: str) -> str:
    """Return a score in the format of a table: four decimals in classification, four significant digits in regression.

    Examples
    --------
    >>> score_cell(0.25, "classification"), score_cell(1234.56, "regression"), score_cell(None, "regression")
    ('0.2500', '1235', 'failed')
    """
    if score is None or pd.isna(score):
        return "failed"
    return f"{score:.4f}" if task == "classification" else f"{score:.4g}"


def printer(score: str, values: Sequence[float]) -> Callable[[float], str]:
    """Return a function that prints a score, with enough digits to distinguish these values and to show only 0 as 0.

    The function uses at most two digits more than usual.

    Examples
    --------
    >>> shown = printer("error", [0.0003, 0.0004, 0.25])
    >>> shown(0.0003), shown(0.25), printer("roc_auc", [0.75, 0.81])(0.75), printer("rmse", [66906.0])(66906.0)
    ('0.03%', '25.00%', '0.750', '66,906')
    """
    values = [float(v) if score in IN_UNITS else round(float(v), 4) or float(v) for v in values]

    def form(more: int) -> Callable[[float], str]:
        if score in ("error", "balanced_accuracy"):
            return lambda value: f"{value:.{1 + more}%}"
        if score not in IN_UNITS:
            return lambda value: f"{value:.{3 + more}f}"
        return lambda value: f"{value:#.{4 + more}g}".rstrip(".") if abs(value) < 1e4 else f"{value:,.{more}f}"

    forms = [form(more) for more in range(3)]
    for shown in forms:
        texts = [shown(v) for v in values]
        if len({*texts}) == len({*values}) and all(
            v == 0 or {*text} & {*"123456789"} for v, text in zip(values, texts, strict=True)
        ):
            return shown
    return forms[-1]


def capital(text: str) -> str:
    """Return a text that begins with a capital letter; the rest stays as it is."""
    return f"{text[0].upper()}{text[1:]}"


def counted(n: int, word: str) -> str:
    """Return a number with its noun: "1 row", "2 rows"."""
    return f"{n} {word}{'s' * (n != 1)}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return names as a list in a sentence; of more than `most` + 1 names, the first `most` and the number of others.

    Examples
    --------
    >>> listed(["A", "B", "C"]), listed(list("ABCDE"))
    ('A, B and C', 'A, B, C and 2 others')
    """
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} others"
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
