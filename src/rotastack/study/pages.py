"""What HTML pages share: their templates, and figures that stand inside of them."""

import hashlib
import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from rotastack.errors import unreadable
from rotastack.files import read_json
from rotastack.project import project_file

__all__ = ["inline_figure", "page_environment", "read_explanation"]


def page_environment() -> jinja2.Environment:
    """Return the templates of ``workflow/report``."""
    folder = project_file("workflow/report")
    return jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True)


def inline_figure(path: Path) -> Markup:
    """Return a figure's SVG with ids that no other figure on the page has."""
    try:
        text = path.read_text(encoding="utf-8")
        if not text.rstrip().endswith("</svg>"):
            raise ValueError("it has no end")
        text = text[text.index("<svg") :]
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    tag = "f" + hashlib.sha256(str(path).encode()).hexdigest()[:10]
    text = re.sub(r'\bid="([^"]+)"', rf'id="{tag}-\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{tag}-\1"', text)
    return Markup(re.sub(r"url\(#([^)]+)\)", rf"url(#{tag}-\1)", text))


def read_explanation(path: Path) -> dict[str, Any]:
    """Return an explanation, with its figures as parts of a page."""
    content = read_json(path)
    names = ("importances", "dependence") if "importances" in content else ()
    return {**content, "figures": {name: inline_figure(path.with_name(f"{name}.svg")) for name in names}}
