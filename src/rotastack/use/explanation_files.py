"""The explanation of a model as files: its content, its figures, and a page."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from rotastack.files import write_text
from rotastack.judge.pages import page_environment, read_explanation
from rotastack.plots.dependence import plot_dependence
from rotastack.plots.importances import plot_importances
from rotastack.plots.style import save_figure

__all__ = ["write_explanation"]

MOST_BARS = 30


def write_explanation(content: Mapping[str, Any], record: Path, page: Path) -> None:
    """Write an explanation, its figures beside it, and a page that shows it.

    Parameters
    ----------
    content : mapping
        Of :func:`~rotastack.use.explaining.explain`, with ``study``, ``dataset`` and ``method``.
    record, page : Path
        JSON and HTML.
    """
    for name, figure in _figures(content).items():
        save_figure(figure, record.with_name(f"{name}.svg"))
    write_text(record, json.dumps(content, indent=1) + "\n")
    template = page_environment().get_template("explain.html.j2")
    write_text(page, template.render(explained=read_explanation(record)))


def _figures(content: Mapping[str, Any]) -> dict[str, Figure]:
    """Return the figures by name; none where there is no model."""
    if "importances" not in content:
        return {}
    bars = content["importances"][:MOST_BARS]
    lost = f"{content['scoring']} lost where the column is shuffled"
    mean = "mean prediction" if content["task"] == "regression" else "mean probability"
    columns, losses, deviations = ([bar[key] for bar in bars] for key in ("column", "loss", "sd"))
    return {
        "importances": plot_importances(columns, losses, deviations, lost),
        "dependence": plot_dependence(content["dependence"], mean),
    }
