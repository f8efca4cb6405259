"""The studies that come with the project, from their files."""

import yaml

from _site.project import ROOT

__all__ = ["known", "page"]

FIRST = ("quickstart", "tiny")


def known() -> dict[str, dict]:
    """Return name -> content of each study of config/studies, the ones to begin with first."""
    files = sorted((ROOT / "config/studies").glob("*.yaml"), key=lambda file: (file.stem not in FIRST, file.stem))
    return {file.stem: yaml.safe_load(file.read_text()) for file in files}


def page(_docname: str) -> str:
    """Return a table of the studies, and a section for each: what it asks, sizes, data sets, methods, its file."""
    lines = ["| study | about | data sets | methods | sizes |", "|---|---|---|---|---|"]
    for name, study in known().items():
        lines.append(
            f"| [`{name}`](#{_anchor(name)}) | {study['title'].rstrip('.')} | {len(study['datasets'])} "
            f"| {len(study['methods'])} | {', '.join(_sizes(study))} |"
        )
    lines.append("")
    for name, study in known().items():
        names = [d if isinstance(d, str) else d["name"] for d in study["datasets"]]
        lines += [f"({_anchor(name)})=", f"## `{name}`", ""]
        end = "" if study["title"][-1] in ".?!" else "."
        lines += [f"**{study['title']}{end}**", ""]
        lines += [" ".join(study.get("description", "").split()), ""]
        lines += [
            f"- {len(names)} data sets: {', '.join(names)}",
            f"- {len(study['methods'])} methods: {', '.join(study['methods'])}",
            f"- sizes: {', '.join(_sizes(study))}",
            "",
            f":::{{dropdown}} config/studies/{name}.yaml",
            f"```{{literalinclude}} ../../config/studies/{name}.yaml",
            ":language: yaml",
            "```",
            ":::",
            "",
        ]
    return "\n".join(lines)


def _anchor(name):
    return f"studies-{name.replace('_', '-')}"


def _sizes(study):
    return ["full", *study.get("sizes", {})]
