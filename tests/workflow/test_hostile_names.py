"""The shell never interprets a text of a study: the text is refused, or stays one word of one command."""

import copy
import shlex
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from tests.workflow.project import Project

from rotastack.data.registry import registry
from rotastack.errors import RotastackError
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.study import Study

pytestmark = pytest.mark.workflow

HOSTILE = [
    "x; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "x' ; touch pwned; '",
    'x" ; touch pwned; "',
    "x\ntouch pwned\n",
    "a && touch pwned || touch pwned",
    "{input} {params.slice} {{wildcards}}",
    "../../../../tmp/pwned",
    "-rf ~ --slice",
    "\\",
    "* ? ~ !! > pwned",
    "%s ${HOME} é 中",
]

STUDY: dict[str, Any] = {
    "name": "mean",
    "title": "A title",
    "description": "What it asks",
    "datasets": [
        {
            "name": "own",
            "title": "t",
            "homepage": "https://h",
            "citation": "c",
            "licence": "l",
            "note": "n",
            "mirror": "own",
            "sources": [{"file": {"path": "own.csv", "target": "y"}}],
            "classes": {"a": 10, "b": 10},
            "columns": ["one", "two"],
            "rows": 20,
            "kinds": {"numeric": ["one"], "categorical": ["two"], "others": "auto"},
        },
        "iris",
    ],
    "protocol": {"kind": "holdout", "repeats": 2, "rotations": 2},
    "pools": {
        "forest": {"estimator": "forest", "parameters": {"n_estimators": 2}, "view": {"class": "rotation"}},
        "other": {"estimator": "sklearn.naive_bayes.GaussianNB", "repeats": {"own": 1}},
    },
    "methods": {
        "RF": {"pool": "forest", "combiner": {"kind": "vote"}},
        "NB": {"pool": "other", "combiner": {"kind": "vote", "voting": "soft"}},
    },
    "evaluation": {
        "control": "RF",
        "groups": {"all-of-them": {"title": "A group", "methods": {"first": "RF", "second": "NB"}}},
        "pairs": [["RF", "NB"]],
        "sweeps": [{"title": "Sweep", "axis": "size", "values": [1.0, 2.0], "lines": {"line": ["RF", "NB"]}}],
        "claims": [{"what": "error", "of": "RF", "than": "NB", "expect": "lower"}],
    },
    "sizes": {"small": {"title": "smaller"}},
    "model": {"refit": "RF"},
}


def texts(content: Any, place: tuple = ()) -> Iterator[tuple]:
    """Yield the places of all texts and keys; a None after the place marks a key."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield (*place, key, None)
            yield from texts(value, (*place, key))
    elif isinstance(content, list):
        for k, value in enumerate(content):
            yield from texts(value, (*place, k))
    elif isinstance(content, str):
        yield place


def put(content: Any, place: tuple, text: str) -> Any:
    """Return a copy with a text at this place."""
    found = copy.deepcopy(content)
    *parents, last = [part for part in place if part is not None]
    inner = found
    for part in parents:
        inner = inner[part]
    if place[-1] is None:
        inner[text] = inner.pop(last)
    else:
        inner[last] = text
    return found


def accepted(content: Any) -> bool:
    try:
        check_classes(Study.from_mapping(content, "s.yaml"), "s.yaml")
    except RotastackError:
        return False
    return True


PLACES = list(texts(STUDY))
NAMES = [
    ("name",),
    ("datasets", 0, "name"),
    ("datasets", 0, "mirror"),
    ("datasets", 1),
    ("pools", "forest", None),
    ("methods", "RF", None),
    ("methods", "RF", "pool"),
    ("evaluation", "control"),
    ("evaluation", "groups", "all-of-them", None),
    ("sizes", "small", None),
    ("model", "refit"),
    ("pools", "other", "repeats", "own", None),
    ("datasets", 0, "sources", 0, "file", None),
]
"""Texts that files, options or attributes are named by."""


@pytest.fixture(scope="module")
def taken():
    """Hostile texts by the places that accept them."""
    assert accepted(STUDY)
    return {place: [t for t in HOSTILE if accepted(put(STUDY, place, t))] for place in PLACES}


def test_names_are_refused(taken):
    assert set(NAMES) <= set(PLACES)
    assert {place: taken[place] for place in NAMES if taken[place]} == {}


@pytest.mark.parametrize("text", ["a\0b", "\x1b[2J", "\ud800"], ids=["NUL", "escape", "half"])
def test_what_no_command_can_be_given_is_refused_wherever_it_stands(text):
    assert [place for place in PLACES if accepted(put(STUDY, place, text))] == []


def test_registered_names_are_refused_too(blank):
    path = blank.folder / "config/datasets.yaml"
    path.write_text(path.read_text().replace("iris:", '"x; touch pwned":', 1))
    with blank.here(), pytest.raises(RotastackError, match="must match"):
        registry()


@pytest.mark.slow
def test_what_is_taken_stays_one_word(taken, tmp_path):
    """The folder has a hostile name, and all allowed texts are hostile at once; the shell parses the commands."""
    place = tmp_path / "a b; touch pwned $(touch pwned) 'q' {x}"
    project = Project.copy(place / "project")
    content = STUDY
    free = [p for p in PLACES if taken[p] and "parameters" not in p and "sizes" not in p and p[-2:] != ("file", "path")]
    for k, free_place in enumerate(free):
        changed = put(content, free_place, taken[free_place][k % len(taken[free_place])])
        content = changed if accepted(changed) else content
    content = put(content, ("title",), "\n".join(HOSTILE))
    table = "x; touch pwned $(touch pwned) 'q' t{1} {dataset} 50% *é \"中.csv"
    content = put(content, ("datasets", 0, "sources", 0, "file", "path"), table)
    assert len(free) > 8, free
    assert accepted(content)
    (project.folder / table).write_text("one,two,y\n" + "1,2,a\n3,4,b\n" * 10)
    (project.folder / "config/studies/mean.yaml").write_text(yaml.safe_dump(content, allow_unicode=True))
    lines = {job.rule: job for job in reversed(project.jobs(study="config/studies/mean.yaml"))}
    assert len(lines) > 9
    show = 'rotastack() { printf "%s\\0" "$@"; cat >&2; }; cp() { printf "%s\\0" "$@"; }; '
    for rule, job in lines.items():
        (log,) = (project.folder / name for name in job.log)
        log.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["bash", "-c", show + job.shell], cwd=project.folder, capture_output=True, check=True)
        words = done.stdout.decode().split("\0")[:-1]
        told = [text for key in ("slice", "fetch", "prepare") if (text := job.params.get(key))]
        assert log.read_text().splitlines() == told, rule
        without = {"rotastack", "cp", "2>", "2>>", "&&", "<<<", *job.log, *told}
        assert words == [w for w in shlex.split(job.shell) if w not in without], rule
        assert not done.stderr
    assert not list(tmp_path.rglob("pwned"))
