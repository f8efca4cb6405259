"""What the last sentences of scripts of the gallery claim, as checks of the names and figures that a script leaves."""

import numpy as np


def mixed_table(ran):
    assert ran.X.isna().any(axis=0).tolist() == [True, True, True, True, False]
    assert ran.error < ran.forest.oob_family_errors_.min()
    weights = dict(zip(ran.forest.families_, ran.forest.family_weights_, strict=True))
    assert weights["boosted"] == weights["boosted_large"] == 0
    assert abs(ran.error - ran.error_new) < 0.02


def when_rotations_help(ran):
    oblique, along = (
        {name: np.array(line) for name, line in ran.errors[k].items()} for k in ("oblique", "along the columns")
    )
    assert oblique["forest on rotations"][0] < oblique["forest"][0] / 2
    gain = oblique["forest"] - oblique["forest on rotations"]
    assert gain.argmax() == 0
    assert gain[-1] <= 0
    assert gain[1:3].max() < 0.6 * gain[0]
    assert (along["forest on rotations"] > along["forest"]).all()
    for lines in (oblique, along):
        better = np.minimum(lines["forest"], lines["forest on rotations"])
        assert (lines["RotastackClassifier"] < better + 0.02).all()
        assert (lines["RotastackClassifier"][1:] < 0.85 * better[1:]).all()


def how_many_trees(ran):
    error, changed = ran.errors.mean(axis=0), ran.changed.mean(axis=0)
    hundred = list(ran.SIZES).index(101)
    assert 0 <= error[hundred] - error[-1] <= 0.001
    assert 0.005 < changed[hundred] < 0.02
    assert (np.diff(changed) < 0).all()


def importances(ran):
    noise = {name: values[3:].sum() for name, values in ran.decrease.items()}
    assert noise["forest"] < 0.5 < noise["forest on rotations"]
    for values in ran.shuffled.values():
        assert abs(values[3:].sum()) < 0.1 * values.sum()
        assert values[:3].min() > values[3:].max()


def calibration(ran):
    for figures in (ran.losses, ran.distances):
        assert figures["RotastackClassifier"] < figures["stacking"] < figures["vote"]
    assert ran.distances["RotastackClassifier"] < 0.04


def class_weights(ran):
    recall, precision = np.transpose(list(ran.found.values()))
    assert (np.diff(recall) > 0).all()
    assert (np.diff(precision) < 0).all()
    curve = np.interp(recall, ran.recall[::-1], ran.precision[::-1])
    assert abs(precision - curve).max() < 0.03


def prediction_intervals(ran):
    above = np.array(ran.kept) - ran.COVERAGES
    assert abs(above).max() < 0.03
    held = dict(zip(ran.bins, ran.held, strict=True))
    assert max(held[4], held[12]) < 0.9 < min(held[0], held[18])
    low, high = ran.band.T
    assert (high - low)[90] > 3 * (high - low)[10]


def pruned_to_a_tenth(ran):
    sides, digits = ran.means["balance-scale"], ran.means["digits"]
    assert sides["orientation"] <= sides["all 200"] < sides["first 20"]
    assert all(1.7 * digits["all 200"] < value for name, value in digits.items() if name != "all 200")


def stacking_step_by_step(ran):
    assert ran.vote < ran.alone.min()
    mean = {name: np.mean(values) for name, values in ran.errors.items()}
    assert mean["rotations, vote"] < 0.7 * mean["columns, vote"]
    assert mean["columns, stacked"] < mean["columns, vote"] - 2
    assert abs(mean["rotations, stacked"] - mean["rotations, vote"]) < 1


def comparing_methods(ran):
    ranks, critical = ran.comparison.average_ranks, ran.comparison.critical_difference()
    better = ranks.drop(["one tree"])
    assert ranks["one tree"] - better.min() > critical
    assert np.ptp(better) < critical
    left, equal, right = ran.probabilities
    assert right > 3 * equal > 3 * left
    assert len(ran.errors) == 12


def boosting_on_views(ran):
    oblique, along = ran.errors["oblique"], ran.errors["along the columns"]
    plain, *views = (name for name in ran.METHODS if "forests" not in name)
    for view in views:
        assert oblique[view] < oblique[plain] / 1.5
        assert along[view] > 2 * along[plain]
    ours = "on the columns, beside forests"
    assert min(along, key=along.get) == ours
    assert oblique[ours] - min(oblique.values()) < 2.6


def projections(ran):
    for p, forest in ran.forests.items():
        normal = np.r_[1, -1, np.zeros(p - 2)] / np.sqrt(2)
        order = np.argsort(forest.complexity_, kind="stable")
        simplest, most_complex = (abs(normal @ forest.rotations_[k]).max() for k in (order[0], order[-1]))
        assert simplest > 0.95
        assert most_complex < 0.9


def own_view(ran):
    assert ran.errors["distances"] < ran.errors["rotations"] < ran.errors["columns"]


def own_pruner(ran):
    ours, orientation, grown = (ran.means[k] for k in ("accuracy (ours)", "orientation", "as they were grown"))
    assert abs(ours[19] - orientation[19]) < 0.7
    assert max(ours[19], orientation[19]) < ours[-1] + 0.3
    assert max(ours[19], orientation[19]) < grown[19] - 0.7


