"""Figures of members: kappa-error diagrams of pools, whose files hold votes, and the figures of a study that prunes."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.datasets import load_iris
from tests.run.running import draw, train, train_nested

from rotastack.base.documents import load_yaml
from rotastack.data.artifacts import read_frame, write_arrays
from rotastack.diagnostics.pairs import kappa_error
from rotastack.project import project_file
from rotastack.workflow.run.figures.datasets import draw_pairs, first_cell_votes
from rotastack.workflow.run.figures.members import FIGURES, draw_of_members, methods_in
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.study import Study

Y = load_iris().target


def plan_of(name, **changes):
    return Plan(Study.from_mapping({**load_yaml(project_file(f"config/studies/{name}.yaml")), **changes}, "s"), {})


def test_pools_that_hold_votes_are_those_with_views_or_whose_members_are_chosen():
    nested = plan_of("quickstart")
    assert nested.study.pools_with_votes == ["rotated_forest", "rotated_boosted"]
    assert "iris/kappa_error" in nested.figures
    assert nested.jobs["draw"].spec.silent == ["forest", "boosted", "rotastack"]
    pruned = plan_of("qmm")
    assert set(pruned.study.pools_with_votes) == {
        m.pool for m in pruned.study.methods.values() if m.combiner.kind == "prune"
    }
    one = {"rotation_groups": 1, "fold_groups": 1, "folds": 5, "rotations": 1}
    for plan in (plan_of("regression"), plan_of("quickstart", protocol=one)):
        assert not any(name.endswith("/kappa_error") for name in plan.figures)


def drawn(folder, pools, silent=()):
    """Return the figure of pools, name -> file."""
    files = {name: folder / file for name, file in pools.items()}
    return draw_pairs("d", folder / "table", folder / "folds", files, silent)


def note(figure):
    return figure.get_supxlabel().replace("\n", " ")


def test_members_of_a_split_are_drawn_as_their_votes_say(folder):
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
    kept = train(folder, "forest", {"n_estimators": 4}, name="kept", selections=("training",))
    write_arrays(folder / "failed.nc", kept.assign_attrs(status="failed", message="no"))
    figure = drawn(folder, {"kept": "p/kept.nc", "bad": "failed.nc"})
    assert [axis.get_title() for axis in figure.axes] == ["kept"]
    assert "failed: bad." in note(figure)
    kept["votes"].values[0, :, 2:] = -1
    assert first_cell_votes(kept, None)[0].shape[1] == 2


# Members that pruners keep

GRID = np.linspace(-1, 1, 5)
NAN = float("nan")


def method(label, status="ok", **variables):
    """A method's artifact: probabilities, and variables as dims and values."""
    arrays = xr.Dataset(
        {"proba": (("split", "row", "class"), np.zeros((2, 3, 2))), **variables},
        coords={"split": ["S-1", "S-2"], "class": ["a", "b"]},
        attrs={"status": status, "message": "", "method": label},
    )
    if "margin_cdf" in variables:
        arrays = arrays.assign_coords(margin=GRID)
    if {"curve", "margin_cdf"} & set(variables):
        arrays = arrays.assign_coords(part=["selection", "training", "test"])
    return arrays


def pruned(label, status="ok"):
    """Two splits, of which the second has three members only; parts that a variable has not are NaN."""
    cdf, curve = np.full((2, 3, 5), NAN), np.full((2, 3, 6), NAN)
    cdf[0, 1], cdf[1, 1] = [0, 0, 0.1, 0.3, 1], [0, 0, 0.3, 0.5, 1]
    cdf[0, 2], cdf[1, 2] = [0, 0.2, 0.2, 0.4, 1], [0, 0.2, 0.4, 0.6, 1]
    curve[:, 0] = 0.9
    curve[0, 2, :5], curve[1, 2, :3] = [0.5, 0.4, 0.3, 0.2, 0.1], [0.3, 0.2, 0.1]
    single = np.full((2, 6), NAN)
    single[0, :5], single[1, :3] = [0.9, 0.8, 0.7, 0.6, 0.5], [0.7, 0.6, 0.5]
    return method(
        label,
        status,
        members=("split", [3.0, 2.0]),
        voters=("split", [5.0, 3.0]),
        disagreement=("split", [0.1, 0.3]),
        member_accuracy=("split", [0.8, 0.6]),
        margin_cdf=(("split", "part", "margin"), cdf),
        curve=(("split", "part", "size"), curve),
        order_accuracy=(("split", "size"), single),
    )


