"""Tables as LaTeX with the rules of booktabs."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

__all__ = ["document", "escaped", "latex_table"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "\n": " ", "±": r"\ensuremath{\pm}", "²": r"\ensuremath{^2}",
    "χ": r"\ensuremath{\chi}",
}  # fmt: skip
_COLUMNS = 8  # most columns beside the key columns; further columns go into another part
_ROWS = 45  # most rows on one page; longer tables continue on further pages


def escaped(text: str) -> str:
    r"""Return a text with LaTeX's special characters escaped.

    Examples
    --------
    >>> from rotastack.judge.latex import escaped
    >>> escaped("50% of R&D: <script>_{x}")
    '50\\% of R\\&D: \\textless{}script\\textgreater{}\\_\\{x\\}'
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def latex_table(
    shown: pd.DataFrame, caption: str, label: str, note: str = "", bold: pd.DataFrame | None = None, keys: int = 1
) -> str:
    """Return a table in LaTeX: many columns are divided into parts, many rows continue on further pages.

    Parameters
    ----------
    shown : DataFrame of str
        Texts of the cells. The first `keys` columns identify a row and are repeated in each part.
    caption, label, note : str
        Plain texts; the note is printed below the table.
    bold : DataFrame of bool, optional
        Which cells are bold, with the rows and columns of `shown`.
    keys : int, default=1

    Examples
    --------
    >>> import pandas as pd
    >>> from rotastack.judge.latex import latex_table
    >>> print(latex_table(pd.DataFrame({"data set": ["iris"], "RF": ["0.05"]}), "Errors", "tab:errors"))
    \\begin{table}
    \\centering
    \\caption{Errors}
    \\label{tab:errors}
    \\begin{tabular}{lr}
    \\toprule
    data set & RF \\\\
    \\midrule
    iris & 0.05 \\\\
    \\bottomrule
    \\end{tabular}
    \\end{table}
    <BLANKLINE>
    """
    first, rest = list(shown.columns[:keys]), list(shown.columns[keys:])
    n_parts = max(1, -(-len(rest) // _COLUMNS))
    size = -(-len(rest) // n_parts) if rest else 1
    parts = [rest[k : k + size] for k in range(0, len(rest), size)] or [[]]
    texts = []
    for number, columns in enumerate(parts, start=1):
        several = f" (part {number} of {len(parts)})" if len(parts) > 1 else ""
        own = label if number == 1 else f"{label}-{number}"
        chosen = [*first, *columns]
        marked = None if bold is None else bold.reindex(columns=chosen, fill_value=False)
        texts.append(_part(shown[chosen], f"{caption}{several}", own, note, marked, len(first)))
    return "\n".join(texts)


def _part(shown: pd.DataFrame, caption: str, label: str, note: str, bold: pd.DataFrame | None, keys: int) -> str:
    shown = shown.reset_index(drop=True)
    style = shown.style.hide(axis="index").format(escaped).format_index(escaped, axis="columns")
    if bold is not None:
        marks = pd.DataFrame(np.where(bold, "textbf:--rwrap;", ""), shown.index, shown.columns)
        style = style.apply(lambda _: marks, axis=None)
    is_long = len(shown) > _ROWS
    text = style.to_latex(
        hrules=True, caption=escaped(caption), label=label, column_format=_alignment(shown, keys),
        environment="longtable" if is_long else None, position_float=None if is_long else "centering",
    )  # fmt: skip
    if not note:
        return text
    below = rf"\par\smallskip\parbox{{0.95\textwidth}}{{\footnotesize {escaped(note)}}}" + "\n"
    end = r"\end{longtable}" if is_long else r"\end{table}"
    return text.replace(end, f"{end}\n{below}" if is_long else f"{below}{end}")


def _alignment(shown: pd.DataFrame, keys: int) -> str:
    """Return the alignment of the columns: l for words, and r for numbers, so that their digits line up."""
    number = re.compile(r"[<+-]?[\d.]+([eE][+-]?\d+)?( %)?( [(\[].*[)\]])?|\d+/\d+/\d+|--|")
    return "".join(
        "r" if k >= keys and all(number.fullmatch(str(v)) for v in shown.iloc[:, k]) else "l"
        for k in range(shown.shape[1])
    )


def document(title: str, files: Sequence[str]) -> str:
    """Return a LaTeX document that shows all tables and loads the packages that they need."""
    inputs = "\n".join(rf"\input{{{name}}}" + "\n\\clearpage" for name in files)
    return (
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{booktabs}\n"
        "\\usepackage{longtable}\n\\usepackage[margin=1.5cm,landscape]{geometry}\n"
        f"\\title{{{escaped(title)}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n{inputs}\n\\end{{document}}\n"
    )
