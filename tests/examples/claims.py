"""What the last sentences of scripts of the gallery claim of errors and probabilities, as checks of the names that a script leaves.

Rotations, weights and solvers, which other scripts draw, have oracles beside their classes.
"""

import numpy as np


def when_rotations_help(ran):
    for name, lines in ran.errors.items():
        forest, turned, ours = map(
            np.array, (lines[m] for m in ("forest", "forest on rotations", "RotastackClassifier"))
        )
        if name == "oblique":
            assert turned[0] < forest[0] / 2
            assert (forest - turned).argmax() == 0
            assert forest[-1] <= turned[-1]
        else:
            assert (turned > forest).all()
        better = np.minimum(forest, turned)
        assert (ours < better + 0.02).all()
        assert (ours[1:] < 0.85 * better[1:]).all()


def how_many_trees(ran):
    error, changed = ran.errors.mean(axis=0), ran.changed.mean(axis=0)
    hundred = list(ran.SIZES).index(101)
    assert 0 <= error[hundred] - error[-1] <= 0.001
    assert 0.005 < changed[hundred] < 0.02


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


def prediction_intervals(ran):
    assert abs(np.array(ran.kept) - ran.COVERAGES).max() < 0.03
    low, high = ran.band.T
    assert (high - low)[90] > 3 * (high - low)[10]


def pruned_to_a_tenth(ran):
    sides, digits = ran.means["balance-scale"], ran.means["digits"]
    assert sides["orientation"] <= sides["all 200"] < sides["first 20"]
    assert all(1.7 * digits["all 200"] < value for name, value in digits.items() if name != "all 200")


def stacking_step_by_step(ran):
    assert ran.vote < ran.alone.min()
    mean = {name: np.mean(values) for name, values in ran.errors.items()}
    assert mean["columns, stacked"] < mean["columns, vote"] - 2
    assert abs(mean["rotations, stacked"] - mean["rotations, vote"]) < 1


def boosting_on_views(ran):
    oblique, along = ran.errors["oblique"], ran.errors["along the columns"]
    plain, *views = (name for name in ran.METHODS if "forests" not in name)
    assert all(oblique[view] < oblique[plain] / 1.5 for view in views)
    assert all(along[view] > 2 * along[plain] for view in views)
    assert min(along, key=along.get) == "on the columns, beside forests"


def own_view(ran):
    assert ran.errors["distances"] < ran.errors["rotations"] < ran.errors["columns"]


def own_pruner(ran):
    ours, orientation, grown = (ran.means[k][19] for k in ("accuracy (ours)", "orientation", "as they were grown"))
    assert abs(ours - orientation) < 0.7
    assert max(ours, orientation) < min(ran.means["accuracy (ours)"][-1] + 0.3, grown - 0.7)


def questions(ran):
    impurity, held_out, out_of_bag, _ = ran.figures[0].axes
    shade = list(ran.X.columns).index("shade")
    for axis in (held_out, out_of_bag):
        widths = np.array([bar.get_width() for bar in axis.patches])
        assert abs(widths[shade]) < 0.025 < np.delete(widths, shade).min()
    share = widths[shade] / sum(widths)
    assert impurity.patches[shade].get_width() > max(0.01, 2 * share), "noise has a share of the decreases"
    assert ran.display.pd_results[0].average[0][-1] > 0.3 + ran.display.pd_results[0].average[0][0]


CLAIMS = {name: check for name, check in list(globals().items()) if callable(check)}
