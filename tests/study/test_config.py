"""Mistakes in YAML files are named: file, key, what is allowed."""

import json
import re

import pytest
from snakemake.common.configfile import load_configfile
from tests.refusals import refusal
from tests.run.running import checked

from rotastack.base.documents import load_yaml
from rotastack.project import project_file
from rotastack.workflow.run.launch import Machine
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.classes import check_classes
from rotastack.workflow.study.model import StudyDocument
from rotastack.workflow.study.published_tables import scores_of
from rotastack.workflow.study.study import Study


def study(**changes):
    content = load_yaml(project_file("config/studies/tiny.yaml"))
    for path, value in changes.items():
        *parents, last = path.split("__")
        node = content
        for name in parents:
            node = node.setdefault(name, {})
        node[last] = value
    return content


@pytest.mark.parametrize("name", sorted(p.stem for p in project_file("config/studies").glob("*.yaml")))
def test_shipped_studies_are_sound(name):
    path = project_file(f"config/studies/{name}.yaml")
    made = Study.from_mapping(load_yaml(path), str(path))
    check_classes(made, str(path))
    assert made.name == name
    assert path.read_text().splitlines()[0] == "# yaml-language-server: $schema=../study.schema.json"


def claim(what):
    return {"what": what, "of": "RRE", "than": "RF", "expect": "lower"}


METHOD = {"pool": "forest", "combiner": {"kind": "vote"}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sed": 1}, "s.yaml: top level: unknown key 'sed'; did you mean 'seed'"),
        ({"protocol__folds": 2}, "s.yaml: protocol.folds: must be greater than or equal to 3, found 2"),
        ({"datasets": ["irsi"]}, "datasets: 'irsi' is unknown; did you mean 'iris'"),
        ({"datasets": ["iris", "iris"]}, "'iris' occurs twice"),
        ({"datasets": []}, "datasets: must have at least 1 item"),
        ({"methods__RF__pool": "forrest"}, "pool 'forrest' is unknown; did you mean 'forest'"),
        ({"methods__RF__combiner": {"kind": "vote", "voting": "loud"}}, "loud"),
        ({"pools__forest__estimator": "forst"}, "pools.forest.estimator: 'forst' is unknown; did you mean 'forest'"),
        ({"evaluation__control": "rf"}, "evaluation.control: 'rf' is not a method; did you mean 'RF'"),
        ({"model__refit": "S-RRE"}, "model.refit: 'S-RRE' is not a method; did you mean 'S-RRE/RF'"),
        (
            {"evaluation__groups": {"G": {"methods": {"a": "RF"}}}},
            "evaluation.groups.G.methods: must have at least 2 items after validation, not 1, found {'a': 'RF'}",
        ),
        (
            {"evaluation__groups": {"G": {"methods": {"a": "RF", "b": "RF"}}}},
            "evaluation.groups.G.methods: 'RF' occurs twice in the group",
        ),
        (
            {"evaluation__groups": {"all": {"methods": {"a": "RF", "b": "RRE"}}}},
            'evaluation.groups: the name "all" is reserved for all groups together',
        ),
        (
            {"evaluation__claims": [claim("errors")]},
            "evaluation.claims.what: 'errors' is unknown; did you mean 'error'",
        ),
        ({"evaluation__claims": [claim("members")]}, "evaluation.claims.what: 'members' is unknown"),  # of splits alone
        ({"name": "My Study"}, "name: must match"),
        ({"name": "a" * 101}, f"s.yaml: name: '{'a' * 101}' has 101 letters; at most 100 are allowed"),
        ({"methods": {"x" * 240: METHOD, "RF": METHOD}}, f"methods: '{'x' * 240}' has 240 letters; at most 100"),
        ({"methods": {"a/" * 20: METHOD, "RF": METHOD}}, f"methods: '{'a/' * 20}' ends in 'a_', 20 times or more"),
        ({"pools": {f"p{'0' * 20}": {"estimator": "forest"}}}, f"pools: 'p{'0' * 20}' ends in '0', 20 times or more"),
        ({"datasets": [{"name": "12" * 30, "like": "iris"}]}, f"datasets: '{'12' * 30}' ends in '12', 20 times"),
        ({"seed": -1}, "seed: must be greater than or equal to 0"),
        ({"protocol__folds": "5"}, "protocol.folds: must be a valid integer, found '5'"),  # nothing is converted
        ({"seed": True}, "seed: must be a valid integer, found True"),
        ({"methods": {"A/B": METHOD, "A_B": METHOD}}, "differ in punctuation only"),
    ],
)
def test_mistakes_are_named(changes, message):
    assert message in refusal(checked, study(**changes))


