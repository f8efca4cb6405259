"""Rows that are divided by groups, in the order of time, or so that splits share none."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.own_tables import sales, visits
from tests.quick import first
from tests.refusals import refusal
from tests.run.running import step, told, train

from rotastack.base.fitting import fit_aligned
from rotastack.data.artifacts import read_frame, read_prepared, write_frame
from rotastack.data.raw import write_raw
from rotastack.errors import RotastackError
from rotastack.files import read_json
from rotastack.workflow.run.steps.score import _in_time
from rotastack.workflow.study.study import Study
from rotastack.workflow.tracking.model_files import load_model
from rotastack.workflow.use.explaining import explain_saved

TRAIN, TEST, NEITHER = 1, 0, 2


def divided(folder, table, target, task, divided_by, **protocol):
    """Return what each row is in each split, and the prepared table."""
    write_raw(table.drop(columns=target).assign(target=table[target]), folder / "raw.parquet")
    spec = {"dataset": "d", "task": task, **({"divided_by": divided_by} if divided_by else {})}
    step("prepare", folder, spec, {"raw": "raw.parquet"}, {"table": "table", "record": "prepare.json"})
    spec = {"protocol": "splits", "seed": 1, "dataset": "d", "repeats": 1, **protocol}
    spec |= {
        "groups" if key == "series" else key: c for key, c in divided_by.items() if key in ("groups", "time", "series")
    }
    step("groups", folder, spec, {"table": "table"}, {"folds": "folds", "record": "folds.json"})
    return read_frame(folder / "folds")[0].to_numpy().T, read_prepared(folder / "table")


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize(
    "protocol",
    [
        {"kind": "crossval", "folds": 4, "repeats": 2},
        {"kind": "holdout", "train": 0.7, "repeats": 3},
        {"kind": "holdout", "train": 200, "test": 30, "repeats": 3},
    ],
    ids=["crossval", "holdout", "counted"],
)
def test_rows_of_a_group_stay_together(tmp_path, task, protocol):
    table, _ = visits()
    target = "outcome" if task == "classification" else "lab_0"
    parts, data = divided(tmp_path, table, target, task, {"groups": "patient_id"}, **protocol)
    assert len(parts) == protocol["repeats"] * protocol.get("folds", 1)
    patients = table["patient_id"].to_numpy()
    for part in parts:
        assert not set(patients[part == TRAIN]) & set(patients[part == TEST])
        assert {TRAIN, TEST} <= set(part)
    if "folds" in protocol:
        assert ((parts == TEST).sum(axis=0) == protocol["repeats"]).all(), "each row is tested once in a partition"
        assert (parts != NEITHER).all()
    if "test" in protocol:
        assert (parts == TEST).sum(axis=1).tolist() == [30, 30, 30]
    assert data.X.shape[1] == table.shape[1] - 2, "no model sees the groups"


@pytest.mark.parametrize("task", first(1, ["classification", "regression"]))
def test_estimators_that_take_groups_get_those_of_the_training_rows(tmp_path, task):
    """All visits of a patient are alike: out of bag, they are told by chance alone where trees do not know the patient."""
    table, target = visits()
    if task == "regression":
        table[target] = np.random.default_rng(0).standard_normal(120)[table["patient_id"]]
    errors = {}
    for name, divided_by in (("alone", {}), ("groups", {"groups": "patient_id"})):
        rows = table if divided_by else table.drop(columns="patient_id")
        divided(tmp_path, rows, target, task, divided_by, kind="holdout", train=0.7)
        estimator = {"classification": "rotastack.RotastackClassifier", "regression": "rotastack.RotastackRegressor"}
        pool = train(tmp_path, estimator[task], {"trees_per_family": 10}, splits=[0], name=name)
        assert np.isfinite(pool["proba"].values).all()
        errors[name] = float(pool["oob_error"].item())
    assert errors["alone"] < 0.3
    assert errors["groups"] > 0.4
    other = fit_aligned(
        GaussianNB(), np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), 2, np.random.SeedSequence(0), groups=np.arange(4)
    )
    assert other.outputs(np.zeros((1, 1))).argmax() == 0, "its fit takes no groups"


@pytest.mark.parametrize("threshold", first(1, [0.3, None]))
def test_the_model_of_all_rows_is_fitted_and_explained_by_groups(tmp_path, threshold):
    table, target = visits()
    write_raw(table.drop(columns=target).assign(target=table[target]), tmp_path / "raw.parquet")
    methods = {"A": {"pool": "p", "combiner": {"kind": "vote"}}, "B": {"pool": "q", "combiner": {"kind": "vote"}}}
    pools = {"p": {"estimator": "rotastack", "parameters": {"trees_per_family": 10}}, "q": {"estimator": "forest"}}
    study = {
        "name": "s",
        "datasets": ["iris"],
        "protocol": {"kind": "holdout", "groups": "patient_id"},
        "pools": pools,
        "methods": methods,
        "model": {"refit": "A", "threshold": threshold},
    }
    spec = told(Study.from_mapping(study, "s.yaml"), "refit", "iris").model_copy(update={"dataset": "d"})
    cells = {"method": ["A", "B", "A"], "error": [0.5, 0.1, 0.25], "brier": [0.2, 0.1, 0.3], "f1": np.nan}
    write_frame(tmp_path / "scores", pd.DataFrame(cells), {})
    (tmp_path / "scored.json").write_text('{"metrics": {"intervals": {"A": {"rows": 8, "held": 0.5}, "B": {}}}}')
    files = {"model": "model.skops", "record": "refit.run.json"}
    step("refit", tmp_path, spec, {"raw": "raw.parquet", "scores": "scores", "scored": "scored.json"}, files)
    record = read_json(tmp_path / "refit.run.json")
    assert record["status"] == "ok", record["message"]
    assert 0.3 < record["metrics"]["oob_error"] < 0.7
    model = load_model(tmp_path / "model.skops")
    counts = table[target].astype(str).value_counts()
    scores = {"brier": 0.25} if threshold else {"error": 0.375, "brier": 0.25}  # errors were measured without it
    assert model.measured_ == {"score": "error", "scores": scores, "positive": counts.sort_index().iloc[::-1].idxmin()}
    tested = model.tested_intervals_
    assert tested == record["metrics"]["intervals"] == {"rows": 8, "held": 0.5}
    explained = explain_saved(tmp_path / "model.skops", tmp_path / "raw.parquet", "s", "d")
    assert explained["how"] == "out of bag"
    assert 0.3 < explained["score"] < 0.7


@pytest.mark.parametrize("groups", [{}, {"groups": "patient_id"}], ids=["alone", "with groups"])
@pytest.mark.parametrize(
    "protocol", [{"kind": "crossval", "folds": 4}, {"kind": "holdout", "train": 0.7, "repeats": 3}]
)
@pytest.mark.parametrize("together", [True, False])
def test_copies_of_a_row_stay_together(tmp_path, protocol, groups, together):
    """A copy of a row of one patient is in the rows of another: their rows are one group then."""
    table, target = visits(40)
    copies = table.sample(60, random_state=0).assign(patient_id=np.arange(60) + 100)
    table = pd.concat([table, copies], ignore_index=True).sample(frac=1, random_state=0, ignore_index=True)
    table = table if groups else table.drop(columns="patient_id")
    keys = {"copies_together": True} if together else {}
    parts, _ = divided(tmp_path, table, target, "classification", groups, **protocol, **keys)
    row = table.groupby([c for c in table if c.startswith("lab")]).ngroup().to_numpy()
    shared = [set(row[part == TRAIN]) & set(row[part == TEST]) for part in parts]
    assert not any(shared) if together else any(shared)
    if groups:
        patients = table["patient_id"].to_numpy()
        assert not any(set(patients[part == TRAIN]) & set(patients[part == TEST]) for part in parts)
    elif "folds" in protocol:
        assert ((parts == TEST).sum(axis=0) == 1).all(), "each row is tested once"


@pytest.mark.parametrize(
    "protocol",
    [
        {"kind": "crossval", "folds": 5},
        {"kind": "holdout", "train": 0.7, "repeats": 3},
        {"kind": "holdout", "train": 300, "test": 60, "repeats": 3},
    ],
    ids=["crossval", "holdout", "counted"],
)
def test_what_follows_is_tested_after_training_on_the_past(tmp_path, protocol):
    table, target = sales(600)
    table["day"] = np.repeat(table["day"].to_numpy()[::2], 2)  # two rows a day
    table = table.sample(frac=1, random_state=0, ignore_index=True)
    parts, data = divided(tmp_path, table, target, "regression", {"time": "day"}, **protocol)
    day = pd.to_datetime(table["day"])
    assert len(parts) == protocol.get("folds", protocol.get("repeats"))
    for part in parts:
        assert day[part == TRAIN].max() < day[part == TEST].min()
    assert (day[parts[0] == TEST].max()) < (day[parts[-1] == TEST].min())
    if "test" in protocol:
        assert (parts == TRAIN).sum(axis=1).max() <= 300
        assert (parts == TEST).sum(axis=1).tolist() == [60, 60, 60]
    assert data.numeric.shape[1] > 1, "the day is a column as any other"


@pytest.mark.slow
def test_naive_forecasts_and_a_trend_are_told(tmp_path):
    table, target = sales(900)

    def said(table, divided_by):
        parts, data = divided(tmp_path, table, target, "regression", divided_by, kind="crossval", folds=3)
        return _in_time(data, [[(part == TEST, part == TRAIN)] for part in parts])

    naive, beyond = said(table, {"time": "day"})
    assert " and the last season (7 time points) has RMSE " in naive
    assert beyond.partition("%")[0].isdigit(), "not called a trend: of few training rows, chance has as many"
    assert beyond.endswith(
        "% of the test rows have a target outside the range of the training rows; trees cannot extrapolate, ridge can."
    )
    still = table.assign(sold=np.random.default_rng(0).permutation(table["sold"]))
    assert (len(said(still, {"time": "day"})), said(table, {})) == (1, [])
    shops = pd.concat([table.assign(shop=k, sold=table["sold"] + 200 * k) for k in (0, 1)], ignore_index=True)
    shops["price"] = np.arange(len(shops)) % 7
    found = said(shops, {"time": "day"})[0]
    assert found == said(shops, {"time": "day", "series": "shop"})[0]
    assert found.replace(" of the same shop", "") == naive != found, "both shops have the errors of the first"
    assert "of the same" not in said(pd.concat([shops, shops]), {"time": "day"})[0], "a series has one row in a moment"
    assert "of the same price has" in said(shops, {"time": "day", "series": "price"})[0], "the user's choice counts"


def test_splits_share_no_row_where_there_are_rows_enough(tmp_path):
    table, target = visits()
    sizes = {"kind": "holdout", "repeats": 3, "train": 100, "test": 50}
    parts, _ = divided(tmp_path, table, target, "classification", {}, **sizes)
    assert ((parts != NEITHER).sum(axis=0) <= 1).all()
    assert [(part == TRAIN).sum() for part in parts] == [100] * 3
    assert [(part == TEST).sum() for part in parts] == [50] * 3
    parts, _ = divided(tmp_path, table, target, "classification", {}, **{**sizes, "train": 400})
    assert [((part == TRAIN).sum(), (part == TEST).sum()) for part in parts] == [(400, 50)] * 3


def numbers(n=40):
    """A table of numbers and two classes."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"x": rng.normal(size=n), "z": rng.normal(size=n), "label": np.where(np.arange(n) % 2, "a", "b")}
    )


