"""What stands in the results of a study, as texts without times, and what differs from a run from scratch."""

import hashlib
import json
import re
import sqlite3
from pathlib import Path

import pandas as pd
import xarray as xr

TEXTS = (
    "scores.parquet",
    "statistics/*.parquet",
    "statistics/*.json",
    "tables/*.csv",
    "*/*.parquet",
    "*/decisions.json",
    "*/methods/*.nc",
    "*/pools/**/*.nc",
    "**/*.run.json",
)
WANTED = ("scores.parquet", "report.html", "statistics/", "tables/", "/methods/", "/model/", "predictions", "mlflow")
"""Parts of names of the files that a run makes again if they were deleted."""
SHOWN = ("tables/", "statistics/")
"""Parts of names of the files that readers find by their place."""
OF_A_RUN = (
    "started",
    "peak_memory_mb",
    "libraries_mb",
    "model_bytes",
    "key",
    "python",
    "rotastack.key",
    "mlflow.parentRunId",
    "mlflow.user",
    "times",
    "longest",
    "mlflow.note.content",
    "mlflow.log-model.history",
    "mlflow.source.name",
    "model/bytes",
)
"""Keys of records and of MLflow that differ between equal runs: times, sizes, ids and texts that hold these."""


def is_of_a_run(key: str) -> bool:
    """Return whether a column or key holds a time, a size in memory or an id."""
    return key in OF_A_RUN or "seconds" in key


def without_times(content):
    """Return the content of a JSON file without the keys that differ between equal runs."""
    if isinstance(content, dict):
        return {key: without_times(value) for key, value in content.items() if not is_of_a_run(key)}
    if isinstance(content, str):
        return re.sub(
            r",? at [\d.,]+ times the training time(?: \(median ratio\))?(?: and [\d.,]+ times the prediction time)?",
            "",
            content,
        )
    return [*map(without_times, content)] if isinstance(content, list) else content


def as_text(path: Path) -> str:
    """Return the content of a file, each number to its last digit."""
    if path.suffix == ".json":
        return json.dumps(without_times(json.loads(path.read_text())), indent=1, sort_keys=True)
    if path.suffix == ".nc":
        with xr.open_dataset(path) as arrays:
            named = {name: arrays[name] for name in sorted(map(str, arrays.variables)) if not is_of_a_run(name)}
            lines = [f"{name} {a.shape} {hashlib.sha256(a.values.tobytes()).hexdigest()}" for name, a in named.items()]
            return "\n".join([str(sorted(arrays.attrs.items())), *lines])
    table = pd.read_csv(path, dtype=str) if path.suffix == ".csv" else pd.read_parquet(path)
    return table.drop(columns=[c for c in table.columns if is_of_a_run(str(c))]).to_csv(index=False)


def texts_of(folder: Path, study: str) -> dict[str, str]:
    """Return file -> text of a study's results; of other files that are shown, only the name."""
    root = folder / "results" / study
    files = {path for pattern in TEXTS for path in root.glob(pattern)}
    texts = {str(path.relative_to(root)): as_text(path) for path in files}
    others = (str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path not in files)
    return texts | {name: "" for name in others if name == "report.html" or any(part in name for part in SHOWN)}


def tracked_texts(folder: Path, study: str) -> dict[str, str]:
    """Return run -> metrics, params, tags and parent of the runs that the receipt names."""
    receipt = json.loads((folder / "results" / study / "tracking.json").read_text())
    names = {receipt["study"]: "study"}
    for dataset, runs in receipt["datasets"].items():
        names |= {run: f"{dataset} {name}" for name, run in runs.items() if name not in ("model_uri", "registered")}
    base = sqlite3.connect(f"file:{folder}/results/mlflow/mlflow.db?mode=ro", uri=True)
    texts = {}
    for run, name in names.items():
        is_leaf = name != "study" and not name.endswith(" dataset")
        numbers = "select key, step, value from " + ("metrics" if is_leaf else "latest_metrics") + " where run_uuid = ?"
        metrics = [m for m in base.execute(numbers, (run,)) if not is_of_a_run(m[0])]
        params, tags = (
            dict(base.execute(f"select key, value from {table} where run_uuid = ?", (run,)))
            for table in ("params", "tags")
        )
        parent = names.get(tags.get("mlflow.parentRunId"), tags.get("mlflow.parentRunId"))
        status = base.execute("select status, lifecycle_stage from runs where run_uuid = ?", (run,)).fetchone()
        content = {
            "metrics": sorted(metrics),
            "params": params,
            "tags": without_times(tags),
            "parent": parent,
            "is": status,
        }
        texts[f"mlflow {name}"] = json.dumps(content, indent=1, sort_keys=True)
    base.close()
    return texts


def kind_of(name: str) -> str:
    """Return the kind of a difference in a file."""
    parts = {
        "mlflow": "mlflow",
        "predictions": "model",
        "/model/": "model",
        "tables/": "tables",
        "statistics/": "tables",
    }
    found = [kind for part, kind in parts.items() if part in name]
    return found[0] if found else "record" if name.endswith(".run.json") else "scores"


def difference(ours: dict[str, str], scratch: dict[str, str]) -> tuple[str, str] | None:
    """Return the kind of the first difference and its description; the scores come first, None without one."""
    order = ["scores", "tables", "model", "mlflow", "record"]
    for name in sorted(scratch, key=lambda name: (order.index(kind_of(name)), name.count("/"), name)):
        if name not in ours:
            if any(part in name for part in WANTED) and not name.endswith(".run.json"):
                return "missing", name
        elif ours[name] != scratch[name]:
            lines = ours[name].splitlines(), scratch[name].splitlines()
            pair = next(
                (f"{a.strip()} instead of {b.strip()}" for a, b in zip(*lines, strict=False) if a != b), "length"
            )
            return kind_of(name), f"{name}: {pair}"
    left = [name for name in sorted(ours.keys() - scratch.keys()) if any(part in name for part in SHOWN)]
    return ("leftover", ", ".join(left)) if left else None
