"""What a user asks for beside predictions: other scores out of bag, and what fit does."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score, log_loss, mean_absolute_error, roc_auc_score

from rotastack import RotastackClassifier, RotastackRegressor

X, y = load_iris(return_X_y=True)
NAMES = np.array(["a", "b", "c"])[y]
WEIGHTS = np.random.default_rng(0).integers(0, 4, 150)


def classifier(**parameters):
    return RotastackClassifier(**{"trees_per_family": 10, "random_state": 0, **parameters})


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_scores_out_of_bag_by_name(weights):
    model = classifier(oob_score="neg_log_loss").fit(X, NAMES, sample_weight=weights)
    known = np.isfinite(model.oob_decision_function_[:, 0])
    weights = None if weights is None else weights[known]
    by_hand = -log_loss(NAMES[known], model.oob_decision_function_[known], sample_weight=weights)
    assert model.oob_score_ == pytest.approx(by_hand)
    model = classifier(oob_score="roc_auc").fit(X[50:], NAMES[50:])
    assert model.oob_score_ == pytest.approx(roc_auc_score(NAMES[50:] == "c", model.oob_decision_function_[:, 1]))


def test_scores_out_of_bag_by_a_function():
    model = classifier(oob_score=balanced_accuracy_score).fit(X, NAMES)
    said = model.classes_[model.oob_decision_function_.argmax(axis=1)]
    assert model.oob_score_ == balanced_accuracy_score(NAMES, said)
    model = RotastackRegressor(10, oob_score=mean_absolute_error, random_state=0).fit(X[:, :3], X[:, 3])
    assert model.oob_score_ == mean_absolute_error(X[:, 3], model.oob_prediction_)
    model.set_params(oob_score="neg_mean_absolute_error").fit(X[:, :3], X[:, 3])
    assert model.oob_score_ == -mean_absolute_error(X[:, 3], model.oob_prediction_)


@pytest.mark.parametrize(
    ("kind", "score", "message"),
    [
        (RotastackClassifier, "acuracy", "The 'oob_score' parameter of RotastackClassifier must be"),
        (RotastackRegressor, "neg_max_error", "oob_score: neg_max_error does not support row weights; choose another"),
    ],
)
def test_scores_that_are_none(kind, score, message):
    with pytest.raises(ValueError, match=message):
        kind(5, oob_score=score, random_state=0).fit(X, y, sample_weight=1 + WEIGHTS)


@pytest.mark.parametrize("kind", [RotastackClassifier, RotastackRegressor])
def test_a_line_for_each_step(kind, capsys):
    kind(5, random_state=0).fit(X, y)
    assert capsys.readouterr().out == ""
    told = kind(5, random_state=0, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert all(re.fullmatch(rf"\[{kind.__name__}\] .+ \(\d+\.\d\d s\)", line) for line in lines)
    named = [name for line in lines[1:-1] for name in told.families_ if f"{name} " in line]
    assert [*dict.fromkeys(named)] == list(told.families_)
    assert f"out-of-bag score {told.oob_score_:.4f}" in lines[-1]
