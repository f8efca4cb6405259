"""The study of 179 classifiers on a folder of data sets with given splits."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.workflow.project import Project

from rotastack.base.documents import load_yaml
from rotastack.project import project_file

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FAMILIES = load_yaml(project_file("config/published/delgado2014.yaml"))["families"]
LEFT_OUT = "hayes-roth"


def folder_of(path, study):
    """Write a mirror folder for the study: random data sets with the study's names and rows, and accuracies."""
    rng = np.random.default_rng(0)
    path.mkdir()
    names = [entry["mirror"] for entry in study["datasets"]]
    for k, entry in enumerate(study["datasets"]):
        n, classes = entry["rows"], 2 + k % 2
        y = np.arange(n) % classes
        X = rng.normal(size=(n, 4)) + y[:, None] * [1.5, 0, 0, 0]
        X[:, 3] = rng.integers(0, 3, n)
        n_splits = 1 if entry["mirror"] == "monks-2" else 4
        folds = {}
        for s in range(n_splits):
            test = np.sort(rng.permutation(n)[: n // 4])
            folds |= {f"f{2 * s}": np.setdiff1d(np.arange(n), test), f"f{2 * s + 1}": test}
        np.savez(path / f"{entry['mirror']}.npz", X=X, y=y, **folds)
    methods = [method for family in FAMILIES.values() for method in family]
    table = pd.DataFrame(rng.uniform(30, 60, (len(names), len(methods))).round(1), names, methods)
    table["pcaNNet_caret"] = 99.9
    table.loc[names[3], "lda_R"] = None
    table.rename_axis("dataset").to_csv(path / "published.csv")
    return table


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The study's small size, with few data sets and few trees."""
    file = "config/studies/delgado2014.yaml"
    kept = ("hayes-roth", "iris", "monks-2")
    with Project.with_mirror(tmp_path_factory.mktemp("given")) as project:
        with project.rewritten(file) as study:
            small = study["sizes"]["small"]["datasets"]
            small = [*small[:2], *(entry for entry in small[2:] if entry["mirror"] in kept)]
            study["sizes"]["small"]["datasets"] = small
            for name in ("rotated", "forest"):
                study["pools"][name]["parameters"]["n_estimators"] = 10
            study["pools"]["rotastack"]["parameters"] = {"trees_per_family": 5}
        table = folder_of(project.folder / "mirror", {"datasets": small})
        project.make("results/delgado2014-small/report.html", study=file, size="small")
    return project, small, table


def test_scores_are_those_of_the_splits_that_data_sets_bring(ran):
    project, small, _ = ran
    scores = pd.read_parquet(project.folder / "results/delgado2014-small/scores.parquet")
    assert scores["dataset"].nunique() == len(small)
    assert scores["method"].nunique() == 7
    counts = scores.groupby(["dataset", "method"]).size().unstack().iloc[:, 0]
    assert counts.drop("monks-2-2014").eq(4).all()
    assert counts["monks-2-2014"] == 1
    entry = small[0]
    folds = pd.read_parquet(project.folder / f"results/delgado2014-small/{entry['name']}/folds.parquet")
    with np.load(project.folder / f"mirror/{entry['mirror']}.npz") as arrays:
        for s, column in enumerate(folds):
            assert (np.flatnonzero(folds[column] == 0) == arrays[f"f{2 * s + 1}"]).all()
            assert (np.flatnonzero(folds[column] == 1) == arrays[f"f{2 * s}"]).all()


def test_published_methods_stand_beside_ours_and_what_is_left_out_is_said(ran):
    project, small, table = ran
    root = project.folder / "results/delgado2014-small"
    columns = pd.read_csv(root / "tables/published_columns.csv")
    assert columns["method"].nunique() == 179
    assert len(columns) == len(small) * 179
    cell = columns.query("of == 'rf_caret' and dataset == 'iris-2014'").iloc[0]
    assert cell["score"] == pytest.approx(1 - table.loc["iris", "rf_caret"] / 100)
    assert cell["family"] == "random forests"
    failed = columns.query("of == 'lda_R'").set_index("dataset")["score"]
    name = small[3]["name"]
    assert failed[name] == pytest.approx(1 - table.loc[small[3]["mirror"]].mean() / 100)
    ranks = pd.read_csv(root / "tables/published_ranks.csv")
    assert len(ranks) == 186
    assert ranks["n_datasets"].iloc[0] == len(small) - 1, "one is left out"
    assert ranks["p_holm"].notna().sum() == 20
    assert ranks.iloc[0]["method"] == "pcaNNet_caret (2014)"
    comparison = json.loads((root / "statistics/comparison.json").read_text())["error"]
    assert comparison["n_datasets"] == len(small) - 1
    assert any(
        note.startswith(f"{LEFT_OUT}-2014: left out of ranks and tests: training and test")
        for note in comparison["notes"]
    )
    page = (root / "report.html").read_text()
    assert f"Error of 7 methods on {len(small) - 1} data sets." in page
    assert columns["family"].nunique() == 17
