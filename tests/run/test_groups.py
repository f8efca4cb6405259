"""Groups of methods: which there are, how they are compared, and what is published of them."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rotastack.base.documents import load_yaml
from rotastack.data.artifacts import write_frame
from rotastack.project import project_file
from rotastack.stats.comparison import compare
from rotastack.workflow.judge.boards import board_of_group
from rotastack.workflow.judge.results import group_table, mean_scores
from rotastack.workflow.judge.verdict import verdict_of_groups
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.run.steps import published, summarize
from rotastack.workflow.run.steps.published import beside_published, split_cells
from rotastack.workflow.study.study import Study

NAN = float("nan")


def groups_of(evaluation_groups):
    """Return these groups as the tiny study has them."""
    content = load_yaml(project_file("config/studies/tiny.yaml"))
    content["evaluation"] = {"groups": {n: {"methods": g} for n, g in evaluation_groups.items()}}
    return Study.from_mapping(content, "s.yaml").groups_of_methods


def source_groups():
    content = load_yaml(project_file("config/studies/dimension_reduction.yaml"))
    return Study.from_mapping(content, "s.yaml").groups_of_methods


@pytest.fixture(scope="module")
def cells():
    path = project_file("config/published/dimension_reduction.csv")
    return pd.read_csv(path, dtype={"table": str, "note": str, "value": str})


def errors_of(cells):
    errors = cells[cells["metric"] == "error"].astype({"value": float})
    return errors.pivot(index="dataset", columns="method", values="value")


def scores_of(errors):
    scores = errors.stack().rename("error").reset_index()
    own = {"split": "S-01", "log_loss": 1.0, "clipped_log_loss": 1.0, "brier": 1.0}
    return scores.assign(
        **dict.fromkeys(("balanced_accuracy", "roc_auc", "average_precision", "f1"), 1 - scores["error"]), **own
    )


def test_groups_keep_their_order_and_end_with_all_of_them():
    found = groups_of({"Z": {"b": "RRE", "a": "RF"}, "A": {"b": "S-RRE/RF", "a": "S-RRE/XGB"}})
    assert [(g["name"], g["parts"]) for g in found] == [("Z", ["Z"]), ("A", ["A"]), ("all", ["Z", "A"])]
    assert list(found[0]["methods"].items()) == [("b", ["RRE"]), ("a", ["RF"])]
    assert list(found[2]["methods"].items()) == [("b", ["RRE", "S-RRE/RF"]), ("a", ["RF", "S-RRE/XGB"])]


@pytest.mark.parametrize("second", [{"a": "RRE", "c": "RF"}, {"b": "RRE", "a": "RF"}])
def test_other_labels_or_another_control_leave_nothing_in_common(second):
    assert [g["name"] for g in groups_of({"X": {"a": "RF", "b": "RRE"}, "Y": second})] == ["X", "Y"]


def test_rows_over_all_groups_are_data_sets_in_groups():
    group = groups_of({"X": {"a": "RF", "b": "RRE"}, "Y": {"a": "S-RRE/RF", "b": "S-RRE/XGB"}})[2]
    table = group_table(pd.DataFrame({"RF": [0.1], "RRE": [0.2], "S-RRE/RF": [0.3]}, index=["iris"]), group)
    assert (table.loc["iris, X"].tolist(), table.loc["iris, Y", "a"]) == ([0.1, 0.2], 0.3)
    assert pd.isna(table.loc["iris, Y", "b"])  # a method that is not there has failed


def test_a_group_is_compared_by_accuracy_with_its_first_method():
    errors = pd.DataFrame({"C": [0.2, 0.5, 0.2, 0.4], "D": [0.4, 0.5, 0.1, NAN]}, index=list("wxyz"))
    result = board_of_group(errors, 0.05)
    assert result["n_rows"] == 3
    assert result["notes"] == ["z: left out of the ranks, because of methods without a score: D"]
    assert result["ranks"]["mean"] == {"C": 1.5, "D": 1.5}
    assert result["improvement"]["D"] == pytest.approx(100 * (0.6 / 0.8 + 1 + 0.9 / 0.8 - 3) / 3)
    assert result["tests"]["D"]["wins"] == 1  # a tie is not better
    assert result["different"] == []


def parts_of(sets, parts, noise, seed):
    """Return scores of three methods that are equal on average, each with its own data sets, in groups that share these."""
    rng = np.random.default_rng([seed, sets, parts])
    scores = 0.5 + 0.01 * (rng.normal(size=(sets, 1, 3)) + noise * rng.normal(size=(sets, parts, 3)))
    names = [f"d{i}, g{j}" for i in range(sets) for j in range(parts)]
    return pd.DataFrame(scores.reshape(-1, 3), names, list("ABC"))


def test_groups_that_are_alike_are_no_more_evidence_than_one():
    rows = parts_of(8, 3, 0.0, seed=0)
    one, all_of_them = board_of_group(rows.iloc[::3], 0.05), board_of_group(rows, 0.05)
    assert all_of_them["p_value"] == one["p_value"]
    assert (all_of_them["n_rows"], all_of_them["ranks"]) == (8, one["ranks"])
    assert all_of_them["wins"] == one["wins"], "data sets on which a method is better, not rows"


@pytest.mark.slow
def test_the_groups_of_a_data_set_are_not_independent():
    """The level of Friedman's test was .38 with each group as a row of its own."""
    shown = [board_of_group(parts_of(10, 2, 0.5, seed), 0.05)["p_value"] < 0.05 for seed in range(100)]
    assert np.mean(shown) <= 0.1


