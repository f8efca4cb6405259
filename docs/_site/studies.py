"""The studies that come with the project, from their files."""

import yaml

from _site.project import ROOT

__all__ = ["known", "page"]


def known() -> dict[str, dict]:
    """Return name -> content of each study of config/studies."""
    files = sorted((ROOT / "config/studies").glob("*.yaml"))
    return {file.stem: yaml.safe_load(file.read_text()) for file in files}


def page(_docname: str) -> str:
    """Return a section for each study: what it asks, its sizes, data sets and methods, and its file."""
    lines = []
    for name, study in known().items():
        sizes = ["full", *study.get("sizes", {})]
        names = [d if isinstance(d, str) else d["name"] for d in study["datasets"]]
        lines += [f"({_anchor(name)})=", f"## `{name}`", ""]
        if study.get("title"):
            lines += [f"**{study['title']}.**", ""]
        lines += [" ".join(study.get("description", "").split()), ""]
        lines += [
            f"- {len(names)} data sets: {', '.join(names)}",
            f"- {len(study['methods'])} methods: {', '.join(study['methods'])}",
            f"- sizes: {', '.join(sizes)}",
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
