"""Texts of numbers: their marks, and their multiplier, currency sign or unit, as in €1,234.50, 57.4k, 12 kg and 3.5 %."""

import re

import pandas as pd

MULTIPLIERS = {"k": "e3", "M": "e6", "bn": "e9"}

_SIGN = "[+\u2212-]?"
_NUMBER = r"[+-]?[\d.,'’\s]*\d[.,]?(?:[eE][+-]?\d+)?"
_CURRENCY = "[$¢£¥฿\u20a0-\u20cf]"
_BEFORE = rf"([A-Za-z]{{0,3}}{_CURRENCY}|[A-Z]{{3}}(?=\s))"
_AFTER = rf"(%|(?:{_CURRENCY}|[^\W\d_]|[°µ])[^\s\d.,;:'\"()<>=?!+%&*@#|\\_-]{{0,11}}\.?)"
_TIMES = rf"\s*({'|'.join(MULTIPLIERS)})"
_QUANTITY = rf"^{_SIGN}\s*(?:{_BEFORE}\s*{_NUMBER}\s*(?:{'|'.join(MULTIPLIERS)})?|{_NUMBER}\s*{_AFTER})$"
_MOST = 5  # a column with more units has names or dates


def units_of(texts: pd.Series) -> list[str]:
    """Return the units that most of different texts have: one, or several of which one recurs; else none.

    K (kelvin or thousand) and B (byte or billion) beside numbers without a unit are not one unit.

    >>> units_of(pd.Series(["12 kg", "13 kg", "5"])), units_of(pd.Series(["1 kg", "300 g", "2 kg", "5 g"]))
    (['kg'], ['kg', 'g'])
    """
    found = texts.str.extract(_QUANTITY)
    counts = pd.Series(found.to_numpy().ravel()).value_counts()
    several = 1 < len(counts) <= _MOST and counts.max() > 1
    units = list(counts.index) if counts.sum() > len(texts) / 2 and (len(counts) == 1 or several) else []
    return [*units, "none"] if units in (["K"], ["B"]) and numbers_in(texts, ".", "").notna().any() else units


def without_unit(texts: pd.Series, unit: str) -> pd.Series:
    """Return texts of numbers without their unit before or after. Percentages keep their sign, and are missing beside other units.

    >>> without_unit(pd.Series(["-€5", "7 €", "300 $", "3 %"], dtype="str"), "€").tolist()
    ['-5', '7', '300 $', nan]
    """
    if unit in ("", "%"):
        return texts
    return texts.mask(texts.str.endswith("%")).str.replace(
        rf"^({_SIGN})\s*{re.escape(unit)}\s*|\s*{re.escape(unit)}$", r"\1", n=1, regex=True
    )


def numbers_in(texts: pd.Series, decimal: str, thousands: str) -> pd.Series:
    """Return texts as numbers by their marks and multipliers; NaN for other text.

    >>> numbers_in(pd.Series(["57,4k", "1.234,5", "12 %", "2 bn"]), ",", ".").tolist()
    [57400.0, 1234.5, 0.12, 2000000000.0]
    """
    if (decimal, thousands) == (".", ""):
        numbers = pd.to_numeric(texts, errors="coerce")
        if numbers.notna().all():
            return numbers
    plain = texts.str.replace("\N{MINUS SIGN}", "-").str.replace("[\N{NO-BREAK SPACE}\u2009\u202f]", " ", regex=True)
    plain = plain.str.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    percent = plain.str.endswith("%").to_numpy(dtype=bool)
    plain = plain.str.rstrip("% ")
    plain = plain.str.replace(rf"(\d){_TIMES}$", lambda found: found[1] + MULTIPLIERS[found[2]], regex=True)
    grouped = rf"|[1-9]\d{{0,2}}({re.escape(thousands)}\d{{3}})+" if thousands else ""
    point = re.escape(decimal)
    fits = plain.str.fullmatch(rf"[+-]?((\d+{grouped})({point}\d*)?|{point}\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?")
    plain = plain.where(fits)
    plain = plain.str.replace(thousands, "", regex=False) if thousands else plain
    numbers = pd.to_numeric(plain.str.replace(decimal, ".", regex=False), errors="coerce")
    return numbers.where(~percent, numbers / 100)
