"""What ``rotastack run`` tells Snakemake."""

import importlib.util
import json
import re
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from tests.cli.conftest import done, refused
from tests.refusals import refusal

from rotastack.cli import answer, main, run, studies
from rotastack.cli.answer import Answer
from rotastack.cli.options import table_text
from rotastack.project import project_file
from rotastack.workflow.run.launch import plan_of


def test_what_follows_may_be_a_target(monkeypatch, here):
    """Options that take many values would have taken it, too."""
    from snakemake.cli import get_argument_parser

    told = []
    monkeypatch.setattr(run, "snakemake", lambda plan, options, **_: told.append(options) or (0, 1.0))
    assert main(["run", "tiny", "--verbose", "--", "results/tiny/scores.parquet"]) == 0
    assert get_argument_parser().parse_args(told[0]).targets == ["results/tiny/scores.parquet"]


@pytest.mark.parametrize("is_finished", [True, False])
@pytest.mark.parametrize(
    ("rest", "answers"),
    [(["--default-resources", "slurm_account=A"], True), (["--until", "train"], False), (["-n"], False), ([], True)],
)
def test_the_answer_comes_if_the_study_is_finished_also_with_options_of_snakemake(
    rest, answers, is_finished, monkeypatch, here, capsys
):
    monkeypatch.setattr(run, "snakemake", lambda *_, **__: (0, 1.0))
    monkeypatch.setattr(run, "is_current", lambda plan, name: is_finished)
    monkeypatch.setattr(answer, "Answer", lambda *_: SimpleNamespace(as_json=lambda seconds: "the answer"))
    assert main(["run", "tiny", "--json", *(["--", *rest] if rest else [])]) == 0
    assert capsys.readouterr().out == "the answer\n" * (answers and (is_finished or not rest))


@pytest.mark.parametrize("cores", ["0", "-1", "x"])
def test_a_study_without_cores_is_refused(cores, here, capsys):
    """Snakemake would wait for ever."""
    said = f"--cores must be all or a whole number of at least 1, found '{cores}'"
    assert refused(capsys, "run", "tiny", "--cores", cores) == said


def test_a_run_needs_no_home_that_it_can_write_to_and_no_profile_of_the_users(monkeypatch, here):
    """Snakemake keeps a cache in the user's home, and would print a traceback; a profile with ``dry-run`` would end in an error."""
    environments = []

    def started(command, *, env, **_):
        environments.append(env)
        return nullcontext(SimpleNamespace(wait=lambda: 1))

    monkeypatch.setattr(studies, "ending_with_us", started)
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "mine")
    (home := here / "home").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    studies.snakemake(plan_of("tiny"), [])
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != home)
    studies.snakemake(plan_of("tiny"), [])
    assert [env["XDG_CACHE_HOME"] for env in environments] == [str(home), str(here / "results/.cache")]
    assert [("SNAKEMAKE_PROFILE" in env, "PATH" in env) for env in environments] == [(False, True)] * 2


DRY = """\
Job stats:
job           count
----------  -------
train             2
score             2
draw              1
all               1
total             6

Reasons:
    (check individual jobs above for details)
    input files updated by another job:
        all, draw, score
    params have changed since last execution:
        train
Some jobs were triggered by provenance information, see 'reason' section in the rule displays above.
"""
"""Lines of Snakemake 9."""


