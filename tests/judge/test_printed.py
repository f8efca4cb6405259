"""Tables of a finished study as CSV and LaTeX."""

import json
import re
from contextlib import chdir
from types import SimpleNamespace as Names

import numpy as np
import pandas as pd
import pytest

from rotastack.cli.commands import run_command
from rotastack.errors import RotastackError
from rotastack.project import project_file
from rotastack.stats import metrics
from rotastack.stats.elo import elo
from rotastack.stats.resamples import bootstrap_ranks
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.boards import board
from rotastack.workflow.judge.printed import printed_tables

STRANGE = r"<script>&%_#${}~^\ |" + '"'
METRICS = tuple(metrics.METRICS["classification"])
NAN = float("nan")


def finished(folder, errors, optimistic=(), seconds=True):
    """Write what `summarize` does of a table of errors; return a stand-in for the study."""
    methods, control = list(errors), next(iter(errors))
    (folder / "statistics").mkdir(parents=True)
    (folder / "tables").mkdir()

    def write(name, table):
        table.to_csv(folder / f"tables/{name}.csv", index=False)

    for name in METRICS:
        values = 1 - errors if metrics.higher_is_better(name) else errors
        write(name, values.rename_axis("dataset").reset_index())
    long = errors.rename_axis("dataset").reset_index().melt("dataset", var_name="method", value_name="mean")
    write("variance", long.assign(sd=0.0125, verdict="none"))
    write("baseline", pd.DataFrame({"dataset": errors.index, "error": 0.5}))
    times = long[["dataset", "method"]].assign(fit_seconds=1.0, predict_seconds=NAN)
    write("times", times if seconds else pd.DataFrame())
    write("claims", pd.DataFrame(columns=["what", "of"]))
    tables = {"fit": times.pivot(index="dataset", columns="method", values="fit_seconds")} if seconds else {}
    comparison = {"error": board(errors, False, control, 0.05, optimistic=optimistic, optimum=0.0, seconds=tables)}
    (folder / "statistics/comparison.json").write_text(json.dumps(comparison))
    return Names(
        name="s", task=Names(name="classification"), score="error", protocol=Names(cells="splits"), control=control,
        methods=methods, optimistic=list(optimistic), document=Names(evaluation=Names(alpha=0.05, average="mean")),
    )  # fmt: skip


def errors_of(methods, n=6):
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.uniform(0.05, 0.4, (n, len(methods))), [f"data_{k}" for k in range(n)], methods)


def assert_sound(text):
    """Braces and environments are closed, and nothing special stands there by itself."""
    bare = re.sub(r"\\[&%$#_{}\\]", "", text)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"[$#_~^]", re.sub(r"\\(label|begin|end)\{[^}]*\}", "", bare))
    opened = re.findall(r"\\begin\{(\w+)\}", text)
    assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+)\}", text))
    for line in text.splitlines():
        assert not re.search(r"(?<!\\)%", line) or line.startswith("%"), line


def test_the_leaderboard_is_what_the_statistics_say(tmp_path):
    errors = errors_of(["RF", "RRE", "XGB", "CUT"])
    errors["CUT"] = 0.01
    study = finished(tmp_path, errors, optimistic=["CUT"])
    tables = {table.name: table for table in printed_tables(tmp_path, study, "rotastack run s")}
    fair = errors[["RF", "RRE", "XGB"]].round(12)
    values = tables["leaderboard"].values.set_index("method")
    ranks = bootstrap_ranks(fair, False)
    assert list(values.index) == list(ranks["average_rank"].sort_values(kind="stable").index)
    for name in ranks:
        column = name if name == "average_rank" else f"average_rank_{name}"
        np.testing.assert_allclose(values[column], ranks[name].reindex(values.index))
    np.testing.assert_allclose(values["elo"], elo(fair, False)["elo"].reindex(values.index))
    holm = wilcoxon_holm(fair, "RF", False)["p_holm"]
    np.testing.assert_allclose(values["p_holm"].drop("RF"), holm.reindex(values.index.drop("RF")))
    wins = (fair["RRE"] < fair["RF"]).sum()
    latex = tables["leaderboard"].latex
    rows = {line.split(" & ")[0]: line.rstrip(" \\").split(" & ") for line in latex.splitlines() if " & " in line}
    head = ["method", "average rank", "Elo", r"improvability in \%", "against RF", "p (Holm)", "training", "predicting"]
    assert rows["method"] == head
    assert rows["RRE"][4] == f"{wins}/0/{6 - wins}"
    assert rows["RF"][4:6] == ["--", "--"]
    assert rows["RRE"][6:] == ["1.00", "--"]
    assert "Methods that choose members by the test rows are not ranked." in latex
    assert r"bootstrap intervals of 95 \% over data sets" in latex
    assert set(tables) == {
        "leaderboard", *METRICS, "tests", "nemenyi", "baseline", "times", "variance",
    }  # fmt: skip


