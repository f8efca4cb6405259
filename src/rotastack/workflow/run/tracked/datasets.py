"""Log one data set to MLflow: its own run, and the runs of its pools, methods and model."""

import hashlib

import pandas as pd

from rotastack.stats.metrics import PRIMARY, higher_is_better
from rotastack.workflow.run.tracked.contents import TrackedDataset, means_table, method_params, model_card, pool_params
from rotastack.workflow.tracking.address import FOLDER, is_own, without_login
from rotastack.workflow.tracking.writer import Writer

__all__ = ["track_dataset"]

FACTS = ("rows", "numeric_columns", "categorical_columns", "date_columns", "missing_cells")
"""Facts of a table that are metrics of its run."""

SERIES = ("fit_seconds", "predict_seconds", "n_nodes", "depth", "oob_error")
"""Facts of a pool's members that are metrics, with the member as step."""


def track_dataset(data: TrackedDataset, writer: Writer) -> dict[str, str]:
    """Upsert the runs of a data set; return the name and id of each run."""
    parent = writer.container("study", {"study": data.study})
    home = writer.container("dataset", {"study": data.study, "dataset": data.dataset}, parent)
    runs = {"dataset": home, **_track_pools(data, writer, home), **_track_methods(data, writer, home)}
    if data.refit is not None and data.refit["status"] == "ok":
        runs |= _track_model(data, writer, home)
    _track_table(data, writer, home)
    return runs


def _track_table(data: TrackedDataset, writer: Writer, home: str) -> None:
    """Update the data set's own run: its table, its figures, and the scores of the methods."""
    methods = means_table(data.scores, data.task, data.score)
    fair = methods[~methods["method"].isin(data.optimistic)].dropna(subset=[data.score])
    facts = data.prepared["metrics"]
    numbers = {f"table/{name}": facts[name] for name in FACTS if name in facts}
    if n_classes := len(facts.get("class_counts", ())):
        numbers["table/classes"] = n_classes
    if len(fair):
        writer.set_tags(home, {"best": str(fair["method"].iloc[0])})
        numbers[f"best/{data.score}"] = float(fair[data.score].iloc[0])
    writer.log_metrics(home, numbers, data.prepared["started"])
    _log_table(data, writer, home)
    writer.log_artifacts(home, data.figures, "figures")
    writer.client.log_text(home, methods.to_csv(index=False), "tables/methods.csv")
    writer.client.log_text(home, data.scores.to_csv(index=False), "tables/cells.csv")
    writer.finish(home)


def _log_table(data: TrackedDataset, writer: Writer, run: str) -> None:
    path = data.prepared_file
    writer.log_dataset(run, data.table, data.dataset, str(path), "evaluation", _digest(path.read_bytes()))


def _track_pools(data: TrackedDataset, writer: Writer, home: str) -> dict[str, str]:
    runs = {}
    for pool, parts in data.records["pools"].items():
        key = {"study": data.study, "dataset": data.dataset, "pool": pool,
               "parts": [[p["parameters"], p["code"], p["status"], _results(p["metrics"])] for p in parts]}  # fmt: skip
        params = pool_params(parts[0]["parameters"]["pool"])
        run = writer.leaf("pool", key, home, f"{data.dataset} / {pool}", parts[0], {"pool": pool}, params)
        runs[f"pool {pool}"] = run.run_id
        if run.is_new:
            writer.log_metrics(run.run_id, data.times(pool), parts[0]["started"])
            for name in SERIES:
                rows = [p["metrics"][name] for p in parts if p["metrics"].get(name)]
                columns = ([v for v in column if v is not None] for column in zip(*rows, strict=True))
                values = [float(pd.Series(known).mean()) if known else None for known in columns]
                writer.log_steps(run.run_id, f"members/{name}", values, parts[0]["started"])
        writer.finish(run.run_id, all(p["status"] == "ok" for p in parts))
    return runs


