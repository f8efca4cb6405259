"""Make a study of one's own table."""

from pathlib import Path

import yaml

from rotastack.base.documents import load_yaml
from rotastack.data.preprocessing import check_target
from rotastack.data.registry import list_datasets
from rotastack.data.tables import read_table
from rotastack.errors import RotastackError
from rotastack.files import write_text
from rotastack.project import project_file

__all__ = ["write_study"]


def write_study(table: Path, target: str | None) -> Path:
    """Write ``studies/<name>.yaml``: the quickstart's methods on one's own table.

    A file that is there already is kept if it is about this table, so that edits last.

    Raises
    ------
    RotastackError
        The table cannot be used: no such column, one class, a continuous target, too few rows.
    """
    if target is None:
        raise RotastackError(f"{table}: say which column holds the labels: --target COLUMN")
    X, y = read_table(table, target)
    labels = check_target(y, str(table))
    counts = labels.value_counts()
    study = load_yaml(project_file("config/studies/quickstart.yaml"))
    folds = study["protocol"]["folds"]
    if counts.max() < folds or len(X) < 2 * folds:
        raise RotastackError(f"{table}: {len(X)} rows are too few for {folds} folds")
    name = "".join(
        c if (c.isascii() and c.isalnum()) or c in "_-" else "-" for c in table.name.split(".")[0].lower()
    ).strip("-_")
    shipped = {p.stem for p in project_file("config/studies").glob("*.yaml")}
    if not name or name in shipped | set(list_datasets()) | {"datasets", "mlflow", "logs", "benchmarks"}:
        name = f"my-{name or 'table'}"
    dataset = {"name": name, "sources": [{"file": {"path": str(table), "target": target}}]}
    path = Path("studies") / f"{name}.yaml"
    if path.is_file():
        if load_yaml(path).get("datasets") == [dataset]:
            return path
        raise RotastackError(
            f"{path} is there already and is about something else; move it or rename the table"
        )
    study |= {
        "name": name,
        "title": f"Does rotation stacking help on {table.name}?",
        "description": f"Made from {table.name}, target {target}; methods and protocol of the quickstart study.",
        "datasets": [dataset],
    }
    write_text(path, yaml.safe_dump(study, sort_keys=False, allow_unicode=True, width=100))
    return path
