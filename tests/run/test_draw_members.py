"""Kappa-error diagrams of pools: whose files hold votes, and which votes these are."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests.run.running import draw, iris_table, split, train, train_nested

from rotastack.base.documents import load_yaml
from rotastack.data.artifacts import read_frame, write_arrays
from rotastack.diagnostics.pairs import kappa_error
from rotastack.project import project_file
from rotastack.workflow.run.figures.datasets import draw_pairs, first_cell_votes
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.study import Study

Y = load_iris().target


def plan_of(name, **changes):
    return Plan(Study.from_mapping({**load_yaml(project_file(f"config/studies/{name}.yaml")), **changes}, "s"), {})


def test_pools_that_hold_votes_are_those_with_views_or_whose_members_are_chosen():
    nested = plan_of("quickstart")
    assert nested.study.pools_with_votes == ["rotated_forest", "rotated_boosted"]
    assert "iris/kappa_error" in nested.figures
    assert nested.keys["draw"].spec.silent == ["forest", "boosted", "rotastack"]
    pruned = plan_of("qmm")
    assert set(pruned.study.pools_with_votes) == {
        m.pool for m in pruned.study.methods.values() if m.combiner.kind == "prune"
    }
    one = {"rotation_groups": 1, "fold_groups": 1, "folds": 5, "rotations": 1}
    for plan in (plan_of("regression"), plan_of("quickstart", protocol=one)):
        assert not any(name.endswith("/kappa_error") for name in plan.figures)


@pytest.fixture
def folder(tmp_path):
    iris_table(tmp_path)
    return tmp_path


def drawn(folder, pools, silent=()):
    """Return the figure of pools, name -> file."""
    files = {name: folder / file for name, file in pools.items()}
    return draw_pairs("d", folder / "table", folder / "folds", files, silent)


def note(figure):
    return figure.get_supxlabel().replace("\n", " ")


def test_members_of_a_split_are_drawn_as_their_votes_say(folder):
    split(folder)
    kept = train(folder, "forest", {"n_estimators": 5}, name="kept", selections=("training",))
    views = train(folder, "tree", view="rotation", name="views")
    rows = views["rows"].values[0]
    figure = drawn(folder, {"kept": "p/kept.nc", "rotated": "p/views.nc"}, ["plain"])
    expected = {
        "kept": kappa_error(kept["votes"].values[0][: len(rows)], Y[rows]),
        "rotated": kappa_error(views["proba"].values[0].argmax(axis=-1).T, Y[rows]),
    }
    assert [axis.get_title() for axis in figure.axes] == list(expected)
    for axis, cloud in zip(figure.axes, expected.values(), strict=True):
        np.testing.assert_array_equal(axis.lines[0].get_xydata(), np.column_stack(cloud))
    assert len(expected["kept"].kappa) == 10
    assert "no votes of members: plain." in note(figure)


def test_in_nested_cross_validation_a_vote_is_of_the_model_that_has_not_seen_the_row(folder):
    draw(folder, {"protocol": "nested", "fold_groups": 1, "folds": 3})
    pool, _ = train_nested(folder, "forest", {"n_estimators": 3}, view={"class": "RandomRotation"}, nested=False)
    folds = read_frame(folder / "folds")[0]
    votes, rows, cell = first_cell_votes(pool, folds)
    assert (cell, votes.shape) == ("RG-01, FG-01", (150, 3))
    assert rows.tolist() == list(range(150))
    for row in (0, 60, 149):
        own = pool["proba"].sel(other_fold=folds["FG-01"][row]).values[0, 0, :, row]
        assert votes[row].tolist() == own.argmax(axis=-1).tolist()


@pytest.mark.slow
def test_a_pool_that_failed_is_named_and_voters_that_others_lack_are_left_out(folder):
    split(folder)
    kept = train(folder, "forest", {"n_estimators": 4}, name="kept", selections=("training",))
    write_arrays(folder / "failed.nc", kept.assign_attrs(status="failed", message="no"))
    figure = drawn(folder, {"kept": "p/kept.nc", "bad": "failed.nc"})
    assert [axis.get_title() for axis in figure.axes] == ["kept"]
    assert "failed: bad." in note(figure)
    kept["votes"].values[0, :, 2:] = -1
    assert first_cell_votes(kept, None)[0].shape[1] == 2
