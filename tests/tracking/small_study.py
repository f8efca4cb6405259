"""A study of few numbers: the files that the step ``track`` reads, with the keys that the workflow gives them."""

import hashlib
import json
from pathlib import Path

import pandas as pd
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.data.artifacts import write_frame
from rotastack.data.raw import write_raw
from rotastack.files import write_bytes, write_text
from rotastack.stats.metrics import METRICS
from rotastack.workflow.run.job import Job
from rotastack.workflow.tracking.model_files import dump_model

X = pd.DataFrame({"a": range(20), "b": ["u", "v"] * 10})
Y = ["x", "z"] * 10
STARTED = "2026-01-01T00:00:00+00:00"  # of all steps: what a run shows must not depend on the time
SCORES = METRICS["classification"]


def key_of(*parts):
    """Return the key of a job from what it depends on."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def record(step, key, parameters, metrics, **about):
    """Return a record of a step."""
    return {
        "step": step,
        **about,
        "status": "ok",
        "message": "",
        "parameters": parameters,
        "seed": 7,
        "metrics": metrics,
        "version": "0.1.0",
        "code": "c0de",
        "key": key,
        "started": STARTED,
    }


def job_of(methods, datasets=("iris",), repeats=3, refit="best", study="s"):
    """Write the files of a study of `methods` (label -> mean error) into the working directory; return its job."""
    root, files = Path("results", study), {}

    def put(name, path, content):
        if isinstance(content, (bytes, str)):
            (write_bytes if isinstance(content, bytes) else write_text)(path, content)
        elif content is not None:
            write_text(path, json.dumps(content))
        files.setdefault(name, []).append(path)

    pools = {
        f"pool{k}": {"estimator": "a.Forest", "view": None, "scaling": "minmax", "parameters": {"n": k}}
        for k, _ in enumerate(methods)
    }
    of_method = dict(zip(methods, pools, strict=True))
    combiners = {label: {"kind": "vote", "parameters": {}} for label in methods}
    best, keys = min(methods, key=methods.get), []
    for dataset in datasets:
        folder = root / dataset
        key = key_of(dataset, methods, repeats)
        write_raw(X.assign(target=Y), raw := Path(f"data/raw/{dataset}.parquet"))
        put("raw", raw, None)
        write_frame(
            table := Path(f"results/datasets/{dataset}.parquet"), X.assign(target=Y), {"task": "classification"}
        )
        put("table", table, None)
        cells = [
            {"dataset": dataset, "method": label, "cell": k, **dict.fromkeys(SCORES, error + 0.01 * k)}
            for label, error in methods.items()
            for k in range(repeats)
        ]
        write_frame(scores := folder / "scores.parquet", pd.DataFrame(cells))
        put("scores", scores, None)
        put("scored", folder / "score.run.json", record("score", key, {}, {"baseline": dict.fromkeys(SCORES, 0.5)}))
        facts = {"rows": 20, "numeric_columns": 1, "class_counts": {"x": 10, "z": 10}}
        times = {"fit_seconds": [0.5] * 3, "predict_seconds": [0.1] * 3, "n_nodes": [3, 4, 5]}
        put(
            "records",
            folder / "records.json",
            {
                "prepare": record("prepare", key, {}, facts, dataset=dataset),
                "pools": {pool: [record("train", key, {"pool": about}, times)] for pool, about in pools.items()},
                "methods": [
                    record("vote", key, {"combiner": combiners[label]}, {}, method=label, pool=of_method[label])
                    for label in methods
                ],
            },
        )
        put("figures", folder / "figures" / dataset / "boxes.png", f"{dataset} {sorted(methods)}".encode())
        keys.append(key)
        if refit != "none":
            path = folder / "model/model.skops"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                model = Pipeline([("table", TablePreprocessor()), ("classifier", GaussianNB())]).fit(X, Y)
                dump_model(model, path)
            put("model", path, None)
            chosen = {
                "refit": refit,
                "methods": {m: {"pool": pools[of_method[m]], "combiner": combiners[m]} for m in methods},
            }
            metrics = {"method": best, "training_error": 0.0, "oob_error": 0.3, "model_bytes": 10}
            put("refit", path.with_name("refit.run.json"), record("refit", key_of("refit", key), chosen, metrics))
    ranks = {label: k + 1.0 for k, label in enumerate(sorted(methods, key=methods.get))}
    several = {"p_value": 0.5, "friedman_chi2": 1.0, "critical_difference": 2.0} if len(methods) > 2 else {}
    put("comparison", root / "comparison.json", {"error": {"ranks": {"mean": ranks}, **several}})
    put("verdict", root / "verdict.json", {"sentences": ["RF *wins*.", f"Of {len(methods)} methods."]})
    key = key_of(*keys)
    put("record", root / "summarize.run.json", record("summarize", key, {}, {}))
    for score in SCORES:
        put("tables", root / f"tables/{score}.csv", pd.DataFrame([methods] * len(datasets)).to_csv(index=False))
    put("figures", root / "figures/study/differences.png", key.encode())
    put("report", root / "report.html", key)
    spec = {
        "name": study,
        "title": "",
        "description": "",
        "seed": 7,
        "task": "classification",
        "datasets": list(datasets),
        "missing": None,
        "published": None,
        "protocol": {"kind": "crossval", "repeats": repeats},
        "pools": pools,
        "methods": {m: {} for m in methods},
        "evaluation": {},
        "model": {"refit": refit},
        "score": "error",
        "control": best,
        "optimistic": [],
        "rotated": [],
        "cells": "",
    }
    return Job("track", spec, files, {"receipt": [root / "tracking.json"]}, key=f"{key_of('track', key, refit)}-c0de")
