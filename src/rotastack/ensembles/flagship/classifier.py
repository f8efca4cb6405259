"""The flagship classifier: a forest of several families of trees, with a fitted weight for each family."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.classes import LabelClassifier, present_target
from rotastack.base.row_weights import of_all_rows, weights_of
from rotastack.base.scikit import StrOptions, check_y
from rotastack.base.traits import Traits
from rotastack.combine.log_linear import LogLinearWeights
from rotastack.ensembles.flagship.families import RIDGE, TreeFamily
from rotastack.ensembles.flagship.grown_families import Stopped
from rotastack.ensembles.flagship.kernel import OnKernel
from rotastack.ensembles.flagship.rotastack import RotastackEnsemble


class RotastackClassifier(LabelClassifier, RotastackEnsemble):
    """A forest of several families of trees, and a kernel machine; a family that does not help gets weight 0.

    The families are forests on linear discriminants, principal axes, sparse random rotations and pairs of categories,
    boosted trees on the unchanged columns, and kernel ridge regressions. Each view is fitted to rows that its trees
    are grown on. The weights of the families are the solution of a convex problem on each family's outputs for rows that
    it has not seen. The ensemble predicts the weighted geometric mean of the families' probabilities
    (:class:`~rotastack.combine.LogLinearWeights`).

    Parameters
    ----------
    trees_per_family : int, default=100
    families : sequence of str or TreeFamily, default=("rotations", "discriminants", "pairs", "boosted", "boosted_large", "kernel")
        Names of families, or custom :class:`~rotastack.ensembles.TreeFamily` objects.
        "rotations": principal axes of blocks of three columns, random rotations of blocks of two to four columns, and
        linear discriminants of two random halves of the columns; trees on bootstraps. All other families are fitted to
        the rows outside each of five folds. "discriminants": the columns and discriminants, C4.5 trees (half as many).
        "pairs": numbers, and the class shares of categories and of pairs of categories; left out without categories.
        "boosted" and "boosted_large": gradient boosting of trees of up to 8 and 31 leaves; left out with a warning for
        more than 100 classes. If there are more than two classes, and rows times classes are at least 5,000, such a
        family may end early, with weight 0: after 30 rounds on the first fold, if it has no weight beside the other
        families and its loss is expected to end at twice theirs or more. "kernel": ridge regressions on indicators of
        the classes with a Gaussian kernel of at most 2,500 standardised rows; left out for more than 20,000 rows.
    categorical_features : "from_dtype", array-like of int, bool or str, or None, default="from_dtype"
        Categorical columns. "from_dtype": the columns of a pandas, polars or Arrow table that are not numeric (numbers
        stored as objects are not). Of these, dates and free text become numbers; ids and columns of one value are left out with a warning.
        Missing values are a category.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn's forests. Bags are drawn by weight. The more the weights differ,
        the fewer draws a bag has (at least 100), so that no row is drawn more than twice for a tree on average. A rare
        class of large weight then has out-of-bag rows, too.
    oob_score : bool, str or callable, default=True
        Score in `oob_score_`; more is better. True is accuracy or R^2, a string is the name of a scikit-learn scorer
        (such as "roc_auc" or "neg_log_loss"), a function is ``f(y_true, y_pred)``. False computes no score.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.
    verbose : int, default=0
        1 prints a line after each step of ``fit``, with the duration of the step in seconds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    families_ : tuple of str
        Names of the families: first those on bags, then those on folds, then the kernel.
    family_weights_ : ndarray of shape (n_families,)
        Weights of the families. Weight 0 switches a family off. The sum of the weights is free and calibrates.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        The ensemble's probabilities for each training row, from trees that have not seen the row and family weights
        fitted to the rows of other folds. NaN for rows that all trees have seen and for rows of weight 0.
    oob_score_ : float
        Accuracy of `oob_decision_function_`, or the score chosen by `oob_score`, on rows without NaN. The score is
        weighted unless `oob_score` is a function.
    oob_family_errors_ : ndarray of shape (n_families,)
        Weighted error of each family on rows that its trees have not seen; NaN for a boosted family that ended early.
    feature_importances_ : ndarray of shape (n_features,)
        Decrease of impurity by splits on each column; the sum is 1. This is the mean over the trees of a
        family, and the weighted mean over families. A split on a weighted sum of columns counts for these
        columns in proportion to their squared weights. A kernel has squared derivatives by standardised columns
        instead of decreases. Dummies and parts of dates count for their input column. The share of missing
        values counts for the columns with missing values. Decreases are measured on the rows that the trees
        were grown on, so noise columns get a share, which is larger for columns with many values. Redundant
        columns divide their share. :meth:`out_of_bag_importances` has neither fault of noise columns; redundant
        columns divide their share there, too.
    grown_ : list of GrownFamilies
        The families of positive weight with their trees, in the order of `families_`; families on bags that share a
        criterion are one entry. Nodes store only the data that predictions need.
    forest_ : GrownTrees
        The trees of the families on bags of positive weight, family after family.
    n_groups_ : int
        Number of groups with rows of positive weight; only if ``fit`` got groups.

    Notes
    -----
    Columns are scaled to [0, 1] on the training rows. At each split, trees learn the branch of missing numbers; views
    fill missing numbers with means of their training rows. A category of up to 30 values becomes a 0/1 column for each
    value (one column for two values). A category of more values becomes the class shares of its rows.

    A value that no training row has is a new category, or a missing value in a column without missing training values.
    The probabilities are then means over the column's values in training: at most 20 categories by their frequencies, or
    20 values at equally spaced quantiles. For several such columns in a row, the means are over 20 training rows at quantiles of the
    target. A warning names the columns and rows.

    If rows have copies, or a patient has several rows, a tree may have seen a copy of an out-of-bag row, or its
    patient. Out-of-bag results are then optimistic, unless ``fit`` gets `groups`. Rounds of boosters, and the width
    and the penalty of kernels, are chosen by the rows that are held out, which makes them slightly optimistic, too.

    A bag has at most 40,000 draws. There is no `warm_start`: a larger forest begins with the same trees, but the
    out-of-bag outputs, to which weights are fitted, are not stored.

    Memory: the forest takes 12 bytes a node (at most 2 n - 1 nodes a tree) and 8 bytes a class for each leaf with
    several classes. The views take at most ``4 p (q + 4)`` bytes a tree, where q is the number of directions (at most
    8) or the size of a block (at most 4). Fitting needs up to 1.7 times the forest more, 32 bytes for each number of
    the encoded table, and 26 bytes for each row, class and family. The kernel takes 8 bytes for each column and 48 for
    each class of its points, and up to 24 bytes for each pair of points while it is fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import RotastackClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RotastackClassifier(random_state=0).fit(X, y)
    >>> clf.predict(X[[0, 60, 120]]).tolist(), clf.oob_score_ > 0.93
    ([0, 1, 2], True)
    >>> clf.families_
    ('rotations', 'discriminants', 'boosted', 'boosted_large', 'kernel')
    """

    study_traits: ClassVar[Traits] = Traits(
        rotates=True, rotated_families=("rotations",), trees=("trees_per_family",), families=2
    )

    _parameter_constraints: ClassVar[dict] = {
        **RotastackEnsemble._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        trees_per_family: int = 100,
        families: tuple[str | TreeFamily, ...] = (
            "rotations",
            "discriminants",
            "pairs",
            "boosted",
            "boosted_large",
            "kernel",
        ),
        *,
        categorical_features: ArrayLike | str | None = "from_dtype",
        class_weight: dict | str | None = None,
        oob_score: bool | str | Callable = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        super().__init__(
            trees_per_family,
            families,
            categorical_features=categorical_features,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def _checked_target(self, y):
        return check_y(present_target(y), estimator=self)

    def _targets(self, y, weights):
        if weights is not None and len(left := np.unique(y[weights > 0])) < 2:
            raise ValueError(
                f"rows with a positive weight have only one class ({left[0]}); at least 2 classes are needed"
            )
        codes, n_classes = self._target(y)
        return codes, n_classes, codes

    def _weigh(self, outputs, rows, y, sequence):
        weighted = rows.weighted
        outputs = outputs.compress(weighted, axis=1)
        codes, weights, folds = rows.codes[weighted], weights_of(rows.weights, weighted), rows.folds[weighted]
        gaps = np.isnan(outputs[:, :, 0])
        self.oob_family_errors_ = np.array(
            [
                np.average(mine[known].argmax(axis=1) != codes[known], weights=weights_of(weights, known))
                if known.any()
                else np.nan
                for mine, known in zip(outputs, ~gaps, strict=True)
            ]
        )
        outputs = np.where(gaps[:, :, None], 1 / len(self.classes_), outputs)
        ran = np.concatenate([np.full(len(g.names), not isinstance(g, Stopped)) for g in self.grown_])

        def fitted(outputs: NDArray[np.float64], rows: NDArray[np.bool_]) -> LogLinearWeights:
            combiner = LogLinearWeights(RIDGE).fit(
                outputs[ran][:, rows], codes[rows], len(self.classes_), sample_weight=weights_of(weights, rows)
            )
            found, combiner.weights_ = combiner.weights_, np.zeros(len(ran))
            combiner.weights_[ran] = found
            return combiner

        self.combiner_ = fitted(outputs, np.ones(len(codes), dtype=bool))

        def combined(others: NDArray[np.bool_], mine: NDArray[np.bool_]) -> NDArray[np.float64]:
            return fitted(self._nested(folds[mine].max(initial=-1), outputs), others).predict_proba(outputs[:, mine])

        out_of_bag = self._cross_fitted(folds, combined)
        out_of_bag[gaps.all(axis=0)] = np.nan
        self.oob_decision_function_ = of_all_rows(out_of_bag, weighted)

    def _nested(self, fold: int, outputs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the unseen outputs, those of kernels from machines that have not seen the rows of `fold`, either.

        A kernel of two rows is symmetric: where a row predicts another row well, that row predicts the first one well.
        """
        nested = {g.names[0]: g.nested[fold] for g in self.grown_ if isinstance(g, OnKernel) and g.nested is not None}
        return np.stack([nested.get(name, mine) for name, mine in zip(self.families_, outputs, strict=True)])

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        return self._predicted(self._encoded(X))

    def _combined(self, outputs):
        return self.combiner_.predict_proba(np.where(np.isnan(outputs), 1 / len(self.classes_), outputs))

    def _answers(self, combined):
        return {"predict_proba": combined, "predict": self.classes_[combined.argmax(axis=1)]}

    def _losses(self, combined, y):
        return -np.log(combined[np.arange(len(y)), np.searchsorted(self.classes_, y)])

    def _usual_score(self, y, predicted, weights):
        return float(np.average(predicted == y, weights=weights)) if len(y) else float("nan")
