"""What HTML pages share: their templates, and figures that stand inside of them."""

import hashlib
import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from rotastack.errors import unreadable
from rotastack.files import read_json
from rotastack.project import project_file

__all__ = ["inline_figure", "page_environment", "read_explanation"]

_FONTS = re.compile(r"'DejaVu Sans'(?:, ?(?:'[^']+'|[\w-]+))*, ?sans-serif")
"""The fonts that matplotlib names in each text: of these, those that are as wide."""


def page_environment() -> jinja2.Environment:
    """Return the templates of ``workflow/report``."""
    folder = project_file("workflow/report")
    return jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True)


def inline_figure(path: Path, label: str = "") -> Markup:
    """Return a figure's SVG with ids that no other figure on the page has, and without what nobody sees.

    Parameters
    ----------
    path : Path
    label : str
        What it shows, for those who do not see it; by default its name.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if not text.rstrip().endswith("</svg>"):
            raise ValueError("it has no end")
        text = text[text.index("<svg") :]
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    tag = "f" + hashlib.sha256(str(path).encode()).hexdigest()[:10]
    text = _slim(text)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{tag}-\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{tag}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{tag}-\1)", text)
    label = label or path.stem.replace("_", " ")
    return Markup(text.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1))


def _slim(text: str) -> str:
    """Return an SVG of matplotlib without metadata, unused ids, digits below a hundredth of a point and spare spaces."""
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    # Matplotlib's rule for all elements would be one of the whole page: style.html.j2 has it for figures.
    text = re.sub(r'<defs>\s*<style type="text/css">\*\{[^<]*</style>\s*</defs>', "", text)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))

    def slimmer(match: re.Match) -> str:
        part = match[0]
        if "base64" in part:  # an image: its numbers are none
            return part.replace("\n", "")
        part = re.sub(r'\s+id="([^"]+)"', lambda found: found[0] if found[1] in used else "", part)
        part = _FONTS.sub("'DejaVu Sans', Verdana, sans-serif", part)
        if "scale(" not in part:
            part = re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), part)
        return re.sub(r"\s+", " ", part)

    return re.sub(r">\s+<", "><", re.sub(r"<[^<>]+>", slimmer, text))


def read_explanation(path: Path) -> dict[str, Any]:
    """Return an explanation, with its figures as parts of a page."""
    content = read_json(path)
    names = ("importances", "dependence") if "importances" in content else ()
    return {**content, "figures": {name: inline_figure(path.with_name(f"{name}.svg")) for name in names}}
