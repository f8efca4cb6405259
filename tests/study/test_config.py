"""Mistakes in YAML files are named: file, key, what is allowed."""

import pytest
import yaml
from rotastack.schema import load_yaml, schema, with_defaults
from rotastack.study.config import Study, slug

from rotastack.errors import RotastackError
from rotastack.project import project_file


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
    assert Study.from_mapping(load_yaml(path), str(path)).name == name


def test_the_default_study_is_as_promised():
    content = load_yaml(project_file("config/studies/quickstart.yaml"))
    plan = Study.from_mapping(content, "q")
    assert {"iris", "wine", "wdbc", "waveform-21-simulated", "balance-scale", "ringnorm"} <= set(
        plan.datasets
    )
    assert plan.content["protocol"] | {"flip": False, "max_axes": 1000} == {
        "kind": "nested",
        "rotation_groups": 3, "fold_groups": 3, "folds": 5, "rotations": 8, "flip": False, "max_axes": 1000,
    }  # fmt: skip
    assert list(plan.methods) == ["RF", "RRE", "S-RRE/RF", "S-RRE/XGB", "XGB", "Rotastack"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sed": 1}, "s.yaml: top level: unknown key 'sed'; did you mean 'seed'"),
        ({"protocol__folds": 2}, "s.yaml: protocol.folds: must be at least 3, found 2"),
        ({"protocol__folds": "five"}, "protocol.folds: must be integer, found 'five'"),
        ({"protocol__fold": 5}, "protocol: unknown key 'fold'; did you mean 'folds'"),
        ({"datasets": ["irsi"]}, "datasets: 'irsi' is unknown; did you mean 'iris'"),
        ({"datasets": ["iris", "iris"]}, "'iris' stands twice"),
        ({"datasets": []}, "datasets: must not be empty"),
        ({"methods__RF__pool": "forrest"}, "pool 'forrest' is unknown; did you mean 'forest'"),
        ({"methods__RF__combiner": {"kind": "voting"}}, "methods.RF.combiner"),
        ({"methods__RF__combiner": {"kind": "vote", "voting": "loud"}}, "loud"),
        (
            {"methods__RF__combiner": {"kind": "vote", "learner": {"kind": "forest"}}},
            "'learner' does not go with kind 'vote'",
        ),
        (
            {"pools__forest__learner": {"kind": "forst"}},
            "pools.forest.learner: learner 'forst' is unknown; did you mean 'forest'",
        ),
        ({"pools__forest__learner": {"kind": "forest", "n_trees": -1}}, "n_trees: -1 is not allowed"),
        (
            {"pools__forest__scaling": "log"},
            "pools.forest.scaling: 'log' is not one of minmax, quantile, rank",
        ),
        ({"evaluation__control": "rf"}, "evaluation.control: 'rf' is not a method; did you mean 'RF'"),
        ({"model__refit": "S-RRE"}, "model.refit: 'S-RRE' is not a method; did you mean 'S-RRE/RF'"),
        (
            {"evaluation__groups": {"G": {"methods": {"a": "RF", "b": "S-RRE"}}}},
            "s.yaml: evaluation.groups.G.methods.b: 'S-RRE' is not a method; did you mean 'S-RRE/RF'",
        ),
        (
            {"evaluation__groups": {"G": {"methods": {"a": "RF"}}}},
            "evaluation.groups.G.methods: must have at least 2 entries, found {'a': 'RF'}",
        ),
        (
            {"evaluation__groups": {"G": {"methods": {"a": "RF", "b": "RF"}}}},
            "evaluation.groups.G.methods.a: 'RF' stands twice in the group",
        ),
        (
            {"evaluation__groups": {"all": {"methods": {"a": "RF", "b": "RRE"}}}},
            "evaluation.groups: must match",
        ),
        ({"evaluation__groups": {"G": {"method": {}}}}, "unknown key 'method'; did you mean 'methods'"),
        ({"evaluation__alpha": 0.7}, "evaluation.alpha: must be less than 0.5"),
        ({"name": "My Study"}, "name: must match"),
        ({"seed": -1}, "seed: must be at least 0"),
    ],
)
def test_mistakes_are_named(changes, message):
    with pytest.raises(RotastackError) as caught:
        Study.from_mapping(study(**changes), "s.yaml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_labels_that_share_a_file_name_are_refused():
    methods = study()["methods"]
    with pytest.raises(RotastackError, match="differ in punctuation only"):
        Study.from_mapping(study(methods={"A/B": methods["RF"], "A_B": methods["RF"]}), "s.yaml")


def test_yaml_mistakes(tmp_path):
    (tmp_path / "a.yaml").write_text("a: 1\na: 2\n")
    with pytest.raises(RotastackError, match="key 'a' stands twice"):
        load_yaml(tmp_path / "a.yaml")
    (tmp_path / "b.yaml").write_text("a: [1\n")
    with pytest.raises(RotastackError, match=r"b.yaml: not valid YAML.*line"):
        load_yaml(tmp_path / "b.yaml")
    with pytest.raises(RotastackError, match="there is no such file"):
        load_yaml(tmp_path / "c.yaml")


def test_every_key_of_the_schemas_is_described_or_plain():
    """Whoever reads the schema learns what a key means: every default comes with a description."""

    def walk(node, path):
        for name, child in node.get("properties", {}).items():
            if "default" in child and child.get("type") != "object" and name not in ("kind", "voting"):
                assert child.get("description"), f"{path}.{name}"
            walk(child, f"{path}.{name}")
        if isinstance(node.get("additionalProperties"), dict):
            walk(node["additionalProperties"], f"{path}.*")

    for name in ("study", "config"):
        assert schema(name)["additionalProperties"] is False
        walk(schema(name), name)


def test_defaults_are_filled_in_without_touching_the_input():
    given = {"name": "x", "pools": {"p": {"learner": {"kind": "forest"}}}}
    before = yaml.safe_dump(given)
    filled = with_defaults(given, schema("study"))
    assert filled["protocol"]["folds"] == 5
    assert filled["pools"]["p"]["view"] == "identity"
    assert yaml.safe_dump(given) == before


def test_slices_hold_what_the_step_uses_and_no_more():
    base = Study.from_mapping(study(), "s.yaml")
    other = Study.from_mapping(
        study(**{"methods__RRE__combiner": {"kind": "vote", "voting": "soft"}, "evaluation__alpha": 0.1}), "s"
    )
    block = (next(iter(base.blocks("rotation"))), next(iter(base.blocks("fold"))))
    assert base.train_spec("iris", "forest", *block) == other.train_spec("iris", "forest", *block)
    assert base.combine_spec("iris", "RF") == other.combine_spec("iris", "RF")
    assert base.combine_spec("iris", "RRE") != other.combine_spec("iris", "RRE")
    assert not {"threads", "path", "uri"} & set(str(base.train_spec("iris", "forest", *block)))


def test_blocks_cover_all_groups_once():
    plan = Study.from_mapping(study(protocol__fold_groups=7, blocks__fold_groups=3), "s")
    assert plan.blocks("fold") == {"FG-01-03": [0, 1, 2], "FG-04-06": [3, 4, 5], "FG-07": [6]}
    assert plan.groups("rotation") == ["RG-01", "RG-02"]


def test_only_pools_with_a_trained_combiner_are_nested():
    plan = Study.from_mapping(study(), "s")
    assert [plan.is_nested(p) for p in ("forest", "rotated_forest", "rotated_boosted")] == [False, True, True]


def test_slug():
    assert slug("S-RRE/RF") == "S-RRE_RF"
