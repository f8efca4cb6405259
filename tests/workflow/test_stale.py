"""After an edit of a file beside the study, and after random sequences of edits, failures, kills, deletions, copies and touches, the results are those from scratch."""

import copy
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from tests.waiting import wait_for
from tests.workflow import forked
from tests.workflow.outcomes import difference, texts_of, tracked_texts
from tests.workflow.small import METHODS, OWN, POOLS, PUB, Folder, Inputs

pytestmark = pytest.mark.workflow

NAMES = ("bayes", "mine")
STUDY = {
    "name": "s",
    "datasets": [OWN],
    "protocol": {"kind": "holdout", "repeats": 2},
    "pools": {name: POOLS[name] for name in NAMES},
    "methods": {name: METHODS[name] for name in ("NB", "Mine")},
    "model": {"refit": "none"},
    "trusted": ["mine"],
}
BOTH = {"datasets": [OWN, PUB]}
SLOW = "        time.sleep(0.5)\n        self.classes_ ="


@pytest.fixture(scope="module", autouse=True)
def _libraries():
    """Import what the forks of this process need."""
    with mock.patch.dict(os.environ):
        forked.import_libraries()
        yield


def ran(folder: Folder, inputs: Inputs) -> Folder:
    """Run the study of the inputs in a folder."""
    folder.path.mkdir(exist_ok=True)
    folder.write(inputs)
    assert folder.run() == 0, folder.said
    return folder


def changed(**keys) -> Inputs:
    """Return the study with other keys; ``power`` is the parameter of the own class."""
    study = copy.deepcopy(STUDY)
    if power := keys.pop("power", None):
        study["pools"]["mine"]["parameters"]["power"] = power
    return Inputs(study | keys)


def check_against_scratch(folder: Folder, inputs: Inputs) -> None:
    """Run the study of the inputs in a folder, and check the results against those of a run in a fresh folder."""
    ran(folder, inputs)
    scratch = ran(Folder(folder.path.parent / "scratch", folder.whole), inputs)
    texts = [texts_of(f.path, "s") | (tracked_texts(f.path, "s") if f.whole else {}) for f in (folder, scratch)]
    assert difference(*texts) is None


@pytest.mark.slow
def test_tables_and_models_of_an_earlier_study_are_neither_shown_nor_used(tmp_path):
    groups = {"G": {"title": "G", "methods": {"a": "NB", "b": "Mine"}}}
    folder = ran(Folder(tmp_path / "project"), changed(evaluation={"groups": groups}, model={"refit": "Mine"}))
    assert "probability=a" in folder.predictions("own")
    ran(folder, changed(power=1))
    assert folder.call("tables", "study.yaml") == 0
    assert not list(folder.path.glob("results/s/*/groups.csv"))
    assert folder.predictions("own") == "refused"


@pytest.mark.slow
def test_an_edit_of_an_own_module_during_the_run_that_is_taken_back(tmp_path):
    inputs = changed(**BOTH)
    inputs.mine = "import time\n" + inputs.mine.replace("        self.classes_ =", SLOW)
    folder = Folder(tmp_path / "project")
    folder.path.mkdir()
    folder.write(inputs)
    process = folder.start("run", "study.yaml", "--cores", "1", *folder.rest)
    wait_for(lambda: list(folder.path.glob("results/s/*/pools/mine/*.nc")), 60)
    folder.write(Inputs(inputs.study, mine=inputs.mine.replace("SHARPNESS = 1.0", "SHARPNESS = 9.0")))
    folder.end(process)
    check_against_scratch(folder, inputs)


@pytest.mark.slow
def test_numbers_in_mlflow_are_those_of_the_scores(tmp_path):
    folder = ran(Folder(tmp_path / "project", whole=True), changed(model={"refit": "best"}))
    better = {"pool": "forest", "combiner": {"kind": "vote"}}
    pools, methods = STUDY["pools"] | {"forest": POOLS["forest"]}, STUDY["methods"] | {"Forest": better}
    ran(folder, changed(model={"refit": "best"}, pools=pools, methods=methods))
    renamed = {"Bayes" if name == "NB" else name: method for name, method in methods.items()}
    inputs = changed(model={"refit": "best"}, pools=pools, methods=renamed, protocol={"kind": "holdout", "repeats": 3})
    check_against_scratch(folder, inputs)


# Random sequences


SLOWLY = {
    "slow": [f"--seed 5 --length 4 --only {kind}" for kind in ("stop", "move")] + ["--seed 4 --length 1 --only other"],
    "nightly": [
        *(
            f"--seed 5 --length 4 --only {kind}"
            for kind in ["back", "until", "during", "other", "delete", "ahead", "touch"]
        ),
        *(f"--sequences 10 --seed {seed}" for seed in range(1000, 1050, 10)),
    ],
}
MARKS = {"slow": [pytest.mark.slow], "nightly": [pytest.mark.slow, pytest.mark.nightly]}


@pytest.mark.parametrize(
    "options",
    ["--seed 4 --length 1 --only fail", *(pytest.param(o, marks=MARKS[m]) for m in SLOWLY for o in SLOWLY[m])],
)
def test_sequences(options):
    """In a process of its own, whose forks start fast."""
    command = [sys.executable, str(Path(__file__).with_name("sequences.py")), *options.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-3000:]}"
