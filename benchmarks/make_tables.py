"""Write the tables of the evidence pages, docs/evidence/data/tables/*.md, from results in the repository.

    python benchmarks/make_tables.py

Pages show the tables by ``{include}``. tests/docs compares the files with the output of this program.
"""

import csv
from pathlib import Path

import scale
from tables import choosing, claims, classifiers, flagship, papers, regressors, sentences, tuned

FOLDER = Path(__file__).resolve().parents[1] / "docs/evidence/data/tables"


def of_csv(file: Path) -> str:
    """Return a CSV file as a table, followed by the text of its first line, the description of the measurement."""
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    if not first.startswith("# "):
        raise ValueError(f"the first line of {file.name} does not say how its numbers were measured")
    header, *body = csv.reader(lines)
    rows = [header, ["---"] * len(header), *body]
    return papers.lines_of(rows) + f"\n\n*Numbers: {first.removeprefix('# ')}.*"


def tables() -> dict[str, str]:
    """Return the name and the Markdown text of each table."""
    made = {file.stem: of_csv(file) for file in sorted(FOLDER.glob("*.csv"))}
    made |= {f"papers-{name}": text for name, text in (papers.tables() | claims.tables()).items()}
    for module in (choosing, classifiers, flagship, regressors, scale, sentences, tuned):
        prefix = module.__name__.rpartition(".")[2]
        made |= {f"{prefix}-{name}": make() for name, make in module.TABLES.items()}
    return made


if __name__ == "__main__":
    for name, text in tables().items():
        (FOLDER / f"{name}.md").write_text(text.strip() + "\n", encoding="utf-8")
