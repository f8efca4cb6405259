#!/usr/bin/env python3
"""Make the notebooks of examples/notebooks, without outputs, from the scripts beside them.

A line ``# %%`` of a script starts a cell of code, ``# %% [markdown]`` one of text, whose lines start by #.
"""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"


def notebook(script: str) -> str:
    """Return the notebook of a script, as JSON."""
    before, *parts = re.split(r"^# %%(.*)\n", script, flags=re.MULTILINE)
    if before.strip():
        raise ValueError(f"a script starts by a cell, not by {before.splitlines()[0]!r}")
    cells: list[dict[str, object]] = []
    for number, (kind, body) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        text = body.strip("\n")
        cell: dict[str, object] = {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
        }
        if kind.strip() == "[markdown]":
            text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.split("\n"))
            cell = {"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}}
        elif kind.strip():
            raise ValueError(f"# %%{kind}: a cell is of code, or [markdown]")
        cells.append(cell | {"source": text.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.py")):
        path.with_suffix(".ipynb").write_text(notebook(path.read_text(encoding="utf-8")), encoding="utf-8")
