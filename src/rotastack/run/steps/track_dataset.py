"""track_dataset: bring the records of one data set to MLflow."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rotastack.data.artifacts import read_frame
from rotastack.run.job import Job
from rotastack.run.receipts import track
from rotastack.run.tracked.card import ModelCard
from rotastack.run.tracked.notes import dataset_note, method_note
from rotastack.run.tracked.numbers import means_table, method_params, pool_params, run_metrics
from rotastack.stats.metrics import PRIMARY
from rotastack.tracking.address import FOLDER, is_own, shown
from rotastack.tracking.records import read_record
from rotastack.tracking.writer import Writer

INPUTS = ("raw", "table", "prepare", "scores", "scoring", "pools/", "methods", "figures", "model", "refit")
OUTPUTS = ("receipt",)
ABOUT = ("study", "dataset")

FACTS = ("rows", "numeric_columns", "categorical_columns", "date_columns", "missing_cells")
"""Of a table, as metrics of its run."""

SERIES = ("fit_seconds", "predict_seconds", "n_nodes", "depth", "oob_error")
"""Of a pool's members, as lines over them."""

TIMES = ("fit_seconds", "predict_seconds")


def run(job: Job) -> None:
    """Upsert the runs of the data set, its pools, methods and model; write output ``receipt``."""
    track(job, _log, job.about["dataset"])


@dataclass(frozen=True)
class Known:
    """What the runs of a data set are made of.

    Attributes
    ----------
    study, dataset, task : str
    table, scores : DataFrame
    prepared : dict
        Record of the table.
    pools : dict of str to list of dict
        Records of the parts of each pool.
    rotated, optimistic : list of str
        Methods that look at rotated columns, and that choose members by the test rows.
    """

    study: str
    dataset: str
    task: str
    table: pd.DataFrame
    scores: pd.DataFrame
    prepared: dict[str, Any]
    pools: dict[str, list[dict[str, Any]]]
    rotated: list[str]
    optimistic: list[str]

    @property
    def primary(self) -> str:
        """The score that methods are chosen by."""
        return PRIMARY[self.task]

    @property
    def digest(self) -> str:
        """SHA-256 of the table's file, by its record."""
        return self.prepared["files"].get(f"{self.dataset}.parquet", "")

    def rotates(self, method: str) -> str:
        """Return "yes" for a method that looks at rotated columns, else "no"."""
        return "yes" if method in self.rotated else "no"

    def times(self, pool: str) -> dict[str, float]:
        """Return the seconds of all trainings of a pool, and of all its predictions."""
        return {f"time/{k}": sum(sum(p["metrics"].get(k, [])) for p in self.pools[pool]) for k in TIMES}


def _log(job: Job, writer: Writer) -> dict[str, str]:
    scores, _ = read_frame(job.input("scores"))
    table, about = read_frame(job.input("table"))
    prepared = read_record(job.input("prepare"))
    pools: dict[str, list[dict[str, Any]]] = {}
    for record in map(read_record, job.pool_files("run.json")):
        pools.setdefault(record["pool"], []).append(record)
    study, dataset = job.about["study"], job.about["dataset"]
    known = Known(
        study, dataset, about["task"], table, scores, prepared, pools, job.spec["rotated"], job.spec["optimistic"]
    )  # fmt: skip
    parent = writer.container("study", {"study": study})
    home = writer.container("dataset", {"study": study, "dataset": dataset}, parent, name=dataset)
    runs = {"dataset": home}
    runs |= _track_pools(known, writer, home)
    runs |= _track_methods(known, writer, home, [read_record(path) for path in job.inputs["methods"]])
    if job.inputs.get("model"):
        runs |= _track_model(job, known, writer, home)
    _track_table(job, known, writer, home, about["classes"])
    return runs


