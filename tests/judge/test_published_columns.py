"""Published results as columns beside a study's own."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refusal
from tests.run.test_steps import summarized

from rotastack.base.documents import load_yaml
from rotastack.project import project_file
from rotastack.workflow.judge.published_columns import COLUMNS, published_columns, ranks_beside_published
from rotastack.workflow.judge.results import mean_scores
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.published_tables import scores_of
from rotastack.workflow.study.study import Study

COLUMN = {"table": "t", "methods": [], "as": "published", "protocol": "One split."}


@pytest.fixture
def table(tmp_path):
    """A published table of two methods and three data sets, one of which the study has not."""
    (tmp_path / "t.csv").write_text(
        "table,dataset,method,metric,value,repeats,note\n"
        "1,b,NEW,error,0.300,10,\n1,b,NEW,error_sd,0.020,10,\n1,a,NEW,error,0.050,10,\n1,a,RF,error,0.205,10,\n"
        "1,b,RF,error,0.900,10,\n1,elsewhere,RF,error,0.1,10,\n1,all,RF,error,0.4,10,\n1,a,RF,rank,2,10,\n"
    )
    (tmp_path / "t.yaml").write_text("source: The source.\nreasons:\n  - {datasets: [b], why: other rows}\n")
    return [tmp_path / "t.csv", tmp_path / "t.yaml"]


def test_a_table_of_accuracies_and_what_failed(tmp_path):
    (tmp_path / "wide.csv").write_text("dataset,A,B,C\none,90.5,,80.5\nb,60,50,40\nelsewhere,1,2,3\n")
    (tmp_path / "t.yaml").write_text("source: The source.\nmirror: wide.csv\nfamilies: {trees: [A, B], others: [C]}\n")
    files, names = [tmp_path / "wide.csv", tmp_path / "t.yaml"], {"one": "a"}
    found = published_columns(["a", "b"], "error", [COLUMN], files, names)
    assert found[["dataset", "of", "score", "family"]].to_numpy().tolist() == [
        ["a", "A", 0.095, "trees"],
        ["a", "C", 0.195, "others"],
        ["b", "A", 0.4, "trees"],
        ["b", "C", 0.6, "others"],
        ["b", "B", 0.5, "trees"],
    ]
    filled = published_columns(["a", "b"], "error", [{**COLUMN, "failed": "mean"}], files, names)
    assert filled[["dataset", "of"]].to_numpy().tolist() == [[d, m] for d in "ab" for m in "ACB"]
    row = filled.iloc[2]
    assert row["score"] == pytest.approx((0.095 + 0.195) / 2)
    assert (row["method"], row["family"], row["reason"][:9]) == ("B (published)", "trees", "it failed")


def test_a_table_may_have_a_row_for_each_method(tmp_path):
    (tmp_path / "long.csv").write_text("dataset,algorithm,r2_test\none,A,0.5\none,RF,0.78\nb,A,\nb,RF,-3\n")
    columns = "columns: {method: algorithm, r2: r2_test, mae: absolute}"
    (tmp_path / "t.yaml").write_text(f"source: The source.\nmirror: long.csv\n{columns}\nrepeats: 10\n")
    files, names = [tmp_path / "long.csv", tmp_path / "t.yaml"], {"one": "a"}
    found = published_columns(["a", "b"], "r2", [COLUMN], files, names)
    assert found[["dataset", "of", "score", "repeats"]].to_numpy().tolist() == [
        ["a", "A", 0.5, 10],
        ["a", "RF", 0.78, 10],
        ["b", "RF", -3.0, 10],
    ]
    assert scores_of(files[0], "rmse", load_yaml(files[1])) == [], "the source has no such score"
    line = refusal(published_columns, ["a", "b"], "mae", [COLUMN], files, names)
    assert "long.csv: column 'absolute' not found; columns: dataset, algorithm, r2_test" in line


def test_a_study_may_rank_by_medians():
    cells = pd.DataFrame({"dataset": "a", "method": "RF", "error": [0.1, 0.1, 0.7]})
    assert mean_scores(cells, "error", ["RF"]).loc["a", "RF"] == pytest.approx(0.3)
    assert mean_scores(cells, "error", ["RF"], "median").loc["a", "RF"] == 0.1
    assert Plan(study(average="median"), {}).jobs["summarize"].spec.average == "median"


def test_the_control_is_tested_against_the_best_others():
    rng = np.random.default_rng(0)
    base, names = rng.uniform(0.1, 0.4, 30), [f"d{k}" for k in range(30)]
    means = pd.DataFrame({"Ours": base, "Near": base + 0.002 * rng.standard_normal(30)}, index=names)
    theirs = [
        {"dataset": d, "method": f"M{k} (x)", "score": e + 0.01 * (k + 1)}
        for d, e in means["Ours"].items()
        for k in range(25)
    ]
    ranks = ranks_beside_published(means, pd.DataFrame(theirs), [], 0.05, control="Ours").set_index("method")
    tested = ranks.index[ranks["p_holm"].notna()]
    assert set(tested) == set(ranks["average_rank"].drop("Ours").nsmallest(20).index)
    assert ranks.loc["Near", "equal"] > 0.99, "differences are far within a point"
    assert ranks.loc["M5 (x)", "worse"] > 0.99
    assert ranks.loc["M5 (x)", "p_holm"] < 0.001
    assert ranks.loc[tested, ["better", "equal", "worse"]].sum(axis=1).to_numpy() == pytest.approx(1)


def test_published_scores_are_columns(table):
    found = published_columns(["a", "b"], "error", [COLUMN], table)
    assert tuple(found.columns) == COLUMNS
    assert found[["dataset", "method", "of", "score", "repeats"]].to_numpy().tolist() == [
        ["a", "NEW (published)", "NEW", 0.05, 10],
        ["a", "RF (published)", "RF", 0.205, 10],
        ["b", "NEW (published)", "NEW", 0.3, 10],
        ["b", "RF (published)", "RF", 0.9, 10],
    ]
    assert found["sd"].fillna(-1).tolist() == [-1, -1, 0.02, -1]
    some = published_columns(["a", "b"], "error", [{**COLUMN, "methods": ["RF"], "as": "2014"}], table)
    assert set(some["method"]) == {"RF (2014)"}


def test_ranks_are_over_the_data_sets_that_all_have(table):
    found = published_columns(["a", "b"], "error", [COLUMN], table)
    means = pd.DataFrame({"RF": [0.2, 0.4, 0.3], "RRE": [0.1, 0.35, 0.2], "CUT": 0.0}, index=["a", "b", "c"])
    ranks = ranks_beside_published(means, found, ["CUT"], 0.05).set_index("method")
    assert ranks["average_rank"].to_dict() == {"NEW (published)": 1.0, "RRE": 2.0, "RF": 3.0, "RF (published)": 4.0}
    assert ranks["own_rank"].dropna().to_dict() == {"RRE": 1.0, "RF": 2.0}
    assert (ranks["published"].tolist(), set(ranks["n_datasets"])) == ([True, False, False, True], {2})
    assert not len(ranks_beside_published(means, found[found["dataset"] == "a"], [], 0.05))


def test_the_study_s_own_statistics_are_the_same_bytes(tmp_path, table):
    errors = {d: {"RF": 0.2, "RRE": 0.1 + 0.01 * k, "C": 0.3} for k, d in enumerate("abc")}
    asked, bytes_of = {"control": "RF", "methods": ["RF", "RRE", "C"]}, []
    for columns, lines in (([], 1), ([COLUMN], 5)):
        (folder := tmp_path / str(lines)).mkdir()
        summarized(folder, errors, cells=2, published=table, published_columns=columns, **asked)
        own = (path for path in folder.iterdir() if path.name != "record" and "published" not in path.name)
        bytes_of.append({path.name: path.read_bytes() for path in own})
        assert len((folder / "published_columns.csv").read_text().splitlines()) == lines
    assert bytes_of[0] == bytes_of[1]
    assert len(json.loads(bytes_of[0]["comparison"])["error"]["methods"]) == 3


def study(published=None, **evaluation):
    content = load_yaml(project_file("config/studies/tiny.yaml"))
    changed = {"published": published, "evaluation": {"control": "RF", **evaluation}}
    return Study.from_mapping({**content, **changed}, "s.yaml")


def entry(**changes):
    return {"table": "rotation_weights", "protocol": "Splits, not folds.", **changes}


def test_a_study_that_names_published_tables_has_two_tables_more():
    plan = Plan(study(published_columns=[entry(methods=["RRE"])]), {})
    assert [Path(f).name for f in plan.published_columns_files] == ["rotation_weights.csv", "rotation_weights.yaml"]
    assert plan.jobs["summarize"].spec.published_columns == [entry(methods=["RRE"], **{"as": "published"})]
    for made, n in ((plan, 2), (Plan(study(), {}), 0)):
        assert len([t for t in made.tables if "published" in t]) == n


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"published_columns": [entry(table="rotation_weight")]}, "0.table: .* did you mean 'rotation_weights'"),
        ({"published_columns": [entry(table="drmf")]}, "0.table: 'drmf' has no error"),
        ({"published_columns": [entry(methods=["RREE"])]}, "0.methods: 'RREE' has no error .*; did you mean 'RRE'"),
        (
            {"published_columns": [entry(methods=["RRE"]), entry(table="rotation_noise")]},
            r"1.as: 'RRE \(published\)' is also a column of 'rotation_weights'",
        ),
        ({"published_columns": [{"table": "exrm"}]}, "published_columns.0: key 'protocol' is missing"),
        ({"published_columns": [entry(protocol="")]}, "published_columns.0.protocol"),
        ({"published_columns": [entry(**{"as": "<b>"})]}, "published_columns.0.as"),
        ({"published": "drmff"}, "published: 'drmff' is not a table.*did you mean 'drmf'"),
    ],
)
def test_what_a_study_cannot_name_is_told_in_a_line(told, message):
    assert re.match(rf"s.yaml: .*{message}", refusal(study, **told))