GIVEN = {"kind": "given", "splits": 5}


def test_a_table_brings_its_splits_and_ten_and_more_keep_their_order(tmp_path):
    part = np.resize(["train", " Test", None, "train"], 40)
    fold = np.arange(40) % 4 + 7
    fold[:8] = -1
    table = numbers().assign(part=part, fold=fold)
    parts, data = divided(tmp_path, table, "label", "classification", {"split 1": "part", "split 2": "fold"}, **GIVEN)
    assert parts[0].tolist() == np.resize([TRAIN, TEST, NEITHER, TRAIN], 40).tolist()
    for k, column in enumerate(parts[1:]):
        assert (np.flatnonzero(column == TEST) == np.flatnonzero(fold == k + 7)).all()
        assert ((column == TRAIN) == (fold != k + 7)).all(), "rows of -1 are always trained on"
    assert data.X.shape[1] == 2, "no model sees the splits"
    tested = {f"s{k}": np.where(np.arange(40) % 12 == k, "test", "train") for k in range(12)}
    divided_by = {f"split {k + 1}": name for k, name in enumerate(tested)}
    parts, _ = divided(
        tmp_path, numbers().assign(**tested), "label", "classification", divided_by, kind="given", splits=12
    )
    assert [np.flatnonzero(part == TEST)[0] for part in parts] == list(range(12))
    divided_by = {"split 1": "part", "split 2": "elsewhere"}
    parts, _ = divided(tmp_path, table, "label", "classification", divided_by, **GIVEN)
    assert len(parts) == 1, "a column that the data set does not have gives no split"


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            np.resize(["train", "validate"], 40),
            "d: protocol.columns: column 'part' holds 'validate' in row 1; allowed are train and test",
        ),
        (np.resize([0, 1.5], 40), "column 'part' holds '1.5' in row 1"),
        (np.resize([0, -3], 40), "column 'part' holds '-3' in row 1"),
        (np.full(40, np.nan), "column 'part' is empty$"),
        (np.resize([1, np.nan], 40), "column 'part' is empty in 20 rows; write -1"),
        (np.resize(["test", None], 40), "d: split 1 of 1 has no training rows"),
        (np.full(40, "train"), "d: no split has test rows"),
        (np.resize(["train", "test"], 40), "d: split 1 of 1 has no training row of class 'a'"),
        (np.arange(40) % 8, "d: protocol.splits is 5, but the table has 8 splits"),
    ],
)
def test_splits_that_are_none_are_one_line(tmp_path, column, said):
    assert re.search(
        said,
        refusal(
            divided, tmp_path, numbers().assign(part=column), "label", "classification", {"split 1": "part"}, **GIVEN
        ),
    )


