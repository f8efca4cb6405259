"""track_dataset: bring the records of one data set to MLflow."""

import hashlib
from datetime import UTC, datetime

import pandas as pd

from rotastack.stats.metrics import METRICS, NAMES, PRIMARY
from rotastack.study.artifacts import read_frame
from rotastack.study.job import Job
from rotastack.study.receipts import track
from rotastack.tracking.records import read_record
from rotastack.tracking.writer import Writer

INPUTS = ("raw", "table", "prepare", "scores", "pools/", "methods", "figures", "model", "refit")
OUTPUTS = ("receipt",)
ABOUT = ("study", "dataset")


def run(job: Job) -> None:
    """Upsert the runs of the data set, its pools, methods and model; write output ``receipt``."""
    track(job, _log, job.about["dataset"])


def _log(job: Job, writer: Writer) -> dict[str, str]:
    study, dataset = job.about["study"], job.about["dataset"]
    scores, _ = read_frame(job.input("scores"))
    table, about = read_frame(job.input("table"))
    task = about["task"]
    records = {name: [read_record(p) for p in job.inputs[name]] for name in ("prepare", "methods")}
    records["pools"] = [read_record(p) for p in job.pool_files("run.json")]
    runs = {}

    parent = writer.container("study", {"study": study})
    prepared = records["prepare"][0]
    home = writer.container("dataset", {"study": study, "dataset": dataset}, parent, name=dataset)
    runs["dataset"] = home
    writer.log_dataset(home, table, dataset, f"results/datasets/{dataset}.parquet", "evaluation")
    if about["classes"]:
        writer.tag(home, "n_classes", len(about["classes"]))
    writer.log_metrics(home, _numbers(prepared["metrics"]), prepared["started"])
    writer.log_artifacts(home, job.inputs["figures"], "figures")

    by_pool: dict[str, list[dict]] = {}
    for record in records["pools"]:
        by_pool.setdefault(record["pool"], []).append(record)
    for pool, parts in by_pool.items():
        key = {"study": study, "dataset": dataset, "pool": pool,
               "parts": [[p["parameters"], p["code"], p["status"], _results(p["metrics"])] for p in parts]}  # fmt: skip
        run = writer.leaf("pool", key, home, f"{dataset} / {pool}", parts[0], {"pool": pool})
        runs[f"pool {pool}"] = run.run_id
        if run.is_new:
            summed = {
                k: sum(sum(p["metrics"].get(k, [])) for p in parts)
                for k in ("fit_seconds", "predict_seconds")
            }
            writer.log_metrics(run.run_id, summed, parts[0]["started"])
            for name in ("fit_seconds", "predict_seconds", "n_nodes", "depth", "oob_error"):
                rows = [p["metrics"][name] for p in parts if p["metrics"].get(name)]
                values = [_mean([v for v in column if v is not None]) for column in zip(*rows, strict=True)]
                writer.log_steps(run.run_id, f"member_{name}", values, parts[0]["started"])
        writer.finish(run.run_id, all(p["status"] == "ok" for p in parts))

    means = scores.groupby("method", sort=False)[list(METRICS[task])].mean()
    ranks = means[PRIMARY[task]].round(12).rank()
    for record in records["methods"]:
        label = record["method"]
        part = scores[scores["method"] == label]
        pool_codes = [p["code"] for p in by_pool[record["pool"]]]
        key = {"study": study, "dataset": dataset, "method": label, "parameters": record["parameters"],
               "pool": [p["parameters"] for p in by_pool[record["pool"]]], "code": [record["code"], *pool_codes],
               "scores": _digest(part.to_json().encode())}  # fmt: skip
        run = writer.leaf("method", key, home, f"{dataset} / {label}", record, {"method": label})
        runs[f"method {label}"] = run.run_id
        writer.log_metrics(run.run_id, {"rank": ranks[label]}, datetime.now(UTC).isoformat())
        if run.is_new:
            for metric in means:  # MLflow's tables show what was logged last: that is the mean, and cells have a name of their own
                writer.log_steps(run.run_id, f"cell_{metric}", part[metric].tolist(), record["started"])
                summary = {metric: part[metric].mean(), f"sd_{metric}": part[metric].std()}
                writer.log_metrics(run.run_id, summary, record["started"])
        writer.finish(run.run_id, record["status"] == "ok")
    if job.inputs.get("model"):
        runs.update(_track_model(job, writer, home, means[PRIMARY[task]]))
    writer.finish(home)
    return runs


def _track_model(job: Job, writer: Writer, home: str, means: pd.Series) -> dict[str, str]:
    """Log and register the model; `means` is the score that methods are chosen by."""
    record = read_record(job.input("refit"))
    if record["status"] != "ok":
        return {}
    from rotastack.data.tables import read_raw

    dataset, label, raw = job.about["dataset"], record["metrics"]["method"], read_raw(job.input("raw"))
    # The same data, parameters and code make the same model.
    key = {"study": job.about["study"], "dataset": dataset, "refit": record["parameters"],
           "method": label, "code": record["code"], "raw": _digest(job.input("raw").read_bytes())}  # fmt: skip
    run = writer.leaf("model", key, home, f"{dataset} / model", record, {"method": label})
    if run.is_new:
        numbers = {k: v for k, v in record["metrics"].items() if k != "method"}
        writer.log_metrics(run.run_id, {**numbers, str(means.name): means[label]}, record["started"])
        writer.log_dataset(run.run_id, raw, dataset, f"data/raw/{dataset}.csv.gz", "training")
        writer.log_model(run.run_id, job.input("model"), raw.drop(columns="target"))
    writer.finish(run.run_id)
    description = (
        f"{label}, trained on all {len(raw)} rows of {dataset} on {record['started'][:10]} for the study "
        f"{job.about['study']}. Cross-validated {NAMES[str(means.name)]}: {means[label]:.4g}."
    )
    registered = writer.register_model(run.run_id, dataset, description)
    return {"model": run.run_id, "model_uri": f"runs:/{run.run_id}/model", "registered": registered}


def _results(metrics: dict) -> dict:
    """Return what of a pool's metrics is not time: it changes with data, views and rotations."""
    return {k: v for k, v in metrics.items() if not k.endswith("_seconds")}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _numbers(metrics: dict) -> dict[str, float]:
    return {k: v for k, v in metrics.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}


def _mean(values: list[float]) -> float | None:
    return float(pd.Series(values).mean()) if values else None
