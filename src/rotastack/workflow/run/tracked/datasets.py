"""Log one data set to MLflow: its own run, and the runs of its pools, methods and model."""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd

from rotastack.stats.metrics import PRIMARY, higher_is_better
from rotastack.stats.missing import rounded
from rotastack.workflow.run.tracked.contents import TrackedDataset, means_table, method_params, model_card, pool_params
from rotastack.workflow.tracking.address import FOLDER, is_own, without_login
from rotastack.workflow.tracking.logged_models import dataset_input, log_model, register_model
from rotastack.workflow.tracking.writer import DESCRIPTION, LONGEST, Writer

FACTS = ("rows", "numeric_columns", "categorical_columns", "date_columns", "missing_cells")
"""Facts of a table that are metrics of its run."""

SERIES = ("fit_seconds", "predict_seconds", "n_nodes", "depth", "oob_error")
"""Facts of a pool's members that are metrics, with the member as step."""


def track_dataset(data: TrackedDataset, writer: Writer, parent: str) -> dict[str, str]:
    """Log the runs of a data set that are not logged yet; return the name and id of each run."""
    methods = means_table(data.scores, data.task, data.score)
    fair = methods[~methods["method"].isin(data.optimistic)].dropna(subset=[data.score])
    tags = {"dataset": data.dataset, **({"best": str(fair["method"].iloc[0])} if len(fair) else {})}
    key = f"{data.key}-{_digest(*(figure.read_bytes() for figure in data.figures))}"
    home, is_new = writer.run("dataset", data.dataset, key, parent, {}, tags)
    of_table = cache(lambda: _table_input(data))
    if is_new:
        facts = data.prepared["metrics"]
        numbers = {f"table/{name}": facts[name] for name in FACTS if name in facts}
        if n_classes := len(facts.get("class_counts", ())):
            numbers["table/classes"] = n_classes
        if len(fair):
            numbers[f"best/{data.score}"] = float(fair[data.score].iloc[0])
        writer.log(home, numbers, data.prepared["started"])
        writer.log_dataset(home, of_table())
        writer.log_artifacts(home, data.figures, "figures")
        writer.client.log_text(home, methods.to_csv(index=False), "tables/methods.csv")
        writer.client.log_text(home, data.scores.to_csv(index=False), "tables/cells.csv")
        writer.finish(home)
    runs = {"dataset": home, **_track_pools(data, writer, home), **_track_methods(data, writer, home, of_table)}
    if data.refit is not None and data.refit["status"] == "ok":
        runs |= _track_model(data, data.refit, writer, home)
    return runs


def _table_input(data: TrackedDataset) -> Any:
    path = data.prepared_file
    return dataset_input(data.table, data.dataset, str(path), "evaluation", _digest(path.read_bytes()))


def _track_pools(data: TrackedDataset, writer: Writer, home: str) -> dict[str, str]:
    runs = {}
    for pool, parts in data.records["pools"].items():
        tags = {"dataset": data.dataset, "pool": pool}
        run_id, is_new = writer.run("pool", f"{data.dataset} / {pool}", data.key, home, parts[0], tags)
        runs[f"pool {pool}"] = run_id
        if is_new:
            numbers: dict[str, Any] = data.times(pool)
            for name in SERIES:
                rows = [p["metrics"][name] for p in parts if p["metrics"].get(name)]
                columns = ([v for v in column if v is not None] for column in zip(*rows, strict=True))
                numbers[f"members/{name}"] = [float(pd.Series(known).mean()) if known else None for known in columns]
            writer.log(run_id, numbers, parts[0]["started"], pool_params(parts[0]["parameters"]["pool"]))
            writer.finish(run_id, all(p["status"] == "ok" for p in parts))
    return runs


def _track_methods(data: TrackedDataset, writer: Writer, home: str, of_table: Callable[[], Any]) -> dict[str, str]:
    runs = {}
    means = data.scores.groupby("method", sort=False)[data.score].agg(lambda e: e.mean(skipna=False))
    ranks = rounded(means.to_frame().T).iloc[0].rank(ascending=not higher_is_better(data.score))
    for record in data.records["methods"]:
        label, pool = record["method"], record["pool"]
        part, parts = data.cells(label), data.records["pools"][pool]
        codes = dict.fromkeys([*(p["code"] for p in parts), record["code"]])
        tags = {
            "dataset": data.dataset,
            "method": label,
            "pool": pool,
            "code": "-".join(codes),
            "rotated": data.rotates(label),
        }
        run_id, is_new = writer.run("method", f"{data.dataset} / {label}", data.key, home, record, tags)
        runs[f"method {label}"] = run_id
        if is_new:
            numbers = {"test/rank": ranks[label], **data.numbers(label), **data.times(pool)}
            cells = {f"cells/{data.score}": part[data.score].tolist()} if len(part) > 1 else {}
            params = method_params(parts[0]["parameters"]["pool"], record["parameters"]["combiner"])
            writer.log(run_id, {**numbers, **cells}, record["started"], params)
            writer.log_dataset(run_id, of_table())
            writer.finish(run_id, record["status"] == "ok")
    return runs


def _track_model(data: TrackedDataset, record: dict[str, Any], writer: Writer, home: str) -> dict[str, str]:
    """Log and register the model, with a card."""
    from rotastack.data.raw import read_raw

    assert data.model is not None
    study, dataset, label = data.study, data.dataset, record["metrics"]["method"]
    raw, digest = read_raw(data.raw), _digest(data.raw.read_bytes())
    tags = {"dataset": dataset, "method": label, "rotated": data.rotates(label)}
    run_id, is_new = writer.run("model", f"{dataset} / model", f"{data.key}-{record['key']}", home, record, tags)
    of_method = record["parameters"]["methods"][label]
    params = method_params(of_method["pool"], of_method["combiner"])
    store = f"sqlite:///{FOLDER}/mlflow.db" if is_own(writer.uri) else without_login(writer.uri)
    text = model_card(data, params, raw, digest, f"runs:/{run_id}/model", store)
    if is_new:
        metrics, primary = record["metrics"], PRIMARY[data.task]
        numbers = {
            **{k: v for k, v in data.numbers(label).items() if k.startswith(f"test/{data.score}")},
            f"train/{primary}": metrics[f"training_{primary}"],
            **{f"oob/{k.removeprefix('oob_')}": v for k, v in metrics.items() if k.startswith("oob_")},
            "model/bytes": metrics["model_bytes"],
        }
        writer.set_tags(run_id, {DESCRIPTION: text[:LONGEST]})
        writer.log(run_id, numbers, record["started"], params)
        log_model(writer.client, run_id, data.model, raw.drop(columns="target"), data.trusted)
        writer.log_dataset(run_id, dataset_input(raw, dataset, data.raw.as_posix(), "training", digest))
        writer.client.log_text(run_id, text, "model_card.md")
        writer.finish(run_id)
    marks = {
        "study": study,
        "method": label,
        "data": digest,
        "rotated": data.rotates(label),
        "task": data.task,
        **{k: str(record[k]) for k in ("seed", "version", "code")},
    }
    about = (
        f"Models of the study {study} that predict the target of the table {dataset}; each version has its card.\n\n"
        "`champion` is the choice for the table of the first model, `current` the model that was logged last."
    )
    registered = register_model(writer.client, run_id, f"{study}.{dataset}", text, marks, about)
    return {"model": run_id, "model_uri": f"runs:/{run_id}/model", "registered": registered}


def _digest(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(contents)).hexdigest()
