"""HTML pages: their templates and filters, and inline figures."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from rotastack.errors import unreadable
from rotastack.files import read_json
from rotastack.project import project_file
from rotastack.workflow.judge.words import p_cell, p_equal

_FONTS = re.compile(r"'DejaVu Sans'(?:, ?(?:'[^']+'|[\w-]+))*, ?sans-serif")
"""List of fonts that matplotlib writes in each text; a short list of equally wide fonts replaces it."""


def page_environment() -> jinja2.Environment:
    """Return the Jinja environment of the templates in ``workflow/report``."""
    folder = project_file("workflow/report")
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
    environment.filters |= {
        "source": _source,
        "order": _order,
        "won": _won,
        "friedman": friedman_in_words,
        "cell": _cell,
        "times": _times,
        "number": _number,
        "percent": _percent,
        "p": p_cell,
    }
    return environment


def inline_figure(path: Path, label: str = "", key: str = "") -> Markup:
    """Return a figure's SVG for a page: without invisible parts, with a description, and with ids by `key` or else the path."""
    try:
        text = path.read_text(encoding="utf-8")
        if not text.rstrip().endswith("</svg>"):
            raise ValueError("it has no end")
        text = text[text.index("<svg") :]
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    tag = "f" + hashlib.sha256((key or str(path)).encode()).hexdigest()[:10]
    text = _slim(text)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{tag}-\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{tag}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{tag}-\1)", text)
    label = label or path.stem.replace("_", " ")
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1))


def _slim(text: str) -> str:
    """Return matplotlib's SVG without metadata, unused ids, spare spaces and digits below a hundredth of a point."""
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    # Matplotlib's style for all elements would apply to the whole page; style.html.j2 has this style for figures.
    text = re.sub(r'<defs>\s*<style type="text/css">\*\{[^<]*</style>\s*</defs>', "", text)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))

    def slimmer(match: re.Match) -> str:
        part = match[0]
        if "base64" in part:  # in an embedded image digits are not coordinates
            return part.replace("\n", "")
        part = re.sub(r'\s+id="([^"]+)"', lambda found: found[0] if found[1] in used else "", part)
        part = _FONTS.sub("'DejaVu Sans', Verdana, sans-serif", part)
        if "scale(" not in part:
            part = re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), part)
        return re.sub(r"\s+", " ", part)

    return re.sub(r">\s+<", "><", re.sub(r"<[^<>]+>", slimmer, text))


def read_explanation(path: Path) -> dict[str, Any]:
    """Return the explanation in a file, with its figures as parts of a page."""
    content = read_json(path)
    names = ("importances", "dependence") if "importances" in content else ()
    return {**content, "figures": {name: inline_figure(path.with_name(f"{name}.svg")) for name in names}}


def _source(name: str) -> Markup:
    """Return a script of ``workflow/report``, escaped so that it cannot end its script element."""
    text = project_file(f"workflow/report/{name}").read_text(encoding="utf-8")
    return Markup(text.replace("</", "<\\/").replace("<!--", "<\\!--"))


def _order(row: Mapping[str, float | None], falling: bool | None = False) -> list[str]:
    """Return the methods in rising order of their scores, or in falling order; those without a score are last."""
    known = {m: -score if falling else score for m, score in row.items() if score is not None}
    return [*sorted(known, key=known.__getitem__), *(m for m in row if m not in known)]


def friedman_in_words(board: Mapping[str, Any], alpha: float) -> str:
    """Return the result of Friedman's test of a board in sentences."""
    statistic = f"F({board['df'][0]}, {board['df'][1]}) = {board['iman_davenport_f']:.2f}".replace("inf", "∞")
    few = pd.isna(next(iter(board["ranks"]["lower"].values())))
    differ = "differ by more than chance" if board["p_value"] < alpha else "may differ by chance"
    text = f"Friedman's test, p {p_equal(board['p_value'])} (Iman-Davenport {statistic}): the ranks {differ}."
    return text + (" There are too few data sets for intervals over them." if few else "")


def _won(control: str, board: Mapping[str, Any], method: str) -> str:
    """Return the numbers of data sets on which a method is better than a control, equal to it, and worse."""
    wins = board.get("wins", {})
    if method == control or control not in wins:
        return "–"
    better, worse = wins[method][control], wins[control][method]
    return f"{better} / {board['n_datasets'] - better - worse} / {worse}"


def _cell(value: float | None) -> str:
    """Return a score in at least four digits."""
    if value is None or not np.isfinite(value):
        return "no score"
    if abs(value) >= 10:
        return f"{value:#.5g}".rstrip(".") if abs(value) < 1e5 else f"{value:.0f}"
    return f"{value:.4g}" if 0 < abs(value) < 1e-3 else f"{round(value, 12):.4f}"


def _times(value: float | None) -> str:
    """Return a multiple in two digits."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 100 else f"{float(f'{value:.2g}'):.15g}"


def _number(value: float | None, digits: int = 4) -> str:
    return "no score" if value is None or pd.isna(value) else f"{value:.{digits}f}"


def _percent(value: float | None, where: str | None = None) -> str:
    return "-" if value is None else f"{value:+.1f} %" + (f" ({where})" if where else "")