@pytest.mark.parametrize(
    ("divided_by", "change", "said"),
    [
        ({"groups": "patient"}, {}, "d: protocol.groups: column 'patient' not found; did you mean 'patient_id'"),
        (
            {"groups": "patient_id"},
            {"patient_id": None},
            "d: protocol.groups: column 'patient_id' is empty in 673 rows",
        ),
        (
            {"time": "lab_1"},
            {"lab_1": "soon"},
            "d: protocol.time: column 'lab_1' holds 'soon', neither a number nor a date",
        ),
        ({"groups": "lab_1"}, {"lab_1": "one"}, "d: 1 groups cannot be split into 5 folds"),
    ],
)
def test_columns_that_divide_nothing_are_named(tmp_path, divided_by, change, said):
    table, target = visits()
    assert re.search(
        said,
        refusal(
            divided, tmp_path, table.assign(**change), target, "classification", divided_by, kind="crossval", folds=5
        ),
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"protocol": {"kind": "crossval", "copies_together": True, "time": "b"}},
            "protocol.copies_together and protocol.time exclude",
        ),
        (
            {"protocol": {"kind": "crossval", "time": "b", "repeats": 2}},
            "protocol.repeats must be 1 with protocol.time",
        ),
        ({"protocol": {"kind": "crossval", "weka_seed": 1, "repeats": 2}}, "protocol.weka_seed needs repeats: 1"),
        ({"protocol": {"kind": "nested", "groups": "a"}}, "unknown key 'groups'"),
        (
            {"datasets": [{"name": "iris", "mirror": "iris"}]},
            "'iris' is a registered data set; give the name without keys, or choose another",
        ),
        ({"datasets": [{"name": "own"}]}, "needs the key 'sources', 'mirror' or 'like'"),
        (
            {"evaluation": {"left_out": {"iris-2": "it is odd"}}},
            "evaluation.left_out: 'iris-2' is not a data set of this study; did you mean 'iris'",
        ),
    ],
)
def test_studies_that_do_not_fit_are_refused(change, said):
    vote = {"pool": "p", "combiner": {"kind": "vote"}}
    content = {
        "name": "s",
        "datasets": ["iris"],
        "pools": {"p": {"estimator": "forest"}},
        "methods": {"A": vote, "B": vote},
    }
    assert re.search(said, refusal(Study.from_mapping, {**content, **change}, "s.yaml"))


SITES = "0123440311100442130333001402313030103341141244134130030"
LABELS = "0120110011100112100000001102010000100011111211101100000"


def test_a_fold_without_groups_is_named_before_anything_is_trained(tmp_path):
    """scikit-learn's folds by class and group may be empty, though there are as many groups as folds."""
    table = pd.DataFrame({"site": [f"s{k}" for k in SITES], "x": np.arange(55) % 7, "y": [f"c{k}" for k in LABELS]})
    outcomes = set()
    for seed in range(12):
        try:
            parts, _ = divided(
                tmp_path, table, "y", "classification", {"groups": "site"}, kind="crossval", folds=5, seed=seed
            )
            outcomes.add(((parts == TEST).any(axis=1) & (parts == TRAIN).any(axis=1)).all())
        except RotastackError as error:
            outcomes.add(re.sub(r"\d", "k", str(error)))
    assert outcomes - {True} == {"d: split k has no test rows; take fewer folds, or another seed"}
