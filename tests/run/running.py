"""Run steps of the workflow in this process, on one small table."""

import copy
import importlib
import json
import time
from contextlib import suppress
from functools import reduce

import numpy as np
import pandas as pd
import psutil
from sklearn.datasets import load_iris

from rotastack.data.artifacts import read_arrays, read_frame, write_frame
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.modules import STEPS
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.model import MethodDocument, PoolDocument
from rotastack.workflow.study.names import name_of
from rotastack.workflow.study.resolving import resolved_combiner, resolved_pool
from rotastack.workflow.study.specs import (
    CombiningSpec,
    MethodSpec,
    NestedTrainingSpec,
    RefitSpec,
    RotationsSpec,
    ScoringSpec,
    SplitTrainingSpec,
)
from rotastack.workflow.study.study import Study

LEVELS = np.arange(150) % 3
"""Of the categorical column of the table."""


def iris_table(folder):
    """Write iris with a categorical column of three levels, as ``prepare`` does."""
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["e"] = pd.Categorical.from_codes(LEVELS, ["0", "1", "2"])
    frame["target"] = y.astype("int16")
    write_frame(folder / "table", frame, {"task": "classification", "classes": ["s", "c", "v"]})


def changed(content, **values):
    """Return a copy of a study with other values at places such as ``pools.a.view``; None removes the key."""
    content = copy.deepcopy(content)
    for place, value in values.items():
        *parents, key = place.split(".")
        within = reduce(dict.__getitem__, parents, content)
        within[key] = value
        if value is None:
            del within[key]
    return content


def checked(content):
    """Return a study whose classes and parameters were looked at as well."""
    study = Study.from_mapping(content, "s.yaml")
    check_classes(study, "s.yaml")
    return study


def told(study, *name):
    """Return the spec of a study's job."""
    return Plan(study, {}).jobs[name if len(name) > 1 else name[0]].spec


def step(name, folder, spec, inputs, outputs, pool="", **options):
    """Run a step; files are named below `folder`."""
    spec = spec if isinstance(spec, dict) else spec.content()
    importlib.import_module(STEPS[name]).run(
        Job(
            name,
            spec,
            {k: [folder / f for f in ([v] if isinstance(v, str) else v)] for k, v in inputs.items()},
            {k: [folder / f for f in ([v] if isinstance(v, str) else v)] for k, v in outputs.items()},
            {"dataset": "d", "study": "s", "method": spec.get("method", ""), "pool": pool or spec.get("name", "")},
            **options,
        )
    )


def pool_slice(estimator, parameters=None, view=None, **pool):
    """Return the spec of a pool, as a study has it."""
    given = {"estimator": estimator, "parameters": parameters or {}, "view": view, **pool}
    return resolved_pool(PoolDocument.read(given, "pool"))


def split(folder, repeats=4, rows=0.6):
    """Divide the rows at random."""
    spec = {"protocol": "splits", "kind": "holdout", "repeats": repeats, "train": rows}
    draw(folder, spec)


def draw(folder, spec, view=None, groups=(), rotations=3):
    """Draw folds, and rotation groups of a view, if one is given; return the file of these."""
    spec = {"seed": 1, "dataset": "d", **spec}
    step("groups", folder, spec, {"table": "table"}, {"folds": "folds", "record": "groups.run.json"})
    if view is None:
        return None
    spec = RotationsSpec(seed=1, dataset="d", view=view, groups=list(groups), rotations=rotations)
    step("groups", folder, spec, {"table": "table"}, {"rotations": "rotations.nc", "record": "rotations.run.json"})
    return "rotations.nc"


def train(
    folder,
    estimator,
    parameters=None,
    splits=(0, 1, 2, 3),
    name="pool",
    limit=100,
    threads=1,
    selections=(),
    rotations=3,
    **pool,
):
    """Train a pool on splits; return its file."""
    content = pool_slice(estimator, parameters, **pool)
    spec = SplitTrainingSpec(
        protocol="splits",
        seed=1,
        dataset="d",
        name="p",
        splits=list(splits),
        repeats=limit,
        rotations=rotations,
        pool=content,
        members=content.member_names,
        selections=list(selections),
    )
    (folder / "p").mkdir(exist_ok=True)
    files = {"pool": f"p/{name}.nc", "record": f"p/{name}.run.json"}
    step("train", folder, spec, {"table": "table", "folds": "folds"}, files, threads=threads)
    return read_arrays(folder / files["pool"])


