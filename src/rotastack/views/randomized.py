"""View of any transformer, with random parameters and fitted to random rows."""

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterSampler
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rotastack.base.naming import validate_data
from rotastack.base.scikit import HasMethods, Interval, check_feature_names_in, fit_context
from rotastack.base.view import Part, is_linear, needs_labels
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.views.base_view import FLOATS, BaseView, distinct_rows


def _view(self):
    """Return the fitted view, or before ``fit`` the view to be cloned."""
    return getattr(self, "view_", self.view)


class RandomizedView(BaseView):
    """A transformer with random parameters, fitted to random rows, so that the members of a pool differ.

    Any transformer that can transform new rows becomes a view: ``Isomap``, ``LocallyLinearEmbedding``,
    ``KernelPCA``, a pipeline. Members differ by `param_distributions`, `n_landmarks`, or both. The seed of the
    transformer alone is often not enough: many transformers use it only to start an eigen-solver.

    Parameters
    ----------
    view : transformer
        Transformer to be cloned and fitted; each parameter of the clone named ``random_state`` is set.
    param_distributions : dict
        Names of parameters of `view` (``step__parameter`` for nested parameters), and for each a list of values or a
        distribution with a method ``rvs``, as in scikit-learn's ``RandomizedSearchCV``. With {} no parameter is
        drawn.
    n_landmarks : int or None, default=None
        Number of random, distinct rows that `view` is fitted on; all distinct rows if fewer exist. The transformer
        extends the coordinates to the other rows. None fits `view` on all rows, equal rows included.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the parameters, the landmarks and `view`, which are drawn independently.

    Attributes
    ----------
    view_ : transformer
        The fitted view.
    params_ : dict
        The drawn parameters.
    landmark_rows_ : ndarray of int
        Numbers of the rows that `view_` is fitted on, ascending.

    Notes
    -----
    The coordinates of all rows, also of training rows, are extended: ``fit_transform(X)`` is ``transform(X)``. On
    landmarks the extensions of ``Isomap`` and ``KernelPCA`` are exact, and that of ``LocallyLinearEmbedding`` is not.

    ``LocallyLinearEmbedding`` fails on equal rows, because the neighbours of a row are then its copies. Set
    `n_landmarks` if rows recur, for example in the bootstrap of a pool. ``Isomap`` starts its iterative
    eigen-solver from NumPy's global generator; with ``eigen_solver="dense"`` equal seeds give equal results.

    Model files (skops) can hold lists and ranges of values, but not SciPy's distributions, which are not on the
    reviewed list of types.

    References
    ----------
    Schclar, A., Rokach, L., Amit, A. Ensembles of classifiers based on dimensionality reduction, section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.manifold import Isomap
    >>> from rotastack.views import RandomizedView
    >>> X, _ = load_wine(return_X_y=True)
    >>> isomap = Isomap(n_components=3, eigen_solver="dense")
    >>> view = RandomizedView(isomap, {"n_neighbors": range(5, 30)}, n_landmarks=100, random_state=0).fit(X)
    >>> view.transform(X).shape, len(view.landmark_rows_), 5 <= view.params_["n_neighbors"] < 30
    ((178, 3), 100, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "view": [HasMethods(["fit", "transform"])],
        "param_distributions": [dict],
        "n_landmarks": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": "no_validation",
    }

    def __init__(
        self, view: Any, param_distributions: dict[str, Any], n_landmarks: int | None = None, random_state=None
    ):
        self.view = view
        self.param_distributions = param_distributions
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Draw parameters and landmarks, and fit the view.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,), optional
            Passed to the fit of the view.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            `view` does not have a parameter, or cannot be fitted with the rows and parameters. The message of a
            failed fit names the drawn parameters.
        """
        X = validate_data(self, X, dtype=FLOATS)
        sequence = root_sequence(self.random_state)
        seeds = {part: child(sequence, part) for part in ("parameters", "landmarks", "view")}
        sampler = ParameterSampler(self.param_distributions, 1, random_state=integer_seed(seeds["parameters"]))
        self.params_: dict[str, Any] = next(iter(sampler))
        view: Any = clone(self.view).set_params(**clone(self.params_, safe=False))
        for name in view.get_params():
            if name.split("__")[-1] == "random_state" and name not in self.params_:
                view.set_params(**{name: integer_seed(seeds["view"])})
        rows = np.arange(len(X))
        if self.n_landmarks is not None:
            rows = distinct_rows(X, self.n_landmarks, np.random.default_rng(seeds["landmarks"]))
        try:
            self.view_ = view.fit(X[rows], None if y is None else np.asarray(y)[rows])
        except ValueError as error:
            drawn = "".join(f", {name}={value!r}" for name, value in self.params_.items())
            raise ValueError(f"{type(view).__name__} on {len(rows)} rows{drawn}: {error}") from error
        self.landmark_rows_ = rows
        return self

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        return np.asarray(self.view_.transform(X), dtype=X.dtype)

    @available_if(lambda self: is_linear(_view(self)))
    def linear_parts(self) -> list[Part]:
        """Return the parts of the fitted view, if the view is linear: columns and the matrix that maps them."""
        return self.view_.linear_parts()

    @available_if(lambda self: hasattr(_view(self), "get_feature_names_out"))
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray:
        """Return the names of the fitted view's outputs."""
        check_is_fitted(self)
        return self.view_.get_feature_names_out(check_feature_names_in(self, input_features))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = needs_labels(self.view)
        return tags