def _track_table(job: Job, known: Known, writer: Writer, home: str, classes: Any) -> None:
    """Bring the data set's own run up to date: its table, figures, and how the methods did."""
    methods = means_table(known.scores, known.task)
    fair = methods[~methods["method"].isin(known.optimistic)].dropna(subset=[known.primary])
    facts = known.prepared["metrics"]
    numbers = {f"table/{name}": facts[name] for name in FACTS if name in facts}
    if classes:
        writer.tag(home, "n_classes", len(classes))
        numbers["table/classes"] = len(classes)
    if len(fair):
        writer.set_tags(home, {"best": str(fair["method"].iloc[0])})
        numbers[f"best/{known.primary}"] = float(fair[known.primary].iloc[0])
    writer.log_metrics(home, numbers, known.prepared["started"])
    writer.describe(home, dataset_note(known.dataset, facts, known.task, methods))
    _log_table(known, writer, home)
    writer.log_artifacts(home, job.inputs["figures"], "figures")
    writer.log_text(home, methods.to_csv(index=False), "tables/methods.csv")
    writer.log_text(home, known.scores.to_csv(index=False), "tables/cells.csv")
    writer.finish(home)


def _log_table(known: Known, writer: Writer, run: str) -> None:
    path = f"results/datasets/{known.dataset}.parquet"
    writer.log_dataset(run, known.table, known.dataset, path, "evaluation", known.digest)


def _track_pools(known: Known, writer: Writer, home: str) -> dict[str, str]:
    runs = {}
    for pool, parts in known.pools.items():
        key = {"study": known.study, "dataset": known.dataset, "pool": pool,
               "parts": [[p["parameters"], p["code"], p["status"], _results(p["metrics"])] for p in parts]}  # fmt: skip
        params = pool_params(parts[0]["parameters"]["pool"])
        run = writer.leaf("pool", key, home, f"{known.dataset} / {pool}", parts[0], {"pool": pool}, params)
        runs[f"pool {pool}"] = run.run_id
        if run.is_new:
            writer.log_metrics(run.run_id, known.times(pool), parts[0]["started"])
            for name in SERIES:
                rows = [p["metrics"][name] for p in parts if p["metrics"].get(name)]
                values = [_mean([v for v in column if v is not None]) for column in zip(*rows, strict=True)]
                writer.log_steps(run.run_id, f"members/{name}", values, parts[0]["started"])
        writer.finish(run.run_id, all(p["status"] == "ok" for p in parts))
    return runs


def _track_methods(known: Known, writer: Writer, home: str, records: list[dict[str, Any]]) -> dict[str, str]:
    runs = {}
    means = known.scores.groupby("method", sort=False)[known.primary].agg(lambda e: e.mean(skipna=False))
    ranks = means.round(12).rank()
    for record in records:
        label, pool = record["method"], record["pool"]
        part, parts = known.scores[known.scores["method"] == label], known.pools[pool]
        key = {"study": known.study, "dataset": known.dataset, "method": label, "parameters": record["parameters"],
               "pool": [p["parameters"] for p in parts], "code": [record["code"], *(p["code"] for p in parts)],
               "scores": _digest(part.to_json().encode())}  # fmt: skip
        codes = dict.fromkeys([*(p["code"] for p in parts), record["code"]])
        tags = {"method": label, "pool": pool, "code": "-".join(codes), "rotated": known.rotates(label)}
        params = method_params(parts[0]["parameters"]["pool"], record["parameters"]["combiner"])
        run = writer.leaf("method", key, home, f"{known.dataset} / {label}", record, tags, params)
        runs[f"method {label}"] = run.run_id
        numbers = run_metrics(part, known.task)
        writer.log_metrics(run.run_id, {"test/rank": ranks[label]}, record["started"])
        note = method_note(label, known.dataset, numbers, known.primary, len(part), ranks[label], len(ranks))
        writer.describe(run.run_id, note)
        if run.is_new:
            writer.log_metrics(run.run_id, {**numbers, **known.times(pool)}, record["started"])
            if len(part) > 1:
                values = part[known.primary].tolist()
                writer.log_steps(run.run_id, f"cells/{known.primary}", values, record["started"])
            _log_table(known, writer, run.run_id)
        writer.finish(run.run_id, record["status"] == "ok")
    return runs


