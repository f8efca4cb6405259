"""Studies on random splits: what is printed and shipped is valid, and what does not fit is named."""

import re

import pandas as pd
import pytest
from tests.refusals import refusal
from tests.run.running import changed, checked, told

from rotastack.base.documents import load_yaml
from rotastack.project import project_file
from rotastack.workflow.study.study import Study, resized

OF_THESIS = ["rotation_scaling", "iris_sensitivity", "rotation_weights", "rotation_noise", "multi_rotation"]
OF_PRUNING = ["drmf", "drmf_noise", "qmm", "qmm_curves"]


# The study files


@pytest.mark.parametrize("name", OF_THESIS + OF_PRUNING + ["exrm", "exrm_members", "exrm_lambda"])
@pytest.mark.parametrize("size", ["full", "small"])
def test_studies_are_valid_at_both_sizes_and_have_the_methods_of_their_source(name, size):
    path = project_file(f"config/studies/{name}.yaml")
    study = Study.from_mapping(resized(load_yaml(path), size, str(path)), str(path))
    assert (study.name, study.prunes) == (name if size == "full" else f"{name}-small", name in OF_PRUNING)
    if study.document.published:
        cells = pd.read_csv(project_file(f"config/published/{study.document.published}.csv"))
        assert set(cells["method"]) - {"Nemenyi"} <= set(study.methods)
        if size == "full" and name not in OF_PRUNING:
            assert set(cells["dataset"]) - {"all"} <= set(study.datasets)


def test_sizes_merge():
    full = {
        "name": "s",
        "pools": {"a": {"parameters": {"n": 5, "k": 1}}, "b": {"parameters": {"k": 2}}, "c": {}},
        "datasets": ["x", "y"],
        "sizes": {
            "small": {
                "pools": {"*": {"parameters": {"n": 2}}, "b": {"parameters": {"m": 3}}, "c": None},
                "datasets": ["x"],
            }
        },
    }
    small = resized(full, "small", "s.yaml")
    assert small["name"] == "s-small"
    assert small["pools"] == {"a": {"parameters": {"n": 2, "k": 1}}, "b": {"parameters": {"k": 2, "m": 3}}}
    assert small["datasets"] == ["x"]
    assert "sizes" not in resized(full, "full", "s.yaml")
    assert "size 'smal' is unknown; did you mean 'small'" in refusal(resized, full, "smal", "s.yaml")


BASE = {
    "name": "s",
    "datasets": ["iris"],
    "protocol": {"kind": "holdout"},
    "pools": {
        "a": {"estimator": "forest"},
        "w": {"estimator": "regularized_rotation_forest", "parameters": {"weightings": ["equal", "cut"]}},
    },
    "methods": {
        "A": {"pool": "a", "combiner": {"kind": "vote"}},
        "W": {"pool": "w", "combiner": {"kind": "member", "member": "cut"}},
    },
}


