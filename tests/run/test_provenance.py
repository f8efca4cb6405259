"""What results were made with, where Snakemake does not know."""

import json
import os
from contextlib import chdir
from pathlib import Path

import pytest

from rotastack.base.documents import load_yaml
from rotastack.run import provenance
from rotastack.run.launch import config_file, read_plan

STUDY = {
    "name": "small",
    "datasets": ["iris"],
    "protocol": {"kind": "holdout", "repeats": 2},
    "pools": {"forest": {"estimator": "forest"}, "rotated": {"estimator": "forest", "view": "rotation"}},
    "methods": {
        "RF": {"pool": "forest", "combiner": {"kind": "vote"}},
        "RRE": {"pool": "rotated", "combiner": {"kind": "vote"}},
    },
}
POOL = "results/small/iris/pools/forest/S-1-2"


@pytest.fixture
def plan(tmp_path):
    """A plan, all of whose results with records are there, as planned."""
    with chdir(tmp_path):
        found = read_plan(load_yaml(Path(config_file())) | STUDY, [config_file()], check=False)
        for result in provenance.results_of(found):
            for file in result.files:
                Path(file).parent.mkdir(parents=True, exist_ok=True)
                Path(file).write_text("made")
            spec, code = result.wanted()
            record = {"parameters": json.loads(spec), "code": code}
            Path(result.record).write_text(json.dumps(record))
        yield found


def trained(plan):
    return next(r for r in provenance.results_of(plan) if "/pools/forest/" in r.record)


def edit(result, key, value):
    record = json.loads(Path(result.record).read_text())
    Path(result.record).write_text(json.dumps({**record, key: value}))


def test_a_model_that_is_explained_is_so_by_todays_code(plan):
    assert not any("explain" in r.record for r in provenance.results_of(plan))
    document = plan.study.document  # frozen, for all but a test
    object.__setattr__(document, "model", document.model.model_copy(update={"explain": True}))
    (result,) = (r for r in provenance.results_of(plan) if "explain" in r.record)
    for file in result.files:
        Path(file).write_text("made")
    Path(result.record).write_text(json.dumps({"parameters": {}, "code": "other"}))
    assert set(result.files) <= set(provenance.outdated(plan))
    edit(result, "code", plan.code("explain"))
    assert not set(result.files) & set(provenance.outdated(plan))


def test_results_are_those_of_all_steps_with_records(plan):
    steps = {Path(r.record).name.removesuffix(".run.json") for r in provenance.results_of(plan)}
    assert {
        "iris",
        "folds",
        "RF",
        "RRE",
        "scores",
        "refit",
        "summarize",
        "draw_dataset",
        "draw_study",
        "report",
    } <= steps
    assert all(result.is_as_planned() for result in provenance.results_of(plan))
    assert provenance.outdated(plan) == []


@pytest.mark.parametrize(("key", "value"), [("code", "other"), ("parameters", {})])
def test_other_code_or_parameters_are_seen_without_snakemakes_notes(plan, key, value):
    result = trained(plan)
    edit(result, key, value)
    assert provenance.outdated(plan) == list(result.files)
    provenance.mark_unfinished(provenance.outdated(plan))
    assert len(list(Path(".snakemake/incomplete").rglob("*"))) == 2


def test_a_damaged_record_does_not_count_as_planned(plan):
    Path(trained(plan).record).write_text("{")
    assert provenance.outdated(plan) == list(trained(plan).files)


def test_where_snakemake_has_notes_it_decides(plan):
    result = trained(plan)
    edit(result, "code", "other")
    note(result.files[0])
    assert provenance.outdated(plan) == []


def note(file, ended=0.0):
    path = provenance._note("metadata", file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"endtime": ended}))
    return path


def test_notes_have_the_names_that_snakemake_gives_them(plan, monkeypatch):
    from snakemake.persistence.file import FilePersistence

    Path(".snakemake/metadata").mkdir(parents=True)
    for file in ("results/a.nc", "results/" + "long" * 90 + ".nc"):
        theirs = FilePersistence._record_path(
            type("", (), {"_max_len": None, "_fetch_max_len": FilePersistence._fetch_max_len})(),
            ".snakemake/metadata",
            file,
        )
        assert str(provenance._note("metadata", file)) == theirs


def test_notes_of_the_results_before_are_forgotten(plan):
    result = trained(plan)
    edit(result, "started", "2020-01-01T00:00:00+00:00")
    began = 1577836800.0
    old, own = note(result.files[0], began - 10), note(result.files[1], began + 10)
    for file, path in zip(result.files, (old, own), strict=True):
        there = Path(file).stat().st_mtime
        os.utime(path, (there - 10, there - 10))
    assert provenance.forget_old_notes(plan) == 1
    assert not old.exists()
    assert own.exists()  # its file was touched since, and not made


def test_a_note_that_is_younger_than_its_file_stays(plan):
    result = trained(plan)
    path = note(result.files[0])
    there = Path(result.files[0]).stat().st_mtime
    os.utime(path, (there + 10, there + 10))
    assert provenance.forget_old_notes(plan) == 0
    assert path.exists()