def test_the_best_of_a_row_is_bold_and_what_failed_says_so(tmp_path):
    errors = pd.DataFrame({"RF": [0.2, 0.3], "RRE": [0.2, NAN], "CUT": [0.0, 0.0]}, index=["x", "y"])
    study = finished(tmp_path, errors, optimistic=["CUT"])
    tables = {table.name: table for table in printed_tables(tmp_path, study, "rotastack run s")}
    error = tables["error"]
    assert error.values.columns.tolist() == ["dataset", "RF", "RRE", "CUT", "RF sd", "RRE sd", "CUT sd"]
    assert r"x & \textbf{0.2000 (0.0125)} & \textbf{0.2000 (0.0125)} & 0.0000 (0.0125) \\" in error.latex
    assert r"y & \textbf{0.3000 (0.0125)} & no score & 0.0000 (0.0125) \\" in error.latex


def test_names_of_any_kind_give_sound_latex(tmp_path):
    errors = errors_of(["RF", STRANGE, "A"], n=60)
    tables = {t.name: t.latex for t in printed_tables(tmp_path, finished(tmp_path, errors), "rotastack run s")}
    latex = {name: text for name, text in tables.items() if text is not None}
    assert set(latex) == {"leaderboard", "error", "tests"}
    for text in latex.values():
        assert_sound(text)
    for name in ("leaderboard", "error"):
        assert r"<script>\&\%" in latex[name]
    assert latex["error"].count(r"\begin{longtable}") == 1
    assert latex["error"].count(r"\textbf") == 60
    assert "p of Friedman's test & " in latex["tests"]


@pytest.mark.parametrize("errors", [errors_of(["RF", "RRE"], n=1), errors_of(["RF", "RRE"]).assign(RF=NAN)])
def test_studies_that_rank_little_have_tables_too(tmp_path, errors):
    tables = {t.name: t for t in printed_tables(tmp_path, finished(tmp_path, errors, seconds=False), "rotastack run s")}
    assert "nemenyi" not in tables
    assert "leaderboard" in tables
    assert tables["leaderboard"].values["predict_times"].isna().all()
    for table in tables.values():
        assert_sound(table.latex or "")


def test_a_study_that_is_not_finished_says_so(tmp_path, capsys):
    study = finished(tmp_path / "results", errors_of(["RF", "RRE"]))
    (tmp_path / "results/tables/times.csv").unlink()
    with pytest.raises(RotastackError, match="study 's' is not finished; run `rotastack run s` first"):
        printed_tables(tmp_path / "results", study, "rotastack run s")
    with chdir(tmp_path):
        assert run_command(["tables", "quickstart"]) == 2
    assert "run `rotastack run quickstart` first" in capsys.readouterr().err


def test_the_command_writes_both_kinds(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("rotastack.cli.tables.is_current", lambda *_: True)  # the files have no records
    finished(tmp_path / "results/tiny", errors_of(["RF", "RRE"]))
    given = ["tables", str(project_file("config/studies/tiny.yaml")), "--out", "paper"]
    with chdir(tmp_path):
        assert run_command(given) == 0
        assert not list((tmp_path / "paper").glob("*.tex"))
        assert run_command([*given, "--latex"]) == 0
    assert "14 tables in paper" in capsys.readouterr().out
    assert len(list((tmp_path / "paper").glob("*.csv"))) == 14
    assert {path.stem for path in (tmp_path / "paper").glob("*.tex")} == {"leaderboard", "error", "tests"}
    assert r"\label{tab:tiny-error}" in (tmp_path / "paper/error.tex").read_text()