@pytest.mark.parametrize(
    ("text", "said"),
    [("a: 1\na: 2\n", "key 'a' occurs twice"), ("a: [1\n", r"b.yaml: not valid YAML.*line"), (None, "file not found")],
)
def test_yaml_mistakes(tmp_path, text, said):
    if text is not None:
        (tmp_path / "b.yaml").write_text(text)
    assert re.search(said, refusal(load_yaml, tmp_path / "b.yaml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: 010", "line 3: 010 is read as 8; write '010' for the text, or 8"),
        ("seed: -0_17", "line 3: -0_17 is read as -15; "),
        ("limits: [2, 1:10]", "line 3: 1:10 is read as 70; write '1:10' for the text, or 70"),
        ("limit: 1:30.5", "line 3: 1:30.5 is read as 90.5; "),
        ("explain: yes", "line 3: yes is read as true; write 'yes' for the text, or true"),
        ("NO: 1", "line 3: NO is read as false; "),
        ("on: 1", "line 3: on is read as true; "),
    ],
)
def test_a_value_that_reads_otherwise_than_it_looks_is_refused(tmp_path, text, said):
    (tmp_path / "a.yaml").write_text(f"# a study\nname: a\n{text}\n")
    assert said in refusal(load_yaml, tmp_path / "a.yaml")
    assert load_yaml(tmp_path / "a.yaml", exactly=False)["name"] == "a"


def test_other_values_are_read_as_they_look(tmp_path):
    text = "['010', \"1:10\", 'yes', 007, 0, 10, -3, 1_000, 0x1F, .5, 0.10, 1.0e-3, true, False, 08, a:1, 2:b, y, none]"
    (tmp_path / "a.yaml").write_text(f"a: {text}\n")
    numbers = [7, 0, 10, -3, 1000, 31, 0.5, 0.1, 0.001, True, False]
    texts = ["08", "a:1", "2:b", "y", "none"]
    assert load_yaml(tmp_path / "a.yaml") == {"a": ["010", "1:10", "yes", *numbers, *texts]}


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-16", "the text is UTF-16; save"), ("latin-1", "the text is not UTF-8 in line 2, perhaps latin-1; save")],
)
def test_a_file_in_another_encoding_is_named_with_it(tmp_path, encoding, said):
    path, text = tmp_path / "a.yaml", "name: a\ntitle: Größe\n"
    path.write_text(text, encoding="utf-8-sig")
    assert load_yaml(path)["title"] == "Größe"
    path.write_text(text, encoding=encoding)
    for read in (lambda: load_yaml(path), lambda: scores_of(path, "error")):
        assert refusal(read).startswith(f"{path}: {said} the file as UTF-8")


@pytest.mark.parametrize("model", [StudyDocument, Machine])
def test_every_field_is_described(model):
    """Whoever reads the schema learns what a key means, and what is assumed without it."""
    schema = model.model_json_schema()
    parts = [part["properties"] for part in (schema, *schema.get("$defs", {}).values()) if "properties" in part]
    assert not [name for part in parts for name, field in part.items() if name != "kind" and "description" not in field]


def test_the_schema_of_editors_is_the_model_s():
    written = json.loads(project_file("config/study.schema.json").read_text())
    assert written == StudyDocument.model_json_schema(), "run: python tools/study_schema.py"