def _track_model(job: Job, known: Known, writer: Writer, home: str) -> dict[str, str]:
    """Log and register the model, with a card."""
    record = read_record(job.input("refit"))
    if record["status"] != "ok":
        return {}
    from rotastack.data.tables import read_raw

    study, dataset, label = known.study, known.dataset, record["metrics"]["method"]
    raw, digest = read_raw(job.input("raw")), _digest(job.input("raw").read_bytes())
    # The same data, parameters and code make the same model.
    key = {"study": study, "dataset": dataset, "refit": record["parameters"],
           "method": label, "code": record["code"], "raw": digest}  # fmt: skip
    of_method = record["parameters"]["methods"][label]
    params = method_params(of_method["pool"], of_method["combiner"])
    tags = {"method": label, "rotated": known.rotates(label)}
    run = writer.leaf("model", key, home, f"{dataset} / model", record, tags, params)
    part = known.scores[known.scores["method"] == label]
    numbers = run_metrics(part, known.task)
    baseline = read_record(job.input("scoring"))["metrics"]["baseline"]
    source = f"data/raw/{dataset}.csv.gz"
    card = ModelCard(
        study=study, dataset=dataset, method=label, task=known.task, params=params,
        facts=known.prepared["metrics"], digest=digest, source=source, rows=len(raw),
        columns=list(raw.columns.drop("target")), numbers=numbers, cells=len(part),
        methods=len(record["parameters"]["methods"]), baseline=baseline.get(known.primary), refit=record,
        chosen=record["parameters"]["refit"] == "best", loaded=f"runs:/{run.run_id}/model",
        store=f"sqlite:///{FOLDER}/mlflow.db" if is_own(writer.uri) else shown(writer.uri),
    )  # fmt: skip
    text = card.text()
    writer.describe(run.run_id, text)
    if run.is_new:
        _log_model(job, known, writer, run.run_id, raw, record, numbers)
        writer.log_dataset(run.run_id, raw, dataset, source, "training", digest)
        writer.log_text(run.run_id, text, "model_card.md")
    writer.finish(run.run_id)
    marks = {"study": study, "method": label, "data": digest, "rotated": known.rotates(label), "task": known.task,
             **{k: str(record[k]) for k in ("seed", "version", "code")}}  # fmt: skip
    about = (
        f"Models that predict the target of the table **{dataset}**; each version has its card.\n\n"
        "`champion` is what the study that came first chooses for the table of the first model, "
        "`current` what was logged last."
    )
    registered = writer.register_model(run.run_id, dataset, text, marks, about)
    return {"model": run.run_id, "model_uri": f"runs:/{run.run_id}/model", "registered": registered}


def _log_model(
    job: Job, known: Known, writer: Writer, run: str, raw: pd.DataFrame, record: Mapping[str, Any], numbers: Mapping[str, float]
) -> None:  # fmt: skip
    """Log a model's numbers and files."""
    metrics, primary = record["metrics"], known.primary
    found = {
        **{k: v for k, v in numbers.items() if k.startswith(f"test/{primary}")},
        f"train/{primary}": metrics[f"training_{primary}"],
        **{f"oob/{k.removeprefix('oob_')}": v for k, v in metrics.items() if k.startswith("oob_")},
        "model/bytes": metrics["model_bytes"],
    }
    writer.log_metrics(run, found, record["started"])
    writer.log_model(run, job.input("model"), raw.drop(columns="target"))


def _results(metrics: dict) -> dict:
    """Return what of a pool's metrics is not time: it changes with data, views and rotations."""
    return {k: v for k, v in metrics.items() if not k.endswith("_seconds")}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _mean(values: list[float]) -> float | None:
    return float(pd.Series(values).mean()) if values else None