def test_a_dry_run_of_a_study_is_a_short_plan(monkeypatch, here, capsys):
    said = [DRY]
    monkeypatch.setattr(run, "snakemake", lambda *_, log, **__: (Path(log).write_text(said[0]) and 0, 1.0))
    printed = done(capsys, "run", "tiny", "--dry-run", "--cores", "2").out
    for line in [
        "data sets 2: iris and balance-scale; 150 to 625 rows",
        "jobs      5: 2 train, 2 score, 1 draw",
        "why       params have changed since last execution: train",
    ]:
        assert line in printed.splitlines()
    vote = "{pool: f, combiner: {kind: vote}}"
    methods = f"pools: {{f: {{estimator: forest}}}}\nmethods: {{F: {vote}, G: {vote}}}\n"
    (here / "one.yaml").write_text(f"name: one\ndatasets: [iris]\nprotocol: {{kind: holdout}}\n{methods}")
    assert "data sets 1: iris; 150 rows\n" in done(capsys, "run", "one.yaml", "--dry-run").out
    for said[0] in (
        "Nothing to be done",
        "Job stats:\njob      count\n-----  -------\ntotal        0\n",
    ):  # with --until
        found = json.loads(done(capsys, "run", "tiny", "--dry-run", "--json").out)
        assert (found["jobs"], found.get("why")) == ("none, all results are up to date", None)


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [
        (["run", "--dry-run"], "evaluation: {control: RF}", "required keys: .*; found: evaluation"),
        (["report"], "{}", "required keys: name, datasets, protocol, pools, methods; found: nothing"),
        (["tables"], "# nothing yet", "required keys: .*; found: nothing"),
        (["run", "--dry-run"], "- iris", "must be a mapping of keys to values, found "),
    ],
)
def test_a_part_of_a_study_does_not_run_another_one(command, text, said, here, capsys):
    (here / "part.yaml").write_text(text)
    assert re.match(rf"part.yaml: .*{said}", refused(capsys, command[0], "part.yaml", *command[1:]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "study 'a-small' is unknown"),
        ("name: a\nsizes: 5", "study 'a-small' is unknown"),
        (None, "study 'a-small' is unknown"),
        ("- iris", "a.yaml: must be a mapping of keys to values, found ['iris']"),
        ("iris", "a.yaml: must be a mapping of keys to values, found 'iris'"),
        ("a: [", "a.yaml: not valid YAML"),
    ],
)
def test_a_file_beside_the_studies_that_is_none_is_no_traceback(text, said, here, capsys):
    path = here / "studies/a.yaml"
    path.mkdir(parents=True) if text is None else (path.parent.mkdir(), path.write_text(text))
    assert said in refused(capsys, "tables", "a-small")
    assert "study 'tiny' is not finished" in refused(capsys, "tables", "tiny")  # a study of another name is found


@pytest.mark.parametrize("protocol", ["nested", "holdout"])
def test_tables_of_a_study_of_a_stranger_run_nothing_of_it(protocol, here, capsys):
    (here / "stranger.py").write_text("open('imported', 'w')\nclass Mine: trained = property(lambda self: True)\n")
    touch = {"kind": "other", "class": "subprocess.Popen", "parameters": {"args": ["touch", "started"]}}
    study = {
        "name": "s",
        "datasets": ["iris"],
        "protocol": {"kind": protocol},
        "pools": {"p": {"estimator": "stranger.Mine", "view": "stranger.Mine"}},
        "methods": {
            "A": {"pool": "p", "combiner": touch},
            "B": {"pool": "p", "combiner": {"kind": "other", "class": "stranger.Mine"}},
        },
    }
    (here / "s.yaml").write_text(json.dumps(study))
    assert "study 's' is not finished" in refused(capsys, "tables", "s.yaml")
    assert {path.name for path in here.iterdir()} == {"s.yaml", "stranger.py"}


@pytest.mark.parametrize(
    ("name", "folder"),
    [("./first.yaml", ""), ("first", "studies"), ("trial", "config/studies"), ("trial-small", "studies")],
)
def test_a_study_is_found_by_its_file_and_by_its_name_in_results(name, folder, here):
    (here / folder).mkdir(parents=True, exist_ok=True)
    text = Path(project_file("config/studies/tiny.yaml")).read_text().replace("name: tiny", "name: trial  # an attempt")
    (here / folder / "first.yaml").write_text(text + "\nsizes: {small: {seed: 2}}\n")
    (here / "compose.yaml").write_text("services: {}")
    plan = plan_of(name)
    assert plan.study.name == ("trial-small" if name == "trial-small" else "trial")
    assert plan.size == ("small" if name == "trial-small" else "full")
    known = refusal(plan_of, "trial-tiny").partition("study 'trial-tiny' is unknown")[2].partition("studies: ")[2]
    assert {"first", "compose"} & {*known.split(", ")} == {"first"}