def planned(**changes):
    return Plan(Study.from_mapping(study(**changes), "s.yaml"), {})


def test_slices_hold_what_the_step_uses_and_no_more():
    changed = {"methods__RRE__combiner": {"kind": "vote", "voting": "soft"}, "evaluation__alpha": 0.1}
    base, other = planned(), planned(**changed)
    train = ("train", "iris", "forest", next(iter(base.study.blocks)))
    for key, is_same in ((train, True), (("combine", "iris", "RF"), True), (("combine", "iris", "RRE"), False)):
        assert (base.jobs[key].spec == other.jobs[key].spec) == is_same


def test_blocks_cover_all_groups_once():
    plan = Study.from_mapping(study(protocol__fold_groups=7, blocks__fold_groups=3), "s")
    assert {name: block["fold_groups"] for name, block in plan.blocks.items()} == {
        "RG-01-02/FG-01-03": [0, 1, 2],
        "RG-01-02/FG-04-06": [3, 4, 5],
        "RG-01-02/FG-07": [6],
    }


def test_a_small_study_has_few_blocks_and_only_its_size_and_protocol_set_them():
    pools = {"RF": "forest", "RRE": "rotated_forest"}
    votes = {"methods": {m: {"pool": p, "combiner": {"kind": "vote"}} for m, p in pools.items()}}

    def blocks(rows, pools=votes, others=(), **protocol):
        own = {"name": "own", "sources": [{"file": "own.csv"}], "roughly": {"rows": rows, "columns": 30}}
        content = study(protocol=protocol, datasets=[own, *others], **pools)
        del content["blocks"]
        return list(Study.from_mapping(content, "s").blocks_of["own"])

    holdout = {"kind": "holdout", "repeats": 25}
    nested = {"pools": {}, "kind": "nested", "rotation_groups": 2, "fold_groups": 3}
    small = ["S-01-10", "S-11-20", "S-21-25"]
    assert (blocks(500, **holdout), blocks(500, **nested)) == (small, ["RG-01/FG-01-03", "RG-02/FG-01-03"])
    large = (holdout, nested, {"kind": "holdout", "repeats": 100_000})
    assert [len(blocks(1_000_000, **protocol)) for protocol in large] == [25, 6, 500]
    larger = {"pools__forest__parameters": {"n_estimators": 10_000}, **votes}
    huge = {"name": "huge", "sources": [{"file": "h.csv"}], "rows": 2_000_000, "columns": 500}
    assert blocks(500, larger, [huge], **holdout) == small


def test_methods_groups_and_sweeps_keep_their_order_and_parameters_have_none():
    methods, lines = dict(reversed(study()["methods"].items())), {"z": ["RF"], "a": ["RRE"]}
    sweeps = [{"title": "t", "axis": "x", "values": [1, 2], "lines": lines}]
    jobs = planned(methods=methods, evaluation={"sweeps": sweeps}).jobs
    assert json.loads(jobs["summarize"].slice)["methods"] == list(methods)
    assert list(json.loads(jobs["draw"].slice)["sweeps"]["sweep-1"]["lines"]) == ["z", "a"]
    given = {"n_estimators": 6, "max_depth": 2}
    one, two = (planned(pools__forest__parameters=p) for p in (given, dict(reversed(given.items()))))
    for key in (("train", "iris", "forest", next(iter(one.study.blocks))), "report"):
        assert one.jobs[key].spec == two.jobs[key].spec


@pytest.mark.parametrize(
    "text", ['{"a": 1e-05, "b": [1E5, "010", true, null]}', "{a: 1e-05, b: 1.0e-05}", '{"a": 1e-05,}']
)
def test_a_study_in_json_is_read_as_snakemake_reads_it(tmp_path, text):
    """Else the command would have other keys than the rules."""
    (tmp_path / "s.yaml").write_text(text)
    assert load_yaml(tmp_path / "s.yaml") == load_configfile(tmp_path / "s.yaml")