def table(groups):
    results = SimpleNamespace(spec=SimpleNamespace(score="error"), boards={"error": {"groups": groups}})
    return summarize._groups_table(results)


def test_what_failed_everywhere_is_left_out_of_its_group():
    errors = pd.DataFrame({"C": [NAN, NAN], "D": [0.4, 0.5], "E": [0.1, 0.5]}, index=["x", "y"])
    rows = table({"G": board_of_group(errors, 0.05)}).set_index("method")
    assert rows["average_rank"].tolist()[1:] == [1.75, 1.25]
    assert rows[["improvement", "better", "p_holm"]].isna().all(axis=None)
    assert rows["rows"].tolist() == [2, 2, 2]
    nothing = table({"G": board_of_group(errors * NAN, 0.05)})
    assert nothing["rows"].tolist() == [0, 0, 0]
    assert nothing["average_rank"].isna().all()


def test_the_report_says_what_came_out_in_each_group():
    rows = list("stuvwxyz")
    ordered = pd.DataFrame({"C": 0.3, "D": 0.2, "E": 0.1}, index=rows)
    tied = pd.DataFrame({"C": 0.1, "D": [0.2, 0] * 4}, index=rows)
    groups = {name: board_of_group(errors, 0.05) for name, errors in {"G": ordered, "H": tied, "I": tied * NAN}.items()}
    trees, neighbours, nothing = verdict_of_groups(groups, "error", 0.05, {"G": "Trees", "H": "", "I": ""})
    assert trees.startswith("Trees: ")
    assert "over 8 data sets are E (1.00), D (2.00), C (3.00)." in trees
    assert trees.endswith(": E and C.")
    assert "C (1.50), D (1.50). That the methods differ is not shown (Friedman's test, p = 1)" in neighbours
    assert nothing.startswith("I: no data set")


def test_the_source_s_errors_give_its_ranks_improvements_and_tests(cells, tmp_path):
    groups = source_groups()
    write_frame(tmp_path / "scores", scores_of(errors_of(cells)))
    spec = {
        "task": "classification",
        "score": "error",
        "axes": ["split"],
        "alpha": 0.05,
        "control": "Plain/NN",
        "methods": list(errors_of(cells)),
        "pairs": [["Plain/NN", "RP/NN"]],
        "groups": groups,
        "titles": {g["name"]: "" for g in groups},
    }
    tables = [*Plan(Study.from_mapping(load_yaml(project_file("config/studies/tiny.yaml")), "s"), {}).tables, "groups"]
    outputs = {name: [tmp_path / f"out_{name}"] for name in ("scores", "comparison", "verdict", "variance")}
    outputs["tables"] = [tmp_path / f"{table}.csv" for table in tables]
    nothing = pd.DataFrame(columns=["dataset", "method", "bin", "rows", "confidence", "accuracy"])
    write_frame(tmp_path / "calibration", nothing.astype({"rows": int, "accuracy": float}))
    inputs = {"scores": [tmp_path / "scores"], "calibration": [tmp_path / "calibration"], "records": []}
    summarize.run(Job("summarize", spec, inputs, outputs, {}))
    rows = pd.read_csv(tmp_path / "groups.csv").set_index(["group", "method"])
    printed = cells[(cells["dataset"] == "all") & ~cells["table"].eq("text")]
    printed = printed.astype({"value": float}).pivot(index="method", columns="metric", values="value")
    off = set()
    for (group, method), row in rows.loc[["NN", "J48", "NB"]].iterrows():
        name = f"{method}/{group}"
        assert row["rows"] == 17
        if abs(row["average_rank"] - printed.loc[name, "rank"]) > 0.005 + 1e-9:
            off.add((name, round(row["average_rank"], 2)))
        if method != "Plain" and abs(row["improvement"] / 100 - printed.loc[name, "improvement"]) > 0.0005 + 1e-5:
            off.add((name, round(row["improvement"], 2)))
    assert off == {("Plain/J48", 6.24), ("AdaBoost/NN", -1.09), ("DM/NB", 0.28)}  # see the remarks
    first = rows.groupby("group").first()
    assert first.loc[["NN", "J48"], ["df_1", "df_2"]].to_numpy().tolist() == [[7, 112]] * 2
    assert first["friedman_chi2"][["NN", "J48"]].tolist() == pytest.approx([15.94, 29.07], abs=0.005)
    assert first["F"][["NN", "J48"]].tolist() == pytest.approx([2.475, 5.173], abs=0.0005)
    assert first["critical_difference"]["NN"] == pytest.approx(2.546, abs=0.0005)
    assert rows.loc["NN", "differs_from"].isna().all()
    assert rows.loc["J48", "differs_from"].dropna().to_dict() == {"RotF": "DM; Plain", "Plain": "RotF", "DM": "RotF"}
    # The source takes the groups of a data set for independent; the table does not.
    assert (first.loc["all", "rows"], first.loc["all", "df_2"]) == (17, 112)
    means = mean_scores(scores_of(errors_of(cells)), "error", spec["methods"])
    as_printed = compare(1 - group_table(means, groups[-1]).dropna(), higher_is_better=True)
    assert (as_printed.df[1], as_printed.iman_davenport_f) == (350, pytest.approx(4.17, abs=0.005))
    some = ["RP", "DM+AdaBoost", "RS", "DM"]
    assert as_printed.better("Plain")[some].tolist() == [33, 30, 27, 23]
    assert rows.loc["all", "better"][some].tolist() == [11, 10, 11, 9], "of 17 data sets"
    comparison = json.loads((tmp_path / "out_comparison").read_text())
    assert comparison["error"]["groups"]["J48"]["different"] == [["RotF", "DM"], ["RotF", "Plain"]]
    assert "groups" not in comparison["brier"]