def train_nested(
    folder, estimator, parameters=None, view=None, name="pool", nested=True, groups=(0,), rotations=3, **pool
):
    """Train a pool in nested cross-validation of one fold group, rotations drawn first; return its file and record.

    If `nested`, the file is of the inner block, and the result has the outputs of the outer block, too.
    """
    content = pool_slice(estimator, parameters, view, **pool)
    spec = NestedTrainingSpec(
        protocol="nested",
        seed=1,
        dataset="d",
        name="p",
        folds=3,
        inner=False,
        fold_groups=[0],
        rotation_groups=list(groups),
        pool=content,
        rotations=1 if content.view is None else rotations,
    )
    inputs = {"table": "table", "folds": "folds", "rotations": []}
    if content.view is not None and content.view.is_drawn:
        sizes = {"protocol": "nested", "fold_groups": 1, "folds": 3}
        inputs["rotations"] = draw(folder, sizes, content.view, [name_of("RG", g) for g in groups], rotations)
    (folder / "p").mkdir(exist_ok=True)
    files = {"pool": f"p/{name}.nc", "record": f"p/{name}.run.json"}
    step("train", folder, spec, inputs, files)
    arrays = read_arrays(folder / files["pool"])
    if nested:
        step("train", folder, spec.model_copy(update={"inner": True}), inputs, files)
        inner = read_arrays(folder / files["pool"])
        arrays = inner[["proba"]].fillna(arrays["proba"]).assign_attrs(inner.attrs)
    return arrays, json.loads((folder / files["record"]).read_text())


def combiner_slice(combiner):
    """Return the spec of a combiner, as a study has it."""
    return resolved_combiner(MethodDocument.read({"pool": "p", "combiner": combiner}, "method").combiner)


def refit_spec(pool, combiner, **options):
    """Return the spec of the refit of method A, which has a pool and a combiner."""
    method = MethodSpec(pool=pool, combiner=combiner_slice(combiner))
    known = {
        "task": "classification",
        "score": "error",
        "seed": 1,
        "dataset": "d",
        "refit": "A",
        "rotations": 3,
        "folds": 3,
    }
    return RefitSpec(methods={"A": method}, **known | options)


def refit(folder, spec, scores):
    """Refit a method after these scores to the raw table; return the record."""
    write_frame(folder / "scores", pd.DataFrame(scores))
    (folder / "scored").write_text('{"metrics": {}}')
    files = {"model": "model", "record": "refit.run.json"}
    step("refit", folder, spec, {"raw": "raw", "scores": "scores", "scored": "scored"}, files)
    return json.loads((folder / "refit.run.json").read_text())


def combine(folder, combiner, blocks=("pool",), protocol="splits"):
    """Run a method on the pool; return its file and record."""
    spec = CombiningSpec(protocol=protocol, seed=1, dataset="d", method="M", combiner=combiner_slice(combiner))
    inputs = {"table": "table", "folds": "folds", "pool": [f"p/{block}.nc" for block in blocks]}
    step("combine", folder, spec, inputs, {"method": "M.nc", "record": "M.run.json"}, pool="p")
    return read_arrays(folder / "M.nc"), json.loads((folder / "M.run.json").read_text())


def scored(folder, axes=("split",), protocol="splits", blocks=("pool",), score="error", **known):
    """Return scores, calibration and record of the method that was combined."""
    (folder / "table.run.json").write_text("{}")
    inputs = {
        "table": "table",
        "prepare": "table.run.json",
        "folds": "folds",
        "groups": "groups.run.json",
        "methods": "M.nc",
        "method_records": "M.run.json",
        "pool_records": [f"p/{block}.run.json" for block in blocks],
    }
    outputs = {
        "scores": "scores",
        "rows": "rows",
        "calibration": "calibration",
        "decisions": "decisions",
        "records": "records.json",
        "record": "s.json",
    }
    sizes = {"axes": list(axes), "pools": ["p"], "methods": ["M"], **known}
    step("score", folder, ScoringSpec(dataset="d", score=score, protocol=protocol, **sizes), inputs, outputs)
    frames = [read_frame(folder / name)[0] for name in ("scores", "calibration")]
    return *frames, json.loads((folder / "s.json").read_text())


def has_ended(pid):
    """Return whether a process ends soon; the system decides when it is reaped."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for _ in range(500):
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
            time.sleep(0.02)
        process.kill()
        return False
    return True
