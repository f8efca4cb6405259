"""Log one data set to MLflow: its own run, and the runs of its pools, methods and model."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd

from rotastack.data.artifacts import read_frame
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


TIMES = ("fit_seconds", "predict_seconds")


def track_dataset(data: TrackedDataset, writer: Writer, parent: str) -> dict[str, str]:
    """Log the runs of a data set that are not logged yet; return the name and id of each run."""
    spec, prepared = data.spec, data.records["prepare"]
    methods = means_table(data.scores, spec.task, spec.score)
    fair = methods[~methods["method"].isin(spec.optimistic)].dropna(subset=[spec.score])
    tags = {"dataset": data.dataset, **({"best": str(fair["method"].iloc[0])} if len(fair) else {})}
    key = f"{data.key}-{_digest(*(figure.read_bytes() for figure in data.figures))}"
    home, is_new = writer.run("dataset", data.dataset, key, parent, {}, tags)
    of_table = cache(lambda: _table_input(data))
    if is_new:
        facts = prepared["metrics"]
        numbers = {f"table/{name}": facts[name] for name in FACTS if name in facts}
        if n_classes := len(facts.get("class_counts", ())):
            numbers["table/classes"] = n_classes
        if len(fair):
            numbers[f"best/{spec.score}"] = float(fair[spec.score].iloc[0])
        writer.log(home, numbers, prepared["started"])
        writer.log_dataset(home, of_table())
        writer.log_artifacts(home, data.figures, "figures")
        writer.client.log_text(home, methods.to_csv(index=False), "tables/methods.csv")
        writer.client.log_text(home, data.scores.to_csv(index=False), "tables/cells.csv")
        writer.finish(home)
    runs = {"dataset": home}
    for pool, parts in data.records["pools"].items():
        tags = {"dataset": data.dataset, "pool": pool}
        runs[f"pool {pool}"], is_new = writer.run("pool", f"{data.dataset} / {pool}", data.key, home, parts[0], tags)
        if is_new:
            _log_pool(runs[f"pool {pool}"], parts, writer)
    ranks = (
        rounded(methods.set_index("method")[[spec.score]].T).iloc[0].rank(ascending=not higher_is_better(spec.score))
    )
    for record in data.records["methods"]:
        label, parts = record["method"], data.records["pools"][record["pool"]]
        codes = "-".join(dict.fromkeys([*(p["code"] for p in parts), record["code"]]))
        tags = {**data.tags(label), "pool": record["pool"], "code": codes}
        run_id, is_new = writer.run("method", f"{data.dataset} / {label}", data.key, home, record, tags)
        runs[f"method {label}"] = run_id
        if is_new:
            cells = data.scores.loc[data.scores["method"] == label, spec.score].tolist()
            numbers = {"test/rank": ranks[label], **data.numbers(label), **_times(parts)}
            numbers |= {f"cells/{spec.score}": cells} if len(cells) > 1 else {}
            params = method_params(parts[0]["parameters"]["pool"], record["parameters"]["combiner"])
            writer.log(run_id, numbers, record["started"], params)
            writer.log_dataset(run_id, of_table())
            writer.finish(run_id, record["status"] == "ok")
    if data.refit is not None and data.refit["status"] == "ok":
        runs |= _track_model(data, data.refit, writer, home)
    return runs


def _table_input(data: TrackedDataset) -> Any:
    digest = _digest(data.table.read_bytes())
    return dataset_input(read_frame(data.table)[0], data.dataset, str(data.table), "evaluation", digest)


def _times(parts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the seconds of all trainings of a pool, and of all its predictions, from the records of its blocks."""
    return {f"time/{name}": sum(sum(p["metrics"].get(name, [])) for p in parts) for name in TIMES}


def _log_pool(run_id: str, parts: Sequence[Mapping[str, Any]], writer: Writer) -> None:
    """Log a pool from the records of its blocks."""
    numbers: dict[str, Any] = _times(parts)
    for name in SERIES:
        rows = [p["metrics"][name] for p in parts if p["metrics"].get(name)]
        columns = ([v for v in column if v is not None] for column in zip(*rows, strict=True))
        numbers[f"members/{name}"] = [float(pd.Series(known).mean()) if known else None for known in columns]
    writer.log(run_id, numbers, parts[0]["started"], pool_params(parts[0]["parameters"]["pool"]))
    writer.finish(run_id, all(p["status"] == "ok" for p in parts))


def _track_model(data: TrackedDataset, record: dict[str, Any], writer: Writer, home: str) -> dict[str, str]:
    """Log and register the model, with a card."""
    from rotastack.data.raw import read_raw

    assert data.model is not None
    spec, dataset, metrics = data.spec, data.dataset, record["metrics"]
    raw, digest, label = read_raw(data.raw), _digest(data.raw.read_bytes()), metrics["method"]
    key, tags = f"{data.key}-{record['key']}", data.tags(label)
    run_id, is_new = writer.run("model", f"{dataset} / model", key, home, record, tags)
    store = f"sqlite:///{FOLDER}/mlflow.db" if is_own(writer.uri) else without_login(writer.uri)
    text = model_card(data, raw, digest, f"runs:/{run_id}/model", store)
    if is_new:
        of_method, primary = record["parameters"]["methods"][label], PRIMARY[spec.task]
        numbers = {
            **{k: v for k, v in data.numbers(label).items() if k.startswith(f"test/{spec.score}")},
            f"train/{primary}": metrics[f"training_{primary}"],
            **{f"oob/{k.removeprefix('oob_')}": v for k, v in metrics.items() if k.startswith("oob_")},
            "model/bytes": metrics["model_bytes"],
        }
        writer.set_tags(run_id, {DESCRIPTION: text[:LONGEST]})
        writer.log(run_id, numbers, record["started"], method_params(of_method["pool"], of_method["combiner"]))
        log_model(writer.client, run_id, data.model, raw.drop(columns="target"), spec.trusted)
        writer.log_dataset(run_id, dataset_input(raw, dataset, data.raw.as_posix(), "training", digest))
        writer.client.log_text(run_id, text, "model_card.md")
        writer.finish(run_id)
    marks = {"study": spec.name, "method": label, "data": digest, "rotated": tags["rotated"], "task": spec.task}
    marks |= {k: str(record[k]) for k in ("seed", "version", "code")}
    about = (
        f"Models of the study {spec.name} that predict the target of the table {dataset}; each version has its card.\n\n"
        "`champion` is the choice for the table of the first model, `current` the model that was logged last."
    )
    registered = register_model(writer.client, run_id, f"{spec.name}.{dataset}", text, marks, about)
    return {"model": run_id, "model_uri": f"runs:/{run_id}/model", "registered": registered}


def _digest(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(contents)).hexdigest()
