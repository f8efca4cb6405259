"""The programs of benchmarks/, which are run by hand: the names that they import exist."""

import ast
import gzip
import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

from rotastack.data.artifacts import write_arrays, write_frame
from rotastack.data.loading import fetch_table
from rotastack.workflow.run.folds import draw_folds
from rotastack.workflow.run.launch import plan_of
from rotastack.workflow.run.steps.combine import combine
from rotastack.workflow.run.steps.prepare import prepare
from rotastack.workflow.run.steps.train import train

PROGRAMS = sorted((Path(__file__).parents[1] / "benchmarks").rglob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_imported_names_exist(program):
    for node in ast.walk(ast.parse(program.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rotastack"):
            module = import_module(node.module)
            unknown = [alias.name for alias in node.names if not hasattr(module, alias.name)]
            if hasattr(module, "__path__"):  # the names may be modules of a package
                unknown = [name for name in unknown if find_spec(f"{node.module}.{name}") is None]
            assert unknown == []


ARFF = """@relation {name}
@attribute amount numeric
@attribute code {{1,2,3}}
@attribute colour {{blue,red}}
@attribute Class {{{classes}}}
@data
"""


@pytest.fixture
def smalldata(tmp_path, monkeypatch):
    """The program of the study smalldata, over two tables, and the folder of its source."""
    rng = np.random.default_rng(0)
    (tmp_path / "source/tables").mkdir(parents=True)
    datasets, published = [], []
    for name, labels in (("two", ["yes", "no"]), ("three", ["c", "a", "b"])):
        classes = rng.permutation(np.repeat(labels, [20, 12, 16][: len(labels)]))
        lines = [f"{rng.normal():.3f},{k % 3 + 1},{['blue', 'red'][k % 2]},{label}" for k, label in enumerate(classes)]
        text = ARFF.format(name=name, classes=",".join(labels)) + "\n".join(lines) + "\n"
        (tmp_path / f"source/tables/{name}.arff.gz").write_bytes(gzip.compress(text.encode()))
        about = {"rows": len(lines), "roughly": {"rows": len(lines), "columns": 3, "classes": len(labels)}}
        datasets.append({"name": f"{name}-small", "mirror": name, "kinds": {"categorical": ["colour"]}, **about})
        published += [
            {"dataset": name, "method": m, "fold": fold, "prauc": rng.uniform(0.3, 0.9), "seconds": 10.0}
            for m in ("catboost", "random_forest", "tabpfn3", "tabicl", "tabfm", "tabpfn")
            for fold in range(4)
            if (name, m) != ("three", "tabicl")
        ]
    pd.DataFrame(published).to_csv(tmp_path / "source/published.csv.gz", index=False)
    monkeypatch.syspath_prepend(str(PROGRAMS[0].parent))
    program = import_module("smalldata")
    pools = {key: {"estimator": "tree"} for key in program.STUDY["pools"]}
    monkeypatch.setattr(program, "STUDY", {**program.STUDY, "datasets": datasets, "sizes": {}, "pools": pools})
    monkeypatch.setattr(program, "NEW", ["two", "three"])
    monkeypatch.setattr(program, "OUT", tmp_path / "docs/evidence/data/smalldata.parquet")
    monkeypatch.setattr(program.ranking, "hours_of", lambda _: pd.DataFrame({"hours": 0.1}, index=program.OWN))
    program.OUT.parent.mkdir(parents=True)
    return program, tmp_path


@pytest.mark.slow
def test_smalldata_has_the_folds_and_scores_of_its_source(smalldata, monkeypatch):
    program, folder = smalldata
    monkeypatch.setenv("DATA_MIRROR", str(folder / "mirror"))
    program.prepare(folder / "source", folder / "mirror")
    (folder / "study.yaml").write_text(json.dumps(program.STUDY))
    plan, expected = plan_of(str(folder / "study.yaml")), {}
    for dataset in plan.datasets:
        raw = pd.read_parquet(folder / f"mirror/{dataset.removesuffix('-small')}.parquet")
        assert list(raw) == ["amount", "code", "colour", "fold", "target"]
        assert pd.api.types.is_float_dtype(raw["code"]), "a text column of numbers is numeric"
        codes = np.unique(raw["target"], return_inverse=True)[1]
        for fold, (_, test) in enumerate(StratifiedKFold(4, shuffle=True, random_state=0).split(raw, codes)):
            assert (raw["fold"].to_numpy()[test] == fold).all()
        prepared = prepare(plan.keys["prepare", dataset].spec, fetch_table(dataset, plan.study.datasets[dataset]))
        write_frame(made(folder / f"results/datasets/{dataset}.parquet"), prepared.frame, prepared.about)
        folds = draw_folds(plan.keys["groups", dataset].spec, prepared.data)
        for name in plan.methods:
            key = "train", dataset, plan.study.methods[name].pool, "S-01-04"
            pool = train(plan.keys[key].spec, prepared.data, folds)
            method = combine(plan.keys["combine", dataset, name].spec, prepared.data, folds, [pool])
            method.attrs = {"method": name}
            write_arrays(made(folder / f"results/smalldata/{dataset}/methods/{name}.nc"), method)
            scores = [by_hand(raw["target"].to_numpy(), method, k) for k in range(4)]
            expected[dataset.removesuffix("-small"), name] = np.mean(scores)
    assert program.scores(folder / "results/smalldata").stack().to_dict() == pytest.approx(expected)

    program.condense(folder / "source", folder / "results/smalldata")
    monkeypatch.setattr(import_module("tables.condensed"), "ROOT", folder)
    tables = import_module("tables.tuned")
    published = pd.read_csv(folder / "source/published.csv.gz").groupby(["dataset", "method"])["prauc"].mean().unstack()
    among = published[["catboost", "random_forest"]].assign(Rotastack=pd.Series(expected).unstack()["Rotastack"])
    ranks = tables.numbers("ranks", "all")["rank"].to_dict()
    assert ranks == pytest.approx(among.rank(axis=1, ascending=False).mean().to_dict())
    tests = tables.numbers("tests", "all")
    assert tests["data_sets"].to_dict() == {**dict.fromkeys(tests.index, 2), "tabicl": 1}
    assert tests.loc["catboost", "wins"] == (among["catboost"] > among["Rotastack"]).sum()
    assert all(make() for make in tables.TABLES.values())


def made(file):
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def by_hand(y, method, fold):
    rows, classes = method["rows"].values[fold], method["class"].values
    there, first = rows >= 0, int(len(classes) == 2)
    right = np.equal.outer(y[rows[there]], classes)[:, first:]
    return average_precision_score(right, method["proba"].values[fold][there][:, first:], average="weighted")
