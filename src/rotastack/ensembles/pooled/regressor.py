"""The general ensemble regressor: any view, any estimator."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from rotastack.base.classes import NumberRegressor
from rotastack.base.outputs import r_squared
from rotastack.base.row_weights import weights_of
from rotastack.base.view import needs_labels
from rotastack.combine.nested import fit_weighted
from rotastack.combine.stacking import Stacking
from rotastack.combine.voting import Voting
from rotastack.ensembles.pooled.nested import held_out_outputs, nested_outputs
from rotastack.ensembles.pooled.pooled import PooledEnsemble, PoolMembers, in_all, means


class PooledEnsembleRegressor(NumberRegressor, PooledEnsemble):
    """An ensemble regressor with a separate view for each member and a combiner of the members' outputs.

    Parameters
    ----------
    view : transformer, list of (name, transformer, share), or None
        View, of which each member gets a clone with a different seed. A list mixes families of views: the members are
        divided among the families in proportion to the shares. None, alone or as a transformer, is the identity.
    estimator : scikit-learn regressor or None
        Estimator of the members; None is a regression tree.
    combiner : combiner or None
        None is the mean. :class:`~rotastack.combine.RotationWeights` is a weighted mean.
        :class:`~rotastack.combine.Stacking` is trained on predictions for rows that the members have not seen.
    n_estimators : int, default=10
        Number of members.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    bootstrap : bool, default=False
        Train each member on rows drawn with replacement, and set the out-of-bag attributes.
    cv : int, splitter or iterable of (train, test), default=5
        Folds for a trained combiner: the number of folds, at least 3, drawn by `random_state`; a scikit-learn splitter;
        or pairs of row numbers. Each row must be held out once. The combiner is trained on predictions of members
        trained without the row's fold, and combines members trained on all rows.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    pool_ : Pool
    families_ : list of str of length n_estimators
        Name of the family of each member.
    oob_prediction_ : ndarray of shape (n_rows,)
        With `bootstrap`: mean prediction over the members that have the row out of bag; NaN if none has.
    oob_score_, oob_errors_ : float, ndarray of shape (n_estimators,)
        With `bootstrap`: R^2 of `oob_prediction_`, and the out-of-bag mean squared error of each member.
    oob_family_errors_ : dict
        With `bootstrap`: for each family name, the out-of-bag mean squared error of the mean of its members.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 1.6.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack import PooledEnsembleRegressor
    >>> from rotastack.views import RandomRotation
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = PooledEnsembleRegressor(RandomRotation(), n_estimators=50, bootstrap=True, random_state=0)
    >>> reg.fit(X, y).oob_score_ > 0.3
    True
    """

    def _member_estimator(self) -> Any:
        if self.estimator is not None and is_classifier(self.estimator):
            raise ValueError(f"estimator must be a regressor, got {self.estimator!r}")
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _moves(self):
        return self.estimator is None  # trees may get a centred and scaled target, another estimator may not

    def _check(self, recipes, combiner):
        if combiner.trained and not isinstance(combiner, Stacking):
            raise ValueError(
                f"combiner of a regression pool must be Stacking, or a combiner that is not trained, got {combiner!r}"
            )
        if isinstance(combiner, Voting) and combiner.voting == "hard":
            raise ValueError("a regression pool has no votes to count: voting must be 'soft', the mean")
        supervised = next((r.view for r in recipes if needs_labels(r.view)), None)
        if supervised is not None:
            raise ValueError(f"view {supervised!r} needs class labels; a regression has none")

    def _combine(self, combiner, rows, unseen, sequence):
        self.combiner_ = combiner._fit_to(PoolMembers(self, rows))

    def _combine_nested(self, combiner, rows, held_out, recipes, options, training, combining):
        outputs = nested_outputs(rows, held_out, recipes, options, training)
        outputs = held_out_outputs(outputs, held_out.folds)
        self.combiner_ = fit_weighted(clone(combiner), outputs, rows.target, None, combining, rows.weights)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self, "combiner_")
        X = self._table(X)
        parts = [
            self.combiner_.predict_proba(self.pool_.outputs(X[rows], self.n_jobs)) for rows in self._blocks(len(X), 1)
        ]
        return np.concatenate(parts)[:, 0]

    def _describe(self, rows):
        target, weights = rows.target, rows.weights

        def loss(outputs, mine):
            return float(np.average((outputs[:, 0] - target[mine]) ** 2, weights=weights_of(weights, mine)))

        unseen = self._unseen(rows, loss)
        self.oob_family_errors_ = {
            name: _mean_square(means(*of_family)[:, 0] - target, weights) for name, of_family in unseen.items()
        }
        sums, counts = in_all(unseen)
        self.oob_prediction_, counted = means(sums, counts)[:, 0], counts > 0
        self.oob_score_ = r_squared(self.oob_prediction_[counted], target[counted], weights_of(weights, counted))
        return unseen


def _mean_square(differences, weights) -> float:
    """Return the weighted mean square of the differences that are not NaN."""
    weight = np.where(np.isnan(differences), 0, 1 if weights is None else weights)
    return float(np.nansum(weight * differences**2) / weight.sum()) if weight.any() else float("nan")