def boundaries(ran):
    wrong = {}
    for axis in ran.figures[0].axes:
        regions, optimal, rows = axis.collections
        np.testing.assert_array_equal(rows.get_offsets(), ran.X)
        for path in optimal.get_paths():  # straight between the points of the grid
            np.testing.assert_allclose(ran.posterior(path.vertices), 0.5, atol=0.05)
        corners = np.asarray(regions.get_coordinates())
        centres = (corners[:-1, :-1] + corners[1:, 1:]) / 2
        decided = np.asarray(regions.get_array()).reshape(centres.shape[:2])
        sure = abs(ran.posterior(centres) - 0.5) > 0.05
        near = (ran.X.min(axis=0) < centres).all(axis=-1) & (centres < ran.X.max(axis=0)).all(axis=-1)
        wrong[axis.get_title()] = ((decided == 1) != (ran.posterior(centres) > 0.5))[sure & near].mean()
    assert min(wrong, key=wrong.get) == "RR-RF, 2000 trees"
    X, y, posterior = ran.gaussian_mixture(200_000, np.random.default_rng(4))
    p = posterior(X)
    for k in range(10):
        inside = (p > k / 10) & (p < (k + 1) / 10)
        np.testing.assert_allclose(y[inside].mean(), p[inside].mean(), atol=4 * 0.5 / np.sqrt(inside.sum()))


def spheres(ran):
    uniform, naive = ran.distances.values()
    assert np.ptp(uniform) < 0.3 * np.ptp(naive)
    height = abs(ran.points["naive: two uniform angles"][:, 2])
    assert naive[height > 0.97].max() < naive[height < 0.3].min()


def weights(ran):
    (axis,) = ran.figures[0].axes
    for line, h in zip(axis.lines, [5, 10, 20] * 2, strict=True):
        drawn = line.get_ydata()
        np.testing.assert_allclose(drawn.sum(), 1)
        if line.get_label() == f"cut, h = {h}":
            np.testing.assert_allclose(drawn, (np.arange(100) < h) / h)
        else:
            assert line.get_label() == f"exp, h = {h}"
            np.testing.assert_allclose(drawn[h:], drawn[:-h] / 2)


def rotated(ran):
    for figure in ran.figures:
        numbers = [float(axis.texts[0].get_text()) for axis in figure.axes]
        assert numbers == sorted(numbers)
        assert numbers[19] < numbers[20]
    drawn = [np.asarray(axis.collections[-1].get_offsets()) for axis in ran.figures[0].axes]
    assert len({rows.tobytes() for rows in drawn}) == 40  # no rotation is drawn twice
    X, _ = ran.triangle_problem("a", 400, np.random.default_rng(0))
    # How far the normal of the oblique boundary is along an axis: from 0.71, oblique, to 1.
    turned = [np.array([1, -1]) @ np.linalg.lstsq(X, rows, rcond=None)[0] for rows in drawn]
    aligned = np.abs(turned).max(axis=1) / np.sqrt(2)
    assert min(aligned[:10]) > 0.97
    assert max(aligned[-10:]) < 0.9


def noisy_square(ran):
    X, y = ran.noisy_square(1000, 20, np.random.default_rng(0))
    assert ((X.sum(axis=1) < 1) & (y == 1)).sum() == 20
    assert not ((X.sum(axis=1) > 1) & (y == 0)).any()
    titles = [axis.get_title() for axis in ran.figures[0].axes]
    kept = [int(title.split(", ")[1].split()[0]) for title in titles]
    errors = [float(title.split()[-1]) for title in titles]
    assert kept[0] == kept[2] == 500
    assert max(kept[1], kept[3]) < 250
    assert max(errors) < 0.05
    assert abs(np.diff(errors)[[0, 2]]).max() < 0.015


def exrm_convergence(ran):
    for power, axis in enumerate(ran.figures[0].axes, 1):
        drawn = {line.get_label(): np.asarray(line.get_ydata()) for line in axis.lines}
        assert (drawn.pop("exact optimum") == 0).all()
        for path in drawn.values():
            assert path[0] == 1
            assert path.min() > -1e-6
            assert path[-1] < {1: 0.05, 2: 0.001}[power]


def exrm_table_2(ran):
    here, printed = ran.figures[0].axes[0].lines
    assert set(ran.machines) == set(ran.PRINTED)
    assert list(printed.get_xdata()) == list(ran.PRINTED.values())
    assert list(here.get_xdata()) == [ran.seconds[label] for label in ran.PRINTED]


def questions(ran):
    impurity, held_out, out_of_bag, by_class = ran.figures[0].axes
    shade = list(ran.X.columns).index("shade")
    for axis in (held_out, out_of_bag):
        widths = np.array([bar.get_width() for bar in axis.patches])
        assert widths.argmin() == shade
        assert abs(widths[shade]) < 0.025
        assert np.delete(widths, shade).min() > 0.025
    share = out_of_bag.patches[shade].get_width() / sum(bar.get_width() for bar in out_of_bag.patches)
    assert impurity.patches[shade].get_width() > max(0.01, 2 * share), "noise has a share of the decreases"
    assert [len(bars) for bars in by_class.containers] == [4, 4]
    months, contract = ran.display.pd_results
    assert months.average[0][-1] > 0.3 + months.average[0][0]
    of = dict(zip(contract.grid_values[0], contract.average[0], strict=True))
    assert of["year"] > of["month"] + 0.05
    drawn = [line for line in ran.figures[-1].axes[0].lines if len(line.get_xdata()) == 8]
    assert len(drawn) == 2
    for line in drawn:
        assert np.abs(np.asarray(line.get_xdata()) - line.get_ydata()).mean() < 0.1


CLAIMS = {name: check for name, check in list(globals().items()) if callable(check)}
