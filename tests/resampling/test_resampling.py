import numpy as np
import pandas as pd
import pytest

from rotastack.data.artifacts import read_prepared, write_frame
from rotastack.errors import RotastackError
from rotastack.resampling import fold_groups, nested_pairs, rotation_groups
from rotastack.seeds import child, root_sequence
from rotastack.views import RandomRotation
from rotastack.workflow.run.steps.groups import draw_rotations
from rotastack.workflow.study.specs import RotationsSpec


def test_folds_partition_and_stratify():
    y = np.repeat([0, 1, 2], [50, 30, 20])
    groups = fold_groups(y, 4, 5, random_state=1)
    assert groups.shape == (4, 100)
    for folds in groups:
        table = np.array([[np.sum((folds == f) & (y == c)) for c in range(3)] for f in range(5)])
        assert (table == [10, 6, 4]).all()
    assert not (groups[0] == groups[1]).all()


def test_more_groups_keep_the_earlier_ones():
    y = np.arange(40) % 2
    assert (fold_groups(y, 5, 4, 3)[:2] == fold_groups(y, 2, 4, 3)).all()
    assert (rotation_groups(4, 3, 6, 3)[:2, :4] == rotation_groups(4, 2, 4, 3)).all()


def test_small_class_is_spread_thin():
    assert len(set(fold_groups(np.array(["a"] * 20 + ["b"] * 2), 1, 5, 0)[0][20:])) == 2


def test_rotation_groups_start_with_the_identity():
    groups = rotation_groups(5, 3, 4, random_state=0)
    assert (groups[:, 0] == np.eye(5)).all()
    np.testing.assert_allclose(groups @ groups.swapaxes(2, 3), np.broadcast_to(np.eye(5), groups.shape), atol=1e-12)
    assert not np.allclose(groups[0, 1], groups[1, 1])
    assert not np.allclose(rotation_groups(5, 1, 1, 0, identity_first=False), np.eye(5))


@pytest.mark.parametrize("max_axes", [1000, 3])
def test_a_study_draws_the_rotations_of_the_public_function(tmp_path, max_axes):
    frame = pd.DataFrame(np.zeros((3, 6)), columns=[*"abcde", "target"])
    write_frame(tmp_path / "table", frame, {"task": "classification", "classes": ["x"]})
    view = {"class": "rotastack.views.rotation.RandomRotation", "parameters": {"flip": True, "max_axes": max_axes}}
    spec = RotationsSpec(seed=7, dataset="d", groups=["RG-01", "RG-02"], rotations=4, view=view)
    arrays = draw_rotations(spec, read_prepared(tmp_path / "table"))
    theirs = [
        RandomRotation.from_matrix(block, axes, 5).rotation_
        for block, axes in zip(arrays["block"].values, arrays["axes"].values, strict=True)
    ]
    ours = rotation_groups(5, 2, 4, child(root_sequence(7), "rotations", "d"), flip=True, max_axes=max_axes)
    np.testing.assert_array_equal(ours.reshape(8, 5, 5), theirs)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (fold_groups, {"y": [0, 1] * 10, "n_groups": 0, "n_folds": 5}, "n_groups must be at least 1"),
        (fold_groups, {"y": [0, 1] * 10, "n_groups": 1, "n_folds": 1}, "n_folds must be at least 2"),
        (fold_groups, {"y": [0, 1], "n_groups": 1, "n_folds": 5}, "2 rows cannot be split into 5 folds"),
        (fold_groups, {"y": range(6), "n_groups": 1, "n_folds": 3}, "largest class has 1 row,"),
        (rotation_groups, {"n_features": 0}, "n_features must be at least 1, got 0"),
        (rotation_groups, {"n_features": 3, "n_rotations": 0}, "n_rotations must be at least 1"),
        (rotation_groups, {"n_features": 3, "max_axes": 1}, "max_axes must be at least 2, got 1"),
        (nested_pairs, {"n_folds": 1}, "n_folds"),
    ],
)
def test_what_is_impossible(function, arguments, message):
    with pytest.raises(RotastackError, match=message):
        function(**arguments)


def test_pairs_are_all_there_once():
    pairs = nested_pairs(5)
    assert len(pairs) == len(set(pairs)) == 15
    assert sum(a == b for a, b in pairs) == 5
