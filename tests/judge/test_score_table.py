"""Tables of scores, as people keep them."""

import io

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal

from rotastack.workflow.judge.score_table import score_table

ROWS = """\
Data set,Model,fold,error,log_loss,fit_seconds
iris,RF,1,0.1,0.5,2
iris,RF,2,0.3,0.7,4
iris,RRE,1,0.2,0.4,6
iris,RRE,2,0.2,0.6,6
wine,RF,1,0.0,0.1,1
wine,RF,2,0.1,0.1,1
wine,RRE,1,0.0,0.1,2
"""


def table(text):
    return pd.read_csv(io.StringIO(text))


def test_a_column_for_each_method():
    found = score_table(table("problem,A,B\niris,0.1,0.2\nwine,,0.3\n"), "error")
    assert found.means.index.to_list() == ["iris", "wine"]
    assert found.means.columns.to_list() == ["A", "B"]
    assert found.means.isna().to_numpy().tolist() == [[False, False], [True, False]]
    assert (found.higher_is_better, found.optimum, found.repeats) == (False, 0.0, 1)


def test_one_score_a_row_is_averaged_over_repeats():
    found = score_table(table(ROWS))
    assert found.score == "error"
    assert found.notes[0].startswith("score: column 'error'; others (--score): log_loss")
    assert found.means.loc["iris"].to_list() == pytest.approx([0.2, 0.2])
    assert found.deviations.loc["iris", "RF"] == pytest.approx(np.std([0.1, 0.3], ddof=1))
    assert found.seconds["fit"].loc["iris"].to_list() == [3, 6]
    assert found.repeats == 2


def test_fewer_repeats_than_others_are_no_score_and_said():
    found = score_table(table(ROWS), "log_loss")
    assert np.isnan(found.means.loc["wine", "RRE"])
    assert found.notes == ["RRE has 1 of 2 scores on wine; the mean score is set to missing"]
    assert found.means.loc["iris"].to_list() == pytest.approx([0.6, 0.5])


def test_the_order_of_rows_does_not_matter():
    rows = table(ROWS.replace("error", "accuracy"))
    one, other = (score_table(t, "accuracy").means for t in (rows, rows.sample(frac=1, random_state=1)))
    pd.testing.assert_frame_equal(one, other.loc[one.index, one.columns])


@pytest.mark.parametrize(
    ("name", "higher"),
    [("accuracy", True), ("Balanced Accuracy", True), ("roc_auc", True), ("neg_log_loss", True), ("log_loss", False),
     ("error rate", False), ("RMSE", False), ("R2", True), ("neg accuracy", False)],
)  # fmt: skip
def test_names_tell_which_way_is_better(name, higher):
    assert score_table(table("d,A,B\nx,0.1,0.2\n"), name).higher_is_better is higher


@pytest.mark.parametrize(
    ("values", "higher", "optimum", "note"),
    [
        ((0.1, 0.9), True, 1.0, None),
        ((71, 95.5), True, 100.0, "has values up to 95.5; read as percent"),
        ((71, 955), True, None, "is unknown"),
        ((0.1, 0.2), False, 0.0, None),
        ((-3, 0.2), False, None, "has values below 0"),
    ],
)
def test_the_best_possible_score(values, higher, optimum, note):
    found = score_table(table("d,A,B\nx,{},{}\n".format(*values)), higher=higher)
    assert found.optimum == optimum
    assert [note in text for text in found.notes] == ([] if note is None else [True])


def test_percent_signs_and_decimal_commas_are_read():
    frame = pd.DataFrame({"d": ["x", "y"], "A": ["95,5 %", "70 %"], "B": ["96 %", "failed"]})
    found = score_table(frame, "accuracy")
    assert found.means.loc["x"].to_list() == [95.5, 96]
    assert np.isnan(found.means.loc["y", "B"])
    assert found.optimum == 100


def test_data_sets_without_names_are_numbered():
    found = score_table(table("A,B\n0.1,0.2\n0.3,0.4\n"), "error")
    assert found.means.index.to_list() == ["row 1", "row 2"]
    assert found.notes == ["the table has no column of data set names; the rows are numbered"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("d,A,B\nx,1,2\n", {}, "the better direction of 'score' is unknown; add --higher or --lower"),
        ("d,A,B\nx,1,2\n", {"score": "accuracy", "higher": False}, "the name 'accuracy' means higher is better"),
        ("d,A,B\nx,1,foo\n", {"higher": True}, "column 'B': 'foo' is not a number ('x')"),
        ("d,A\nx,1\n", {"higher": True}, "the table has 1 methods; at least 2 are needed"),
        ("d,A,B\nx,,\n", {"higher": True}, "the table has no scores"),
        ("d,A,B\nx,1,2\nx,2,3\n", {"higher": True}, "data set 'x' has two rows; a table with one score per row needs a column"),
        ("d,A,B\n,1,2\nx,2,3\n", {"higher": True}, "column 'd' has an empty cell"),
        (ROWS, {"score": "eror"}, "--score: column 'eror' not found; did you mean 'error'"),
        (ROWS.replace("error", "foo").replace("log_loss", "bar"), {}, "the column of the score is unclear; add --score COLUMN"),
        (ROWS + "iris,RF,1,0.1,0.5,2\n", {}, "method 'RF' has two scores on data set 'iris' for the same fold"),
        (ROWS + "iris,,3,0.1,0.5,2\n", {}, "column 'Model' is empty in row 8"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_line(text, options, message):
    assert message in refusal(score_table, table(text), **options)
