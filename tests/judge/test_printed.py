"""Tables of a finished study as CSV and LaTeX."""

import json
import re
from types import SimpleNamespace as Names

import numpy as np
import pandas as pd
import pytest

from rotastack.cli.commands import run_command
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
        name="s",
        task=Names(name="classification"),
        score="error",
        protocol=Names(cells="splits"),
        control=control,
        methods=methods,
        optimistic=list(optimistic),
        document=Names(evaluation=Names(alpha=0.05, average="mean")),
    )


def errors_of(methods, n=6):
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.uniform(0.05, 0.4, (n, len(methods))), [f"data_{k}" for k in range(n)], methods)


def test_the_leaderboard_is_what_the_statistics_say(tmp_path):
    errors = errors_of(["RF", "RRE", "XGB", "CUT"]).assign(CUT=0.01)
    study = finished(tmp_path, errors, optimistic=["CUT"])
    tables = {table.name: table for table in printed_tables(tmp_path, study, "rotastack run s")}
    assert set(tables) == {"leaderboard", *METRICS, "tests", "nemenyi", "baseline", "times", "variance"}
    fair, values = errors[["RF", "RRE", "XGB"]].round(12), tables["leaderboard"].values.set_index("method")
    ranks, tests = bootstrap_ranks(fair, False), wilcoxon_holm(fair, "RF", False)
    assert list(values.index) == list(ranks["average_rank"].sort_values(kind="stable").index)
    columns = {"lower": "average_rank_lower", "upper": "average_rank_upper"}
    wanted = ranks.rename(columns=columns).assign(elo=elo(fair, False)["elo"], p_holm=tests["p_holm"])
    pd.testing.assert_frame_equal(values[wanted.columns], wanted.loc[values.index], check_names=False)
    latex = tables["leaderboard"].latex
    rows = {line.split(" & ")[0]: line.rstrip(" \\").split(" & ") for line in latex.splitlines() if " & " in line}
    assert rows["RRE"][4] == "{wins:.0f}/{ties:.0f}/{losses:.0f}".format(**tests.loc["RRE"])
    assert (rows["RF"][4:6], rows["RRE"][6:]) == (["--", "--"], ["1.00", "--"])


def test_the_best_of_a_row_is_bold_and_what_failed_says_so(tmp_path):
    errors = pd.DataFrame({"RF": [0.2, 0.3], "RRE": [0.2, NAN], "CUT": [0.0, 0.0]}, index=["x", "y"])
    study = finished(tmp_path, errors, optimistic=["CUT"])
    (error,) = (table for table in printed_tables(tmp_path, study, "rotastack run s") if table.name == "error")
    assert error.values.columns.tolist() == ["dataset", "RF", "RRE", "CUT", "RF sd", "RRE sd", "CUT sd"]
    assert r"x & \textbf{0.2000 (0.0125)} & \textbf{0.2000 (0.0125)} & 0.0000 (0.0125) \\" in error.latex
    assert r"y & \textbf{0.3000 (0.0125)} & no score & 0.0000 (0.0125) \\" in error.latex


@pytest.mark.parametrize(
    ("errors", "with_latex", "bold"),
    [
        (errors_of(["RF", STRANGE, "A"], n=60), {"leaderboard", "error", "tests"}, 60),
        (errors_of(["RF", "RRE"], n=1), {"leaderboard", "error"}, 1),  # they rank little
        (errors_of(["RF", "RRE"]).assign(RF=NAN), {"leaderboard", "error"}, 6),
    ],
)
def test_names_and_scores_of_any_kind_give_sound_latex(tmp_path, errors, with_latex, bold):
    found = printed_tables(tmp_path, finished(tmp_path, errors, seconds=len(errors) > 6), "rotastack run s")
    latex = {table.name: table.latex for table in found if table.latex is not None}
    assert (set(latex), latex["error"].count(r"\textbf")) == (with_latex, bold)
    for text in latex.values():
        bare = re.sub(r"\\[&%$#_{}\\]", "", text)
        assert bare.count("{") == bare.count("}")
        assert not re.search(r"[$#_~^]", re.sub(r"\\(label|begin|end)\{[^}]*\}", "", bare))
        opened, closed = (sorted(re.findall(rf"\\{word}\{{(\w+)\}}", text)) for word in ("begin", "end"))
        assert opened == closed
        assert not re.search(r"^[^%].*(?<!\\)%", text, re.M)


def test_the_command_writes_both_kinds(here, capsys, monkeypatch):
    monkeypatch.setattr("rotastack.cli.tables.is_current", lambda *_: True)  # the files have no records
    given = ["tables", str(project_file("config/studies/tiny.yaml")), "--out", "paper"]
    assert run_command(given) == 2
    assert "is not finished; run " in capsys.readouterr().err
    finished(here / "results/tiny", errors_of(["RF", "RRE"]))
    for options, texts in (([], set()), (["--latex"], {"leaderboard", "error", "tests"})):
        assert run_command([*given, *options]) == 0
        assert {path.stem for path in here.glob("paper/*.tex")} == texts
    assert "14 tables in paper" in capsys.readouterr().out
    assert len(list(here.glob("paper/*.csv"))) == 14
    assert r"\label{tab:tiny-error}" in (here / "paper/error.tex").read_text()
