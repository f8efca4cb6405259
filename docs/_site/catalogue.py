"""The short names of studies, from the catalogue that studies look them up in."""

import json

__all__ = ["short_names"]


def short_names(_docname: str) -> str:
    """Return a table for each kind of thing that has short names: name, class, and what the name fixes."""
    from rotastack.study.catalogue import ESTIMATORS, PRUNERS, REGRESSORS, VIEWS

    kinds = {"Estimators": ESTIMATORS, "Estimators in a regression": REGRESSORS, "Views": VIEWS, "Pruners": PRUNERS}
    lines = []
    for kind, entries in kinds.items():
        lines += [f"### {kind}", "", "| short name | class | fixes |", "|---|---|---|"]
        for name, entry in sorted(entries.items()):
            fixed = json.dumps(entry.parameters).replace('"', "") if entry.parameters else ""
            lines.append(f"| `{name}` | `{entry.path}` | {f'`{fixed}`' if fixed else ''} |")
        lines.append("")
    return "\n".join(lines)