def test_the_command_to_predict_names_the_data_set_if_results_have_models_of_another(here):
    """Also a model that failed, and one of an earlier version of the study."""
    given = {
        "sentences": [],
        "_table": list,
        "failed": [],
        "together": {},
        "study": "s",
        "trust": "",
        "without_model": {},
    }
    models = {"b": {"method": "RF", "file": "model.skops", "address": None}}
    made = SimpleNamespace(**given, models=models, report="", runs="", root="results/s")
    for other, option in (("b", ""), ("a", " --dataset b")):
        (here / f"results/s/{other}/model").mkdir(parents=True)
        (here / f"results/s/{other}/model/model.skops").touch()
        assert f"rotastack predict --study s{option} NEW_ROWS.csv" in Answer.as_text(made)


def test_values_outside_of_an_order_count_as_missing_before_the_run(here, capsys):
    (here / "t.csv").write_text(
        "a,b,y\n" + "".join(f"{i / 7},{['low', 'mid', 'high'][i % 3]},{i % 2}\n" for i in range(60))
    )
    for order, said in (("low<mid", "missing   b 33%"), ("Low<Mid", "dropped   b: missing: has no value of the order")):
        assert said in done(capsys, "run", "t.csv", "--target", "y", "--kind", f"b={order}", "--dry-run").out


def test_a_folder_of_a_studys_name_hides_no_study(here, capsys):
    """Such as the package of its estimators."""
    (here / "tiny").mkdir()
    (here / "other").mkdir()
    assert "tiny" in done(capsys, "run", "tiny", "--dry-run").out
    assert "other is a folder; name a table or a study" in refused(capsys, "run", "other", "--dry-run")


def test_a_study_that_was_edited_says_what_counts(here, capsys):
    (here / "t.csv").write_text("a,b\n" + "".join(f"{i / 7},{'xy'[i % 2]}\n" for i in range(40)))
    (here / "studies").mkdir()
    source = "{file: {path: t.csv, target: b}}"
    (here / "studies/t.yaml").write_text(f"datasets: [{{name: t, sources: [{source}], kinds: numeric}}]\n")
    said = done(capsys, "run", "t.csv", "--target", "b", "--dry-run").out
    assert re.search("studies/t.yaml was edited and is used as it is(?s:.*)rename the file", said), (
        "edits are the user's"
    )
    assert "the kinds of columns are those of the file, not those above" in said


@pytest.mark.parametrize(("code", "goes_on"), [(2, False), (1, True)])
def test_only_a_run_that_began_goes_on(code, goes_on, monkeypatch, here, capsys):
    monkeypatch.setattr(studies, "ending_with_us", lambda *_, **__: nullcontext(SimpleNamespace(wait=lambda: code)))
    assert main(["run", "tiny"]) == code
    assert ("repeat the command to continue" in capsys.readouterr().err) == goes_on


@pytest.mark.parametrize(("command", "found"), [("run", True), ("step", True), ("serve", False)])
def test_classes_of_a_study_may_be_in_a_file_beside_it(command, found, monkeypatch, here):
    (here / "beside_the_study.py").write_text("class Mine: pass\n")
    monkeypatch.setattr(sys, "path", [*sys.path])  # the command adds to it
    with pytest.raises(SystemExit):
        main([command, "--none"])
    assert (importlib.util.find_spec("beside_the_study") is not None) == found


def test_the_answer_of_a_study_has_scores_beside_ranks_and_no_empty_columns():
    answer = Answer.__new__(Answer)
    answer.score, answer.scores = "rmse", pd.DataFrame({"dataset": ["a", "b"]})
    scores = {"a": {"Forest": 0.5, "Linear": 0.6}, "b": {"Forest": 0.7, "Linear": 0.5}}
    ranks = {"mean": {"Forest": 1.6, "Linear": 1.4}}
    answer.comparison = {"ranks": ranks, "methods": ["Linear", "Forest"], "scores": scores, "in_units": True}
    assert [line.split()[1:3] for line in answer._table()[1:]] == [["1.40", "0.550"], ["1.60", "0.600"]]
    answer.score = "error"
    answer.comparison |= {"tests": {"Linear": {"wins": 1, "ties": 0, "losses": 1}}, "in_units": False}
    assert answer._table()[1].split() == ["Linear", "1.40", "55.0%", "1/0/1"]


def test_a_table_in_a_pipe_cuts_no_name_and_reads_no_markup(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    names = ["[bold]RF[/bold] :smile:", "R" * 120]
    assert table_text(["method", "p"], {name: ["-"] for name in names}).split("\n")[1:] == [
        f"{names[0]:120s}  -",
        f"{names[1]}  -",
    ]