def figures_of(tmp_path, methods, errors=None, shown=()):
    """Return the figures, by name."""
    paths, rows = [], []
    for k, arrays in enumerate(methods):
        paths.append(tmp_path / f"{k}.nc")
        write_arrays(paths[-1], arrays)
        label = arrays.attrs["method"]
        rows += [
            {"dataset": "D", "method": label, "split": s, "error": e}
            for s, e in (errors or {}).get(label, {"S-1": 0.1, "S-2": 0.3}).items()
        ]
    return {name: draw_of_members(name, methods_in(paths), pd.DataFrame(rows), "D", shown) for name in FIGURES}


def labelled(axis):
    return {line.get_label(): line for line in axis.lines if not line.get_label().startswith("_")}


def test_means_over_splits_are_drawn(tmp_path):
    seen = figures_of(tmp_path, [pruned("DRMF"), method("tree")])
    margins = seen["margin_distributions"]
    assert [axis.get_title() for axis in margins.axes] == ["training rows", "test rows"]
    for axis, expected in zip(margins.axes, ([0, 0, 0.2, 0.4, 1], [0, 0.2, 0.3, 0.5, 1]), strict=True):
        (line,) = labelled(axis).values()
        np.testing.assert_allclose(line.get_xdata(), GRID)
        np.testing.assert_allclose(line.get_ydata(), expected)
    left, right = seen["ordered_curves"].axes
    (line,) = labelled(left).values()
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3, 4, 5])  # nobody has a sixth
    np.testing.assert_allclose(line.get_ydata(), [0.4, 0.3, 0.2, 0.15, 0.1])  # the second stays at 0.1
    (kept,) = [line for line in left.lines if line.get_label().startswith("_")]
    np.testing.assert_allclose([*kept.get_xdata(), *kept.get_ydata()], [2.5, 0.25])
    np.testing.assert_allclose(right.lines[-1].get_ydata(), [0.8, 0.7, 0.6, 0.6, 0.5])
    (axis,) = seen["diversity"].axes
    np.testing.assert_allclose(axis.lines[0].get_xydata(), [[0.1, 0.8], [0.3, 0.6]])
    np.testing.assert_allclose(labelled(axis)["DRMF"].get_xydata(), [[0.2, 0.7]])
    left, right = seen["members"].axes
    assert [text.get_text() for text in left.texts] == ["2.5 of 4", "no members"]
    np.testing.assert_allclose(right.lines[0].get_xdata(), [0.2, 0.2])
    assert not any(figure.get_supxlabel() for figure in seen.values())


@pytest.mark.slow
def test_failed_methods_are_left_out_and_named_and_each_keeps_its_colour(tmp_path):
    methods = [pruned("A", "failed"), pruned("B"), pruned("C"), method("D", "failed")]
    seen = figures_of(tmp_path, methods, errors={"A": {"S-1": NAN}, "D": {"S-1": NAN}}, shown=["D", "C", "A"])
    for figure in seen.values():
        assert figure.get_supxlabel() == "Left out, because they failed: A, D."
    for name in ("ordered_curves", "diversity"):
        assert {n: line.get_color() for n, line in labelled(seen[name].axes[0]).items()} == {
            "C": "#009E73"
        }  # the third
    assert len(seen["members"].axes[0].get_yticklabels()) == 2, "all that have not failed"
