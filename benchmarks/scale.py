"""Estimate times of studies of any size by the coefficients of the jobs' requests, or measure fits of many rows.

    python benchmarks/scale.py [--rows 1000] [--columns 20]      # the estimates, which make_tables.py writes
    python benchmarks/scale.py --measure                         # docs/evidence/data/tables/scale_rows.csv

The study is rotation stacking of the thesis (five methods on four pools, 20 rotations) on one table. Its seconds are of one
core of the machine on which the coefficients were measured. The fit is the flagship at its defaults, one thread.
"""

import argparse
import os
import pickle
import time
from collections.abc import Iterator, Mapping
from math import ceil, log10, sqrt
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from sklearn.datasets import make_classification
from tables.condensed import table_of

from rotastack.base.documents import load_yaml
from rotastack.ensembles.flagship.classifier import RotastackClassifier
from rotastack.project import project_file
from rotastack.workflow.run.launch import config_file, read_plan
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.building import is_trained
from rotastack.workflow.study.costs import JOB_SECONDS, USUAL_COST, cost_of

BYTES_PER_OUTPUT = 2.0
"""On disk, of a float32 after zlib: .9 to 3.5 in the pools of the quickstart."""
FILES_OF_JOB = 5
"""What it makes, its record, its log, and Snakemake's note of the first two."""
SECONDS_OF_START = 4.0
"""Of each job on a cluster, beside its own: Snakemake is started for it."""
OTHER_JOBS = 7
"""Of a study of one data set, beside draws, trainings and combining: table, folds, scores, figures and report."""
MOST_JOBS = 500
"""Trainings of a pool, from which on blocks grow."""
MEASURED = Path(__file__).parents[1] / "docs/evidence/data/tables/scale_rows.csv"


def study_of(cells: int, rows: int, columns: int) -> Plan:
    """Return the plan of rotation stacking with this number of cells on a table of this size."""
    side = min(round(sqrt(cells)), 999)  # as many as a study may have
    block = max(1, ceil(side / sqrt(MOST_JOBS)))
    content = load_yaml(project_file("config/studies/rotation_stacking.yaml"))
    content |= {
        "datasets": ["iris"],
        "protocol": {**content["protocol"], "rotation_groups": side, "fold_groups": side},
        "blocks": {"rotation_groups": block, "fold_groups": block},
    }
    return _planned(content, rows, columns)