def test_published_and_ours_are_compared_on_the_rows_of_both(cells):
    groups, errors = source_groups(), errors_of(cells)
    rest, of_groups = split_cells(cells, groups)
    assert set(rest["metric"]) == {"error", "error_sd"}
    ours = errors.drop(index="isolet")
    tables = {t["name"]: t for t in beside_published(ours, cells, of_groups, groups, 0.05)}
    assert {n: (t["n_shared"], t["n_rows"]) for n, t in tables.items()} == {
        "NN": (16, 16),
        "J48": (16, 16),
        "NB": (16, 16),
        "all": (48, 48),
    }

    def row(group, what, label=""):
        return next(r for r in tables[group]["rows"] if r["what"] == what and r["label"] == label)

    assert all(r["source"] == r["shared"] for t in tables.values() for r in t["rows"])
    ranks = ours.filter(like="/J48").rank(axis=1).mean()
    rank = row("J48", "average rank", "RotF")
    assert (rank["printed"], rank["source"]) == ("2.15", f"{ranks['RotF/J48']:.2f}")
    printed = {
        ("NB", "improvement of accuracy", "RS"): "-26.1%",
        ("all", "rows better than Plain", "RP"): "33",
        ("all", "F", ""): "0.79",
        ("NB", "F", ""): "7.37",
        ("NN", "p of F", ""): "< 0.022",
        ("NN", "critical difference", ""): "2.55",
    }
    assert {place: row(*place)["printed"] for place in printed} == printed
    assert row("NN", "critical difference")["shared"] == "2.62"  # 16 data sets


def test_the_published_page_gives_no_verdict_on_groups(cells, tmp_path):
    write_frame(tmp_path / "scores", scores_of(errors_of(cells).drop(index="isolet")))
    cells.to_csv(tmp_path / "p.csv", index=False)
    published.run(
        Job(
            "published",
            {"title": "s", "alpha": 0.05, "groups": source_groups()},
            {"scores": [tmp_path / "scores"], "published": [tmp_path / "p.csv"]},
            {"table": [tmp_path / "table.csv"], "page": [tmp_path / "page.html"]},
        )
    )
    page = (tmp_path / "page.html").read_text()
    assert "not in this run:</b> isolet.</p>" in page
    part = page.split("<h2>Groups of methods</h2>")[1].split("<h2>All cells</h2>")[0]
    assert "does not say whether they agree" in part
    assert "<td>6.26</td><td>6.12</td><td>6.12</td>" in part
    assert set(pd.read_csv(tmp_path / "table.csv")["metric"]) <= {"error", "error_sd"}


def test_means_over_data_sets_are_not_missed_as_one(cells):
    scores = scores_of(errors_of(cells)[["Plain/NN"]])
    _, absent = published.compare_with_published(scores, cells, [])
    assert absent["data sets"] == []
    assert "RP/NN" in absent["methods"]
    assert "RotF" not in absent["methods"]  # of all groups
