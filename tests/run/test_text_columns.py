"""A column of free text in a study: its words come from each training set alone, and it is named once."""

import numpy as np
import pandas as pd
import pytest
from tests.own_tables import reviews
from tests.quick import first
from tests.run.running import draw, pool_slice, refit_spec, split, train, train_nested
from tests.run.test_model_card import FACTS, card

from rotastack.data.artifacts import read_frame, read_prepared, write_frame
from rotastack.data.copies import copies_of
from rotastack.data.divisions import equal_rows
from rotastack.data.tables import read_with_notes
from rotastack.workflow.run.steps.prepare import prepare
from rotastack.workflow.run.steps.refit import refit
from rotastack.workflow.study.specs import PrepareSpec
from rotastack.workflow.use.explaining import explain


def raw(n=150):
    table, target = reviews(n)
    table.loc[::50, "review"] = None
    table["k"] = np.resize(["u", "v", "w"], n)
    return read_with_notes(table.rename(columns={target: "target"}), "target")[0]


def prepared(folder, table):
    made = prepare(PrepareSpec(seed=1, dataset="d", task="classification"), table)
    write_frame(folder / "table", made.frame, made.about)
    return made


def with_nonsense(table, rows):
    """Return a table whose rows have other texts, of words that no other row has."""
    rows = table.index[rows]
    return table.assign(review=table["review"].mask(table.index.isin(rows), "zzyzx quux zzyzx frobnicate"))


def test_a_prepared_table_keeps_text(tmp_path):
    made = prepared(tmp_path, raw())
    assert made.about["texts"] == {"review": 37}
    assert (made.metrics["text_columns"], made.metrics["missing_cells"]) == (["review"], 3)
    data = read_prepared(tmp_path / "table")
    assert len(np.unique(data.numeric[:, 1])) == 148  # equal texts have equal numbers
    assert (np.bincount(equal_rows(pd.DataFrame(data.numeric[:, 1:]))) > 1).sum() == 1
    train = np.arange(150) < 90
    encoded = data.encoded(train)
    assert not encoded.numeric[0, 1:].any()  # missing text
    np.testing.assert_array_equal(data.numeric[:, 0], encoded.numeric[:, 0])
    np.testing.assert_array_equal(data.encoded(np.flatnonzero(train)).X, encoded.X)


def test_a_table_of_text_alone_is_prepared(tmp_path):
    assert prepared(tmp_path, raw()[["review", "target"]]).data.encoded(np.arange(100)).X.shape == (150, 37)
    kinds = {"id": ["review"], "others": "auto"}
    with pytest.raises(ValueError, match="no usable column is left"):
        prepare(PrepareSpec(seed=1, dataset="d", task="classification", kinds=kinds), raw()[["review", "target"]])


def test_rows_that_differ_in_text_alone_are_no_copies():
    x = np.arange(200) % 60 / 7
    table = pd.DataFrame({"x": x, "z": x**2, "note": [f"a note on {k}" for k in range(200)]})
    kinds = {"x": "numeric", "z": "numeric"}
    assert copies_of(table, {**kinds, "note": "text"}) is None
    assert copies_of(table, {**kinds, "note": "id"}) is not None


@pytest.mark.parametrize(
    ("estimator", "parameters"),
    first(
        1, [("forest", {"n_estimators": 5}), ("hist_gradient_boosting", {"max_iter": 5}), ("logistic_regression", {})]
    ),
)
def test_splits_see_no_test_text(tmp_path, estimator, parameters):
    prepared(tmp_path, raw())
    split(tmp_path, repeats=2)
    before = train(tmp_path, estimator, parameters, splits=(0, 1))
    assert before.attrs["status"] == "ok", before.attrs["message"]
    test = before["rows"].values[0]
    prepared(tmp_path, with_nonsense(raw(), test[::2]))
    after = train(tmp_path, estimator, parameters, splits=(0, 1), threads=2)
    others = ~np.isin(test, test[::2])
    first, second = (pool["proba"].values[0, 0] for pool in (before, after))
    assert first[others].tobytes() == second[others].tobytes()
    assert first[~others].tobytes() != second[~others].tobytes()
    assert before["proba"].values[1].tobytes() != after["proba"].values[1].tobytes()  # these rows are trained on


@pytest.mark.parametrize("view", first(1, ["rotation", None]))
def test_pairs_of_folds_see_no_held_out_text(tmp_path, view):
    prepared(tmp_path, raw())
    draw(tmp_path, {"protocol": "nested", "fold_groups": 1, "folds": 3})
    before, record = train_nested(tmp_path, "forest", {"n_estimators": 3}, view)
    assert record["status"] == "ok", record["message"]
    fold = read_frame(tmp_path / "folds")[0].iloc[:, 0].to_numpy()
    held = np.flatnonzero(fold == 0)
    prepared(tmp_path, with_nonsense(raw(), held[::2]))
    after, _ = train_nested(tmp_path, "forest", {"n_estimators": 3}, view)
    first, second = (pool["proba"].values[0, 0] for pool in (before, after))
    assert np.isfinite(first).all()
    assert first[:, :, held[1::2]].tobytes() == second[:, :, held[1::2]].tobytes()
    assert first[0][:, fold == 1].tobytes() == second[0][:, fold == 1].tobytes()  # trained without folds 0 and 1
    assert first[2][:, fold == 1].tobytes() != second[2][:, fold == 1].tobytes()


def test_the_model_is_explained_by_the_column():
    table = raw()
    model = refit(refit_spec(pool_slice("forest", {"n_estimators": 20}), {"kind": "vote"}), "A", table, {})
    features, target = table.drop(columns="target"), table["target"].to_numpy()
    found = explain(model, features, target, "error")
    assert found["importances"][0]["column"] == "review"
    assert "review" not in [x["column"] for x in found["dependence"]]
    with pytest.warns(UserWarning, match=r"column 'price': 1 of 2 values are not numbers in € "):
        model.predict(features.head(2).assign(price=["€5", "$5"]))


def test_the_card_names_text_and_units(monkeypatch):
    monkeypatch.setattr("tests.run.test_model_card.RAW", raw())
    text = card(facts={**FACTS, "text_columns": ["review"]})
    assert "1 categorical, 1 of text (review); 5 cells" in text
    assert "- Units: price in €." in text
