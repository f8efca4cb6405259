"""What Snakemake is told of jobs: memory and time that grow with what they hold, and no further."""

from dataclasses import replace

import pytest

from rotastack.workflow.run.resources import BASE_MB, Resources
from rotastack.workflow.study.study import Study

POOLS = {
    "flagship": {"estimator": "rotastack"},
    "forest": {"estimator": "forest", "parameters": {"n_estimators": 100}},
    "boosted": {"estimator": "boosted_trees", "parameters": {"n_rounds": 50, "n_bags": 4}},
    "cat": {"estimator": "catboost"},
}


def resources(**pools):
    pools = pools or POOLS
    study = {
        "name": "s",
        "datasets": ["iris"],
        "protocol": {"kind": "holdout", "repeats": 2, "train": 0.7},
        "blocks": {"splits": 1},
        "pools": pools,
        "methods": {name: {"pool": name, "combiner": {"kind": "vote"}} for name in pools},
    }
    sizes = {"few": 1_000, "many": 100_000, "most": 1_000_000}
    datasets = {name: {"rows": rows, "columns": 10, "classes": ["a", "b"]} for name, rows in sizes.items()}
    return Resources(replace(Study.from_mapping(study, "s"), datasets=datasets))


@pytest.mark.parametrize("pool", POOLS)
def test_more_rows_get_more(pool):
    found = resources()
    few, many, most = (found.train_mb(name, pool) for name in ("few", "many", "most"))
    assert BASE_MB == few <= many < most
    assert found.train_minutes("few", pool) <= found.train_minutes("many", pool)
    assert 0 < found.usual_seconds("few", pool, next(iter(found.study.blocks))) < 60 * found.train_minutes("few", pool)


def test_a_forest_takes_its_nodes_and_matrices():
    """As measured: 200 trees of 18 classes, and 30 on rotations of 2000 columns; never below, nor far above."""
    classes = [str(k) for k in range(18)]
    pools = {
        "forest": {"estimator": "forest", "parameters": {"n_estimators": 200}},
        "rotated": {"estimator": "RotationForestClassifier", "parameters": {"n_estimators": 30}},
    }
    datasets = {
        "many": {"rows": 28_056, "columns": 6, "classes": classes},
        "wide": {"rows": 62, "columns": 2000, "classes": ["a", "b"]},
        "large": {"rows": 1100, "columns": 2000, "classes": ["a", "b"]},
    }
    found = Resources(replace(resources(**pools).study, datasets=datasets))
    assert 690 < found.train_mb("many", "forest") < 1.5 * 690
    assert 480 < found.train_mb("wide", "rotated") <= BASE_MB
    assert 1090 < found.train_mb("large", "rotated") < 1.5 * 1090