def _planned(content: dict, rows: int, columns: int) -> Plan:
    """Return the plan of a study whose one table has this size."""
    plan = read_plan(load_yaml(project_file(config_file())) | content, [config_file()])
    entry = {"sources": [], "rows": rows, "columns": columns, "classes": {"a": rows // 2, "b": rows - rows // 2}}
    plan.study.datasets["iris"] = plan.resources.datasets["iris"] = entry
    return plan


def outputs_of(plan: Plan) -> float:
    """Return the number of values in the pools of a plan."""
    members = sum(plan.study.protocol.rotations if p.view is not None else 1 for p in plan.study.pools.values())
    return plan.study.protocol.n_cells * plan.study.protocol.folds * members * plan.resources.rows("iris") * 2


def seconds_of(plan: Plan) -> Iterator[float]:
    """Return the estimated seconds of each job of a plan, including the start of Snakemake on a node."""
    study, resources = plan.study, plan.resources
    for pool in study.used_pools:
        for block in study.blocks_of_pool("iris", pool):
            yield SECONDS_OF_START + resources.usual_seconds("iris", pool, block)
    for label in study.methods:
        yield SECONDS_OF_START + combining_seconds(plan, label)
    drawn = {f for pool in study.used_pools for block in study.blocks for f in plan.rotations_of(pool, block)}
    for _ in range(len(drawn) + OTHER_JOBS):
        yield SECONDS_OF_START + JOB_SECONDS


def combining_seconds(plan: Plan, label: str) -> float:
    """Return the estimated seconds of a combining job: its level-1 estimator gets an output of each member and class."""
    method, protocol, rows = plan.study.methods[label], plan.study.protocol, plan.resources.rows("iris")
    seconds = JOB_SECONDS + protocol.n_cells * (0.002 + 2e-5 * rows)
    if not is_trained(method.combiner):
        return seconds
    given = method.combiner.parameters.get("estimator")
    if not isinstance(given, Mapping):
        return seconds + protocol.combiner_fits * (0.1 + 2e-4 * rows)
    columns = 2 * (protocol.rotations if plan.study.pools[method.pool].view is not None else 1)
    n_trees = given["parameters"].get("n_estimators", 100)
    cost = cost_of(given["class"]) or USUAL_COST
    return seconds + protocol.combiner_fits * cost.training_seconds(n_trees, rows, columns, 2)


def by_cells(rows: int = 1000, columns: int = 20) -> str:
    """Return the times of studies of 10^2 to 10^6 cells."""
    head = [
        "cells",
        "blocks",
        "jobs",
        "core hours",
        "hours on 100 cores",
        "pools on disk",
        "files",
        "MB a job asks for",
    ]
    body = []
    for cells in (100, 1000, 10_000, 100_000, 1_000_000):
        plan = study_of(cells, rows, columns)
        work = list(seconds_of(plan))
        seconds = sum(work)
        longest = max(seconds / 100, max(work)) / 3600
        memory = max(plan.resources.train_mb("iris", pool) for pool in plan.study.used_pools)
        body.append(
            [
                f"{plan.study.protocol.n_cells:,}",
                f"{len(plan.study.blocks):,}",
                f"{len(work):,}",
                f"{seconds / 3600:,.1f}",
                f"{longest:,.1f}",
                _bytes(BYTES_PER_OUTPUT * outputs_of(plan)),
                f"{FILES_OF_JOB * len(work):,}",
                f"{memory:,}",
            ]
        )
    return table_of(head, body)


def memory(rows: int = 10**7, columns: int = 20) -> str:
    """Return the memory that a job requests for the flagship on a large table."""
    vote = {"kind": "vote"}
    content = {
        "name": "large",
        "datasets": ["iris"],
        "protocol": {"kind": "holdout", "repeats": 1},
        "pools": {"rotastack": {"estimator": "rotastack"}, "forest": {"estimator": "forest"}},
        "methods": {"Rotastack": {"pool": "rotastack", "combiner": vote}, "RF": {"pool": "forest", "combiner": vote}},
    }
    requested = 1e6 * _planned(content, rows, columns).resources.train_mb("iris", "rotastack")
    return (
        f"- **To 10^{round(log10(rows))}** a job requests {requested / (8 * rows * columns):.0f} times the table: {_bytes(requested)} for {columns} columns. These are the table, its float32 copy "
        "by columns, and the out-of-bag sums, a number for each row, family and class. The boosted families are then the longest part, on one core for each of their bags, unless workers "
        "train them ([big tables](../how-to/big-tables.md))."
    )


TABLES = {"cells": by_cells, "memory": memory}


def measure(columns: int) -> None:
    """Fit the flagship to 10^3 to 10^6 rows, and write the processor seconds and the sizes of models."""
    lines = [
        "# `python benchmarks/scale.py --measure`, processor time of one thread, once, while other jobs ran",
        "rows,table in float64,fit,predicting as many,model",
    ]
    for power in range(3, 7):
        X, y = make_classification(
            10**power, columns, n_informative=10, n_redundant=0, n_clusters_per_class=8, random_state=0
        )
        started = time.process_time()
        model = RotastackClassifier(random_state=0, n_jobs=1).fit(X, y)
        fitted = time.process_time()
        model.predict_proba(X)
        times = fitted - started, time.process_time() - fitted
        lines.append(f"10^{power},{_bytes(X.nbytes)},{','.join(map(_time, times))},{_bytes(len(pickle.dumps(model)))}")
        print(lines[-1], flush=True)
    MEASURED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _bytes(count: float) -> str:
    units = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6))
    unit, size = next((known for known in units if count >= known[1]), ("kB", 1e3))
    return f"{count / size:.{0 if count >= 10 * size else 1}f} {unit}"


def _time(seconds: float) -> str:
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1g} s" if seconds < 1 else f"{seconds:.0f} s"


def main() -> None:
    """Print the estimates, or measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1000, help="rows of the table")
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--measure", action="store_true", help="fit tables of 10^3 to 10^6 rows")
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.columns)
    else:
        print(by_cells(arguments.rows, arguments.columns))


if __name__ == "__main__":
    main()
