"""What Snakemake is told of jobs: memory and time that grow with what they hold, and no further."""

import pytest

from rotastack.study.resources import Resources
from rotastack.study.study import Study

POOLS = {
    "flagship": {"estimator": "rotastack"},
    "forest": {"estimator": "forest", "parameters": {"n_estimators": 100}},
    "boosted": {"estimator": "boosted_trees", "parameters": {"n_rounds": 50, "n_bags": 4}},
    "cat": {"estimator": "catboost"},
}


def resources(task="classification", **pools):
    pools = pools or POOLS
    study = {
        "name": "s", "task": task, "datasets": ["diabetes" if task == "regression" else "iris"], "protocol": {"kind": "holdout", "repeats": 2, "train": 0.7}, "pools": pools,
        "methods": {name: {"pool": name, "combiner": {"kind": "vote"}} for name in pools},
    }  # fmt: skip
    sizes = {"few": 1_000, "many": 100_000, "most": 1_000_000}
    classes = {} if task == "regression" else {"classes": ["a", "b"]}
    return Resources(
        Study.from_mapping(study, "s"),
        {name: {"rows": rows, "columns": 10, **classes} for name, rows in sizes.items()},
    )


def test_trees_are_counted():
    found = resources()
    assert [found.n_trees(pool) for pool in POOLS] == [800, 100, 200, 1000]
    small = {
        "flagship": {"estimator": "rotastack", "parameters": {"trees_per_family": 10}},
        "forest": POOLS["forest"],
    }
    assert resources(**small).n_trees("flagship") == 80
    assert resources("regression", **small).n_trees("flagship") == 90


@pytest.mark.parametrize("pool", POOLS)
def test_more_rows_and_attempts_get_more(pool):
    found = resources()
    few, many = (found.train_mb(name, pool, 1) for name in ("few", "many"))
    assert 500 < few < many
    assert found.train_mb("few", pool, 2) == pytest.approx(2 * few, abs=2)
    assert found.train_minutes("few", pool, 1) <= found.train_minutes("many", pool, 1)
    assert (
        0
        < found.usual_seconds("few", pool, next(iter(found.study.blocks)))
        < 60 * found.train_minutes("few", pool, 1)
    )


def test_trees_end_to_grow_where_bags_or_leaves_do():
    """A million rows take the table of a million, not the trees."""
    found = resources()
    table = 8e-6 * 10 * 16
    for pool in ("flagship", "boosted"):
        grown = found.train_mb("most", pool, 1) - found.train_mb("many", pool, 1)
        outputs = 8 * (found.pool_megabytes("most", pool) - found.pool_megabytes("many", pool))
        assert grown == pytest.approx(900_000 * table + outputs, abs=2)
    assert found.train_mb("many", "flagship", 1) > 24e-6 * 100_000 * 800, "what docstrings say of its nodes"
