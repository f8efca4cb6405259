"""What the last sentences of scripts of the gallery claim, as checks of the names that a script leaves.

Those of the papers' pictures are in the modules of tests.
"""

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
    assert abs(precision - curve)[:3].max() < 0.05
    assert (precision - curve)[3:].min() > 0.02


def prediction_intervals(ran):
    above = np.array(ran.kept) - ran.COVERAGES
    assert (above > 0).all()
    assert (above < 0.045).all()
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


CLAIMS = {name: check for name, check in list(globals().items()) if callable(check)}
