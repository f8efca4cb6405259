"""Results of another version of a study: tables are refused, models are used with a line that says so."""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.conftest import customers, done, refused

from rotastack.cli import main
from rotastack.workflow.judge import printed
from rotastack.workflow.judge.printed import Printed
from rotastack.workflow.run.launch import plan_of

SHOP = {
    "name": "shop",
    "datasets": [{"name": "customers", "sources": [{"file": {"path": "customers.csv", "target": "target"}}]}],
    "protocol": {"kind": "holdout", "repeats": 2},
    "pools": {"bayes": {"estimator": "naive_bayes"}},
    "methods": {name: {"pool": "bayes", "combiner": {"kind": "vote"}} for name in ("NB", "again")},
    "sizes": {"small": {"seed": 5}},
}


def write(folder, **changes):
    """Write the study into a folder."""
    (folder / "studies").mkdir(exist_ok=True)
    (folder / "studies/shop.yaml").write_text(json.dumps(SHOP | changes))


def made(*name, study="shop"):
    """Let a job's result be made from the study as it is now."""
    job = plan_of(study).keys[name if len(name) > 1 else name[0]]
    path = Path(job.record)
    path.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | {"key": job.key}))


@pytest.fixture
def home(shop, here, monkeypatch):
    """A folder with the model of the study, its table, and the study, as the working directory."""
    shutil.copytree(shop[0], here, dirs_exist_ok=True)
    customers().to_csv("customers.csv", index=False)
    customers(5).drop(columns="target").to_csv("new.csv", index=False)
    write(here)
    made("refit", "customers")
    told = {"words": ["Words."]}
    monkeypatch.setattr("rotastack.workflow.use.explaining.explain_saved", lambda *arguments: told)
    monkeypatch.setattr("rotastack.workflow.use.explanation.write_explanation", lambda *arguments: [])
    return here


USES = {
    "predict": ["predict", "new.csv", "--study", "shop"],
    "predict by file": ["predict", "new.csv", "--study", "studies/shop.yaml"],
    "explain": ["explain", "shop"],
    "explain by file": ["explain", "studies/shop.yaml"],
}
use = pytest.mark.parametrize("words", USES.values(), ids=USES)


@use
def test_a_model_of_another_version_is_used_after_a_line(home, words, capsys):
    record = home / "results/shop/customers/model/refit.run.json"
    again = "shop" if words[-1] == "shop" else home / "studies/shop.yaml"

    assert done(capsys, *words).err == ""
    write(home, seed=2)
    line = done(capsys, *words).err
    assert re.search(f"the model of customers is of another version .*repeat `rotastack run {again}`\n", line)
    write(home)
    customers(70).to_csv("customers.csv", index=False)
    assert done(capsys, *words).err == line, "the table has changed"
    customers().to_csv("customers.csv", index=False)
    for text in ('{"status": "ok"}', "{"):
        record.write_text(text)
        assert done(capsys, *words).err == line, "a record without a key, and a damaged one"


@use
@pytest.mark.parametrize(
    "changes", [{"model": {"refit": "none"}}, {"datasets": ["iris"]}], ids=["no model", "another data set"]
)
def test_a_model_that_the_study_no_longer_has_is_used_by_its_file_alone(home, words, changes, capsys):
    write(home, **changes)
    file = "results/shop/customers/model/model.skops"
    said = "study 'shop' has no model of 'customers' any more; .*"
    assert re.fullmatch(f"{said}: --model {file}", refused(capsys, *words))
    assert done(capsys, "predict", "new.csv", "--model", file).err == ""


@use
def test_without_the_studys_file_nothing_is_said(home, words, capsys):
    (home / "results/shop/customers/model/refit.run.json").write_text('{"status": "ok"}')
    (home / "studies/shop.yaml").unlink()
    code = main(words)
    said = capsys.readouterr().err
    assert (code, said) == (0, "") if words[-1] == "shop" else "studies/shop.yaml" in said


