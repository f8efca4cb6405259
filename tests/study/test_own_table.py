"""How a study of one's own table is laid out."""

import pytest

from rotastack.base.documents import load_yaml
from rotastack.errors import RotastackError
from rotastack.study import own_table
from rotastack.study.costs import prediction_seconds, training_seconds
from rotastack.study.own_table import (
    BUDGETS,
    SIZES,
    Layout,
    Shape,
    labels_of,
    laid_out,
    study_name,
    study_of,
    write_study,
)
from rotastack.study.study import Study

SMALL = Shape("classification", 500, 12, 2)
LARGE = Shape("classification", 20_000, 30, 2)


def content(table="t.csv", shape=SMALL, size="medium", **options):
    return study_of(table, "label", shape, laid_out(shape, size, options.get("budget"), 2))


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rows", [20, 500, 3000, 20_000, 1_000_000])
def test_every_layout_is_a_study(task, size, rows):
    shape = Shape(task, rows, 30, 3 if task == "classification" else 0)
    study = Study.from_mapping(content(shape=shape, size=size), "s")
    assert study.control in study.methods
    assert ("Rotation Forest" in study.methods) == (task == "classification")
    assert len(study.blocks) * len(study.used_pools) < 2000


def test_sizes_grow():
    found = [laid_out(SMALL, size, None, 2) for size in SIZES]
    assert [layout.n_splits for layout in found] == [3, 20, 100]
    assert [layout.seconds for layout in found] == sorted(layout.seconds for layout in found)
    assert not any(layout.shortened for layout in found)
    assert found[1].test_in_words == "5-fold cross-validation, 4 times"


def test_twenty_thousand_rows_fit_into_five_minutes_at_the_usual_size():
    assert laid_out(LARGE, "medium", None, 2).seconds < 300


def test_a_budget_shortens_and_says_so():
    free = laid_out(LARGE, "full", None, 2)
    tight = laid_out(LARGE, "full", free.seconds / 4, 2)
    assert tight.seconds <= free.seconds / 4
    assert (free.shortened, tight.shortened) == (False, True)
    assert laid_out(LARGE, "full", 1e9, 2) == free
    least = laid_out(Shape("regression", 1_000_000, 30, 0), "medium", 1.0, 2)
    assert least.shortened
    assert least.seconds > BUDGETS["small"], "there is no smaller one, and what it takes is said"
    assert least.protocol == {"kind": "holdout", "repeats": 2, "train": 2_000}
    assert least.test_in_words == "2 random splits, 2,000 of the rows to train"


def test_more_cores_are_faster():
    assert laid_out(LARGE, "full", None, 8).seconds < laid_out(LARGE, "full", None, 2).seconds


def test_seconds_are_of_rows_trees_and_columns():
    path = "rotastack.trees.forest.ForestClassifier"
    one = training_seconds(path, 100, 1024, 25, 2)
    assert one == pytest.approx(1e-9 * (20 + 12 * 5) * 100 * 1024 * 10)
    assert training_seconds(path, 200, 1024, 25, 2) == pytest.approx(2 * one)
    assert training_seconds(path, 100, 1024, 25, 12) == pytest.approx(1.6 * one)
    assert training_seconds("sklearn.svm.SVC", 100, 1024, 25, 2) == one, (
        "unknown classes are taken for a forest"
    )
    assert prediction_seconds(path, 100, 1000) == pytest.approx(130e-9 * 100 * 1000)


def test_a_layout_knows_what_a_split_takes():
    layout = Layout({"kind": "crossval", "folds": 5, "repeats": 1}, 100, 300)
    fit = training_seconds("rotastack.trees.forest.ForestClassifier", 300, 400, 12, 2)
    test = prediction_seconds("rotastack.trees.forest.ForestClassifier", 300, 100)
    assert layout.split_seconds("Random forest", SMALL) == pytest.approx(fit + test)
    assert layout.parameters("Rotastack") == {"trees_per_family": 100}


def test_names_of_studies():
    assert study_name("data/My table.csv") == "my-table"
    assert study_name("iris.csv") == "my-iris", "a registered data set"
    assert study_name("quickstart.xlsx") == "my-quickstart"
    assert study_name("Ü.csv") == "my-table"
    assert study_name("Données 1.csv") == "donn-es-1"
    assert study_name("https://host/prices.csv.gz") == "prices"


def test_an_edited_study_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, is_own = write_study(content())
    assert is_own
    assert load_yaml(path)["name"] == "t"
    path, is_own = write_study(content(size="small"))
    assert is_own, "what nobody edited is made anew"
    assert load_yaml(path)["protocol"]["folds"] == 3
    path.write_text(path.read_text().replace("folds: 3", "folds: 4"))
    assert write_study(content()) == (path, False)
    assert load_yaml(path)["protocol"]["folds"] == 4
    with pytest.raises(RotastackError, match="studies/t.yaml is there already and is about something else"):
        write_study(content("other/t.csv"))


def test_labels():
    assert labels_of("classification") == list(own_table.METHODS)
    assert set(labels_of("classification")) - set(labels_of("regression")) == {"Rotation Forest"}