def _track_methods(data: TrackedDataset, writer: Writer, home: str) -> dict[str, str]:
    runs = {}
    means = data.scores.groupby("method", sort=False)[data.score].agg(lambda e: e.mean(skipna=False))
    ranks = means.round(12).rank(ascending=not higher_is_better(data.score))
    for record in data.records["methods"]:
        label, pool = record["method"], record["pool"]
        part, parts = data.cells(label), data.records["pools"][pool]
        key = {"study": data.study, "dataset": data.dataset, "method": label, "parameters": record["parameters"],
               "pool": [p["parameters"] for p in parts], "code": [record["code"], *(p["code"] for p in parts)],
               "scores": _digest(part.to_json().encode())}  # fmt: skip
        codes = dict.fromkeys([*(p["code"] for p in parts), record["code"]])
        tags = {"method": label, "pool": pool, "code": "-".join(codes), "rotated": data.rotates(label)}
        params = method_params(parts[0]["parameters"]["pool"], record["parameters"]["combiner"])
        run = writer.leaf("method", key, home, f"{data.dataset} / {label}", record, tags, params)
        runs[f"method {label}"] = run.run_id
        writer.log_metrics(run.run_id, {"test/rank": ranks[label]}, record["started"])
        if run.is_new:
            writer.log_metrics(run.run_id, {**data.numbers(label), **data.times(pool)}, record["started"])
            if len(part) > 1:
                values = part[data.score].tolist()
                writer.log_steps(run.run_id, f"cells/{data.score}", values, record["started"])
            _log_table(data, writer, run.run_id)
        writer.finish(run.run_id, record["status"] == "ok")
    return runs


def _track_model(data: TrackedDataset, writer: Writer, home: str) -> dict[str, str]:
    """Log and register the model, with a card."""
    from rotastack.data.raw import read_raw

    record = data.refit
    assert record is not None
    assert data.model is not None
    study, dataset, label = data.study, data.dataset, record["metrics"]["method"]
    raw, digest = read_raw(data.raw), _digest(data.raw.read_bytes())
    # Equal data, parameters and code make an equal model.
    key = {"study": study, "dataset": dataset, "refit": record["parameters"],
           "method": label, "code": record["code"], "raw": digest}  # fmt: skip
    of_method = record["parameters"]["methods"][label]
    params = method_params(of_method["pool"], of_method["combiner"])
    tags = {"method": label, "rotated": data.rotates(label)}
    run = writer.leaf("model", key, home, f"{dataset} / model", record, tags, params)
    store = f"sqlite:///{FOLDER}/mlflow.db" if is_own(writer.uri) else without_login(writer.uri)
    text = model_card(data, params, raw, digest, f"runs:/{run.run_id}/model", store)
    writer.describe(run.run_id, text)
    if run.is_new:
        metrics, primary = record["metrics"], PRIMARY[data.task]
        logged = {
            **{k: v for k, v in data.numbers(label).items() if k.startswith(f"test/{data.score}")},
            f"train/{primary}": metrics[f"training_{primary}"],
            **{f"oob/{k.removeprefix('oob_')}": v for k, v in metrics.items() if k.startswith("oob_")},
            "model/bytes": metrics["model_bytes"],
        }
        writer.log_metrics(run.run_id, logged, record["started"])
        writer.log_model(run.run_id, data.model, raw.drop(columns="target"), data.trusted)
        writer.log_dataset(run.run_id, raw, dataset, data.raw.as_posix(), "training", digest)
        writer.client.log_text(run.run_id, text, "model_card.md")
    writer.finish(run.run_id)
    marks = {"study": study, "method": label, "data": digest, "rotated": data.rotates(label), "task": data.task,
             **{k: str(record[k]) for k in ("seed", "version", "code")}}  # fmt: skip
    about = (
        f"Models that predict the target of the table **{dataset}**; each version has its card.\n\n"
        "`champion` is the choice of the first study for the table of the first model, "
        "`current` the model that was logged last."
    )
    registered = writer.register_model(run.run_id, dataset, text, marks, about)
    return {"model": run.run_id, "model_uri": f"runs:/{run.run_id}/model", "registered": registered}


def _results(metrics: dict) -> dict:
    """Return a pool's metrics without times; they change only with data, views and rotations."""
    return {k: v for k, v in metrics.items() if not k.endswith("_seconds")}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