@pytest.mark.parametrize("words", [USES["predict"], USES["explain"]], ids=["predict", "explain"])
def test_the_folder_of_the_run_may_be_another_one(home, words, tmp_path_factory, monkeypatch, capsys):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copy("new.csv", elsewhere)
    monkeypatch.chdir(elsewhere)
    assert done(capsys, *words, "-C", home).err == ""
    write(home, model={"refit": "none"})
    _, _, file = refused(capsys, *words, "-C", home).partition("--model ")
    assert Path(file).samefile(home / "results/shop/customers/model/model.skops"), "the file is found from here"


def test_a_model_whose_raw_table_was_deleted_is_used_too(home, capsys):
    """A study that skips data sets takes those without a raw table for skipped ones."""
    write(home, missing="skip")
    assert "rotastack: error" not in done(capsys, *USES["predict"]).err


def test_a_study_with_a_combiner_of_another_package_is_not_compared_and_runs_nothing_of_it(home, capsys):
    (home / "stranger.py").write_text("open('imported', 'w')\nclass Mine: trained = property(lambda self: True)\n")
    methods = SHOP["methods"] | {"Mine": {"pool": "bayes", "combiner": {"kind": "other", "class": "stranger.Mine"}}}
    write(home, methods=methods, protocol={"kind": "nested"})
    assert "not compared with the study, as stranger.Mine is not imported" in done(capsys, *USES["predict"]).err
    write(home, methods=methods)
    said = done(capsys, *USES["predict"]).err
    assert "is of another version of the study" in said, "on splits no combiner is asked"
    assert not (home / "imported").exists()


# Tables


@pytest.fixture
def tables(here, monkeypatch):
    """The working directory of a finished study; the command prints two tables of it."""
    write(here)
    customers().to_csv("customers.csv", index=False)
    values = pd.DataFrame({"method": ["NB"], "error": [0.5]})
    found = [Printed("scores", values, "latex"), Printed("times", values)]
    monkeypatch.setattr(printed, "printed_tables", lambda *arguments: found)
    for study in ("shop", "shop-small"):
        made("summarize", study=study)
        path = here / f"results/{study}/statistics/comparison.json"
        path.write_text("{}")
    return here


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


@pytest.mark.parametrize("size", ["", "small"])
def test_tables_of_another_version_of_the_study_are_refused(tables, size, capsys):
    options = ["--size", size] if size else []
    root = "results/shop-small" if size else "results/shop"
    assert main(["tables", "shop", *options]) == 0
    before = files(root)
    write(tables, evaluation={"alpha": 0.1})
    said = refused(capsys, "tables", "shop", *options, "--out", "paper")
    assert re.match(
        rf"{root}: the results are of another version .*repeat `rotastack run {' '.join(['shop', *options])}`", said
    )
    assert files(root) == before
    assert not Path("paper").exists()
    write(tables, title="Customers", description="All of them")
    assert main(["tables", "shop", *options]) == 0, "tables do not show the title"


def test_tables_replace_older_ones_in_results_and_no_file_of_a_users_folder(tables, capsys):
    for folder in ("results/shop/printed", "paper"):
        Path(folder, "figures").mkdir(parents=True)
        for name in ("groups.csv", "scores.tex", "paper.pdf", "figures/a.csv"):
            Path(folder, name).write_text("old")
    assert main(["tables", "shop"]) == 0
    assert files("results/shop/printed") == ["figures/a.csv", "paper.pdf", "scores.csv", "times.csv"]
    assert main(["tables", "shop", "--out", "paper", "--latex"]) == 0
    assert files("paper") == ["figures/a.csv", "groups.csv", "paper.pdf", "scores.csv", "scores.tex", "times.csv"]
    assert [Path(f"paper/{name}").read_text() for name in ("groups.csv", "scores.tex")] == ["old", "latex"]