SWEEP = {"title": "T", "axis": "x", "values": [1, 2], "lines": {"a": ["A", "W"], "level": ["A"]}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"protocol": {"kind": "holdout", "folds": 5}},
            "protocol: unknown key 'folds'.*allowed: rotations, groups, time, copies_together, kind, repeats, train, test",
        ),
        (
            {"protocol": {"kind": "holdout", "train": 150}},
            "protocol.train: iris has 150 rows; 150 training rows leave no test rows",
        ),
        (
            {"protocol": {"kind": "holdout", "train": 1.5}},
            "protocol.train: 1.5 is neither a share below 1 nor a whole number",
        ),
        (
            {"methods.W.combiner": {"kind": "member", "member": "exp"}},
            "'exp' is not a member of the pool; members: equal, cut",
        ),
        ({"methods.A.combiner": {"kind": "member", "member": "x"}}, "none with a name"),
        ({"methods.A.combiner": {"kind": "stacking"}}, "stacking needs nested cross-validation"),
        ({"methods.A.combiner": {"kind": "weights"}}, "weights need a pool with rotations"),
        (
            {"pools.a.view": "rotation", "pools.a.diversity": True},
            "pools.a: diversity needs a single ensemble; a pool with a view has several",
        ),
        ({"pools.w.view": "rotation"}, "'cut' is not a member of the pool; members: none with a name"),
        (
            {"blocks": {"fold_groups": 3}},
            "blocks: 'fold_groups' is not allowed for protocol.kind holdout; allowed: 'splits'",
        ),
        ({"pools.a.repeats": {"wine": 3}}, "'wine' is not a data set of this study"),
        ({"evaluation": {"pairs": [["A", "B"]]}}, "evaluation.pairs: 'B' is not a method"),
        ({"datasets": [{"name": "n", "like": "irs"}]}, "n.like: 'irs' is unknown; did you mean 'iris'"),
        (
            {"evaluation": {"sweeps": [{**SWEEP, "lines": {"a": ["A", "B"]}}]}},
            "evaluation.sweeps.0.lines.a: 'B' is not a method",
        ),
        ({"evaluation": {"sweeps": [{**SWEEP, "lines": {"a": ["A", "A", "A"]}}]}}, "lines.a: 3 methods for 2 values"),
        ({"evaluation": {"sweeps": [{**SWEEP, "values": [2, 1]}]}}, "sweeps.0: values \\[2.0, 1.0\\] must increase"),
        ({"evaluation": {"sweeps": [{**SWEEP, "values": [0, 1], "log": True}]}}, "must increase from more than 0"),
        ({"protocol": {"folds": 3}}, "member needs splits"),
        ({"pools.w.parameters": {"weightings": ["heavy", "cut"]}}, "weighting must be one of .*, got 'heavy'"),
    ],
)
def test_what_does_not_fit_is_named(changes, message):
    assert re.search(message, refusal(checked, changed(BASE, **changes)))


@pytest.mark.parametrize(
    ("combiner", "estimator", "message"),
    [
        (
            {"weighting": "cut", "h": 9},
            "forest",
            "methods.B.combiner: h of weighting 'cut' must be a whole number from 1 to 3, got 9",
        ),
        ({"weighting": "exp", "h": 0.05}, "forest", "h of weighting 'exp' must be from 0.1 to 3, got 0.05"),
        ({"weighting": "linear", "h": 2}, "forest", "weighting 'linear' has no parameter h, got 2"),
        (
            {"weighting": "linear"},
            "logistic",
            "weights need an estimator with an out-of-bag error, such as forest; Pipeline has none",
        ),
    ],
)
def test_weights_in_nested_studies_are_checked(combiner, estimator, message):
    content = {
        "name": "s",
        "datasets": ["iris"],
        "protocol": {"rotations": 3},
        "pools": {"a": {"view": "rotation", "estimator": estimator}},
        "methods": {
            "A": {"pool": "a", "combiner": {"kind": "vote"}},
            "B": {"pool": "a", "combiner": {"kind": "weights", **combiner}},
        },
    }
    assert re.search(message, refusal(checked, content))
    content["pools"]["a"]["training_error"] = True
    assert "pools.a: training_error is for splits only" in refusal(checked, content)


def test_data_sets_like_others_share_their_entry():
    study = Study.from_mapping(changed(BASE, datasets=[{"name": "n", "like": "glass", "noise_columns": 4}]), "s.yaml")
    assert study.datasets["n"]["rows"] == 214
    assert (told(study, "prepare", "n").noise_columns, told(study, "prepare", "n").smallest_class) == (4, 0)


def test_small_classes_are_left_out_where_a_study_says_so():
    entry = {"name": "n", "like": "glass", "smallest_class": 20}
    study = Study.from_mapping(changed(BASE, datasets=[entry]), "s.yaml")
    assert told(study, "prepare", "n").smallest_class == 20
    entry = {"name": "n", "mirror": "m", "smallest_class": 20}
    assert "datasets: n.smallest_class is for classification" in refusal(
        Study.from_mapping, changed(BASE, task="regression", datasets=[entry]), "s.yaml"
    )
