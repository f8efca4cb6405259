"""How a study of one's own table is laid out."""

import re

import numpy as np
import pandas as pd
import pytest
from snakemake.io import PeriodicityDetector
from tests.refusals import refusal

from rotastack.base.documents import load_yaml
from rotastack.ensembles.flagship.classifier import RotastackClassifier
from rotastack.ensembles.flagship.families import FAMILIES as FAMILIES_OF_CLASSES
from rotastack.ensembles.flagship.families import NUMBER_FAMILIES as FAMILIES_OF_NUMBERS
from rotastack.ensembles.flagship.families import TreeFamily, find_families
from rotastack.ensembles.flagship.regressor import RotastackRegressor
from rotastack.workflow.run.resources import Resources
from rotastack.workflow.study.catalogue import find
from rotastack.workflow.study.costs import JOB_SECONDS, USUAL_COST
from rotastack.workflow.study.study import Study
from rotastack.workflow.use.own_study import BUDGETS, Design, Shape, choose_design, counts_among, labels_of, study_of
from rotastack.workflow.use.study_file import division_in_words, study_file, study_name, write_study

SMALL = Shape("classification", 500, 12, 2)
LARGE = Shape("classification", 20_000, 30, 2)


def lay(shape=SMALL, size="medium", budget=None, n_cores=2):
    return choose_design(shape, size, budget, n_cores, labels_of(shape.task), {})


def content(table="t.csv", shape=SMALL, size="medium", kinds=None):
    score = "error" if shape.task == "classification" else "rmse"
    return study_of(table, "label", lay(shape, size), score, kinds or {}, labels_of(shape.task))


@pytest.mark.parametrize(
    ("task", "size", "rows"),
    [
        ("classification", "small", 20),
        ("regression", "full", 20),
        ("classification", "medium", 3000),
        ("classification", "full", 1_000_000),
        ("regression", "small", 1_000_000),
    ],
)
def test_every_layout_is_a_study(task, size, rows):
    shape = Shape(task, rows, 30, 3 if task == "classification" else 0)
    study = Study.from_mapping(content(shape=shape, size=size), "s")
    assert study.control in study.methods
    assert study.rotated == ["Rotastack", "Random rotations", *["Rotation Forest"] * (task == "classification")]
    assert len(study.blocks) * len(study.used_pools) < 2000


def test_a_budget_shortens_and_says_so():
    free = lay(LARGE, "full")
    tight = lay(LARGE, "full", free.seconds / 4)
    assert tight.seconds <= free.seconds / 4
    assert (free.shortened, tight.shortened) == (False, True)
    assert lay(LARGE).seconds < 300, "twenty thousand rows at the usual size"
    assert lay(LARGE, "full", n_cores=8).seconds < free.seconds
    least = lay(Shape("regression", 1_000_000, 30, 0), "medium", 1.0)
    assert least.seconds > BUDGETS["small"], "there is no smaller one"
    assert re.findall(r"[\d,]+\d|\d", division_in_words(least.protocol)) == ["5", "2,000", "20,000"]


def test_a_layout_knows_what_a_split_takes():
    """Pipelines have the costs of their last steps."""
    design = Design(SMALL, {"kind": "crossval", "folds": 5, "repeats": 1}, 100, 300)
    for label, cost in (("Random forest", USUAL_COST), ("Logistic regression", find("logistic_regression").cost)):
        members = 300 if label == "Random forest" else 1
        seconds = cost.training_seconds(members, 400, 12, 2) + cost.prediction_seconds(members, 100)
        assert design.split_seconds(label) == pytest.approx(seconds)


@pytest.mark.parametrize("shape", [SMALL, Shape("classification", 3000, 30, 12), Shape("regression", 3000, 30, 0)])
def test_jobs_are_expected_to_take_what_the_layout_says(shape):
    design, study = lay(shape), Study.from_mapping(content(shape=shape), "s")
    expected = Resources(study).all_usual_seconds()
    for label, method in study.methods.items():
        jobs = [seconds - JOB_SECONDS for (_, pool, _), seconds in expected.items() if pool == method.pool]
        assert sum(jobs) == pytest.approx(design.n_splits * design.split_seconds(label), rel=0.01)


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("data/My table.csv", "my-table"),
        ("iris.csv", "my-iris"),
        ("quickstart.xlsx", "my-quickstart"),
        ("Ü.csv", "u"),
        ("Straße.csv", "strasse"),
        ("Données 1.csv", "donnees-1"),
        ("https://host/prices.csv.gz", "prices"),
    ],
)
def test_names_of_studies(table, name):
    assert study_name(table, "y") == name
    assert study_name("数据.csv", "y") != study_name("данные.csv", "y")


@pytest.mark.parametrize("name", [f"export_{'0' * 20}", "ab" * 20, "n" * 240])
def test_a_name_that_files_cannot_have_is_shortened(here, name):
    """A name that ends in a repetition looks to Snakemake like a wildcard that grows without end."""
    short = study_name(f"{name}.csv", "y")
    assert re.fullmatch(rf"{name[:60]}-[0-9a-f]{{8}}", short)
    assert study_name(f"{name}1.csv", "y") != short, "another table"
    made = content(f"{name}.csv")
    write_study(made, study_file(made))
    assert len(study_name(f"{name}.csv", "t" * 150)) <= 100
    assert not PeriodicityDetector().is_periodic(short)


def test_an_edited_study_is_kept_and_another_target_of_the_same_table_is_another_study(here):
    medium, small = content(), content(size="small")
    file = study_file(medium)
    assert (file.edited, file.replaced) == (False, "")
    write_study(medium, file)
    assert [study_name("t.csv", target) for target in ("label", "Another one")] == ["t", "t-another-one"]
    assert study_file(medium) == file, "nothing changes"
    assert study_file(small).replaced == "5-fold cross-validation, 4 times"
    small["datasets"][0]["sources"][0]["file"]["test"] = "new.csv"
    assert study_file(small).replaced, "test rows of a file, for the same table"
    write_study(small, study_file(small))
    assert load_yaml(file.path)["protocol"]["folds"] == 3, "what nobody edited is made anew"
    file.path.write_text(file.path.read_text().replace("folds: 3", "folds: 4"))
    assert study_file(medium).edited
    write_study(medium, study_file(medium))
    assert load_yaml(file.path)["protocol"]["folds"] == 4
    assert "studies/t.yaml exists and belongs to another study" in refusal(study_file, content("other/t.csv"))


def test_counts_are_numbers_and_codes_of_two_are_not():
    columns = {"rooms": [1, 2, 3, 4] * 10, "yes": [0, 1] * 20, "x": np.arange(40) / 7, "city": ["a", "b"] * 20}
    assert counts_among(pd.DataFrame(columns)) == ["rooms"]
    made = content(size="small", kinds={"rooms": "numeric"})
    assert made["datasets"][0]["kinds"] == {"numeric": ["rooms"], "others": "auto"}
    Study.from_mapping(made, "s")


def test_the_families_that_are_counted_are_the_flagships():
    for model, named in ((RotastackClassifier(), FAMILIES_OF_CLASSES), (RotastackRegressor(), FAMILIES_OF_NUMBERS)):
        families = find_families(model.families, 0, named)
        trees = [family for family in families if isinstance(family, TreeFamily)]
        assert sum(family.boosting is None for family in trees) == model.study_traits.families
        assert any(family.boosting is not None for family in trees)
        assert len(find_families(model.families, 1, named)) == len(families) + 1
