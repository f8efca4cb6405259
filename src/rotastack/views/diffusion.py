"""Diffusion maps of random rows, extended to all other rows (Coifman and Lafon 2006)."""

import math
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from rotastack.base.naming import validate_data
from rotastack.base.scikit import Interval, StrOptions, fit_context
from rotastack.blas import one_blas_thread
from rotastack.seeds import child, root_sequence
from rotastack.views.base_view import FLOATS, BaseView, distinct_rows
from rotastack.views.subsets import signed

_AT_ONCE = 1 << 17  # Number of weights in a block, which stays in the cache from the product to the sum.
_TRIES = 100
_LEAST = -600.0  # Smaller exponents change no digit of a sum, and would give subnormal numbers, which are slow.
_FAR = 1e-240  # Below this sum of weights, the cut at _LEAST changes the coordinates.
_HALVINGS, _MISSED = 20, 0.05  # Of the width of geometric harmonics, until they miss the landmarks by no more.
_NEAR = 1e6  # Largest ||y||^2 / epsilon for which products of rows keep nine digits after the point.


class DiffusionMap(BaseView):
    """Diffusion map: two rows are close if random walks from them reach the same rows equally often.

    At most `n_landmarks` random rows, the landmarks, build the map. The walk steps from x to y with the probability
    ``m(x, y) = w(x, y) / d(x)``, where ``w(x, y) = exp(-||x - y||^2 / (2 epsilon))`` and d is the sum of w over
    the landmarks. With right eigenvectors psi of m and eigenvalues lambda, the largest first, the
    coordinates are ``lambda_l^t psi_l``, l = 1, ..., `n_components` (equations 3 to 9); psi_0, which is 1
    everywhere, is left out. Rows equal to a landmark have its coordinates, and those of all other rows, also of
    training rows, are extended from the landmarks: ``fit_transform(X)`` is ``transform(X)`` (algorithm 1).

    Parameters
    ----------
    n_components : int or None, default=None
        Number of coordinates, at most the number of landmarks minus 1. None is half the number of columns, rounded
        up, or the largest number allowed if that is less.
    epsilon : "random", "random_squared" or float, default="random"
        Width of the kernel. "random" is the Euclidean distance of two random training rows, drawn again if the
        distance is 0, as the source prints it. "random_squared" is the square of this distance, with which the map
        does not depend on the unit of the columns.
    n_landmarks : int, default=600
        Number of random, distinct rows that build the map; all distinct rows if fewer exist. Memory grows
        with the square and time with the cube of this number.
    extension : {"markov", "kernel", "harmonics"}, default="markov"
        Rule for the coordinates of other rows. "markov" takes a step of the walk from the row, ``psi_l(x) = sum_y
        m(x, y) psi_l(y) / lambda_l``. It is exact on landmarks, and with t = 1 it needs no division by lambda.
        "kernel" expands the coordinates over the eigenvectors of the matrix w, and extends these eigenvectors by
        Nystroem's method (equations 10 to 13). It jumps near landmarks, because `delta` cuts eigenvectors off, and
        falls to 0 far from landmarks. "harmonics" (geometric harmonics) is the same with a kernel of a width of its
        own, `extension_epsilon`.
    delta : float, default=1e-3
        For "kernel" and "harmonics": eigenvectors with an eigenvalue below `delta` times the largest are left out. In
        (0, 1].
    t : float, default=1
        Number of steps of the walk, at least 0; with 0 the coordinates are the eigenvectors.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of epsilon and of the landmarks, which are drawn independently.
    extension_epsilon : float or None, default=None
        For "harmonics": width of the kernel whose eigenvectors are extended. None is the first of epsilon, epsilon / 2,
        epsilon / 4, ... at which the eigenvectors that `delta` leaves miss the landmarks' coordinates by at most 5 % of
        their norm; after 20 halvings the last. A wider kernel reaches farther from the landmarks, a narrower one
        follows coordinates that change faster.

    Attributes
    ----------
    epsilon_ : float
    extension_epsilon_ : float
        Width of the kernel that extends the coordinates: `epsilon_`, but for "harmonics".
    landmark_rows_ : ndarray of int of shape (n_landmarks,)
        Numbers of the landmarks among the training rows, ascending.
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        The landmarks.
    eigenvalues_ : ndarray of shape (n_components,)
        lambda_1, lambda_2, ..., descending. An eigenvalue that is 0 but for rounding is set to 0.
    embedding_ : ndarray of shape (n_landmarks, n_components)
        Coordinates of the landmarks; in each column the largest absolute psi is positive.
    coefficients_ : ndarray of shape (n_landmarks, n_components)
        The coordinates of x are the sum of these rows with weights m(x, y) ("markov"), w(x, y)
        ("kernel"), or w(x, y) of the width `extension_epsilon_` ("harmonics").
    n_components_ : int

    Notes
    -----
    psi is scaled to ``sum_y d(y) psi_l(y)^2 = sum_y d(y)``. So equation 7 holds with phi_0 = d / sum d, the walk's
    stationary distribution: with all components and t = 1,
    ``||psi(x) - psi(y)||^2 = sum_z (m(x, z) - m(y, z))^2 / phi_0(z)``. (The printed equation 6 has m(z, y) for
    m(y, z).)

    A row far from all landmarks can have weights that are all 0 in floating point; it gets the coordinates of
    the nearest landmark. Coordinates of an eigenvalue 0 are 0, for any t, because their eigenvectors are rounding.
    If the walk falls into parts that do not reach each other, the eigenvalue 1 occurs once for each part. psi_0 is
    removed before the other eigenvectors are computed, so they stay orthogonal to psi_0.

    References
    ----------
    Schclar, A., Rokach, L. and Amit, A. Ensembles of classifiers based on dimensionality reduction,
    section 3 and algorithm 1. Coifman, R. R. and Lafon, S. (2006). Diffusion maps. Applied and
    Computational Harmonic Analysis. Coifman, R. R. and Lafon, S. (2006). Geometric harmonics: a novel tool for
    multiscale out-of-sample extension of empirical functions. Applied and Computational Harmonic Analysis.

    Examples
    --------
    >>> import numpy as np
    >>> from rotastack.views import DiffusionMap
    >>> angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> view = DiffusionMap(2, epsilon=0.5).fit(circle)
    >>> Z = view.transform(3 * circle)
    >>> view.eigenvalues_.round(3), np.linalg.norm(view.embedding_, axis=1).round(2)[:3], Z.shape
    (array([0.698, 0.698]), array([0.99, 0.99, 0.99]), (12, 2))
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "epsilon": [StrOptions({"random", "random_squared"}), Interval(Real, 0, None, closed="neither")],
        "n_landmarks": [Interval(Integral, 2, None, closed="left")],
        "extension": [StrOptions({"markov", "kernel", "harmonics"})],
        "delta": [Interval(Real, 0, 1, closed="right")],
        "t": [Interval(Real, 0, None, closed="left")],
        "random_state": "no_validation",
        "extension_epsilon": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        n_components: int | None = None,
        epsilon: str | float = "random",
        n_landmarks: int = 600,
        extension: str = "markov",
        delta: float = 1e-3,
        t: float = 1,
        random_state=None,
        *,
        extension_epsilon: float | None = None,
    ):
        self.n_components = n_components
        self.epsilon = epsilon
        self.n_landmarks = n_landmarks
        self.extension = extension
        self.delta = delta
        self.t = t
        self.random_state = random_state
        self.extension_epsilon = extension_epsilon

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Draw epsilon and the landmarks, and compute the coordinates of the landmarks.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            `X` has fewer than two distinct rows, `n_components` is not below the number of landmarks, rows are so
            far apart that their distance is infinite, or a parameter is outside its range.
        """
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        sequence = root_sequence(self.random_state)
        rng = np.random.default_rng(child(sequence, "landmarks"))
        self.landmark_rows_ = distinct_rows(X, self.n_landmarks, rng)
        n = len(self.landmark_rows_)
        if n < 2:
            raise ValueError(f"all {len(X)} rows of X are equal; at least 2 distinct rows are needed")
        if self.n_components is not None and self.n_components >= n:
            raise ValueError(
                f"n_components is {self.n_components}; {n} landmarks (distinct rows) allow at most {n - 1}"
            )
        self.landmarks_ = X[self.landmark_rows_].astype(np.float64)
        rng = np.random.default_rng(child(sequence, "epsilon"))
        self.epsilon_ = _width(X, self.landmarks_, self.epsilon, rng)
        q = min(-(-X.shape[1] // 2), n - 1) if self.n_components is None else int(self.n_components)
        self.n_components_ = q
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            weights = _Gaussian(self.landmarks_, self.epsilon_)(self.landmarks_)
            np.fill_diagonal(weights, 1.0)  # Rounding can move the diagonal off 1.
            self.eigenvalues_, psi = _eigenpairs(weights, q)
            self.embedding_ = psi * _power(self.eigenvalues_, self.t)
            self.extension_epsilon_ = self.epsilon_
            if self.extension == "markov":
                self.coefficients_ = psi * _power(self.eigenvalues_, self.t - 1)
            elif self.extension == "kernel":
                self.coefficients_ = _expanded(weights, self.embedding_, self.delta)
            else:
                self.extension_epsilon_, self.coefficients_ = self._harmonics()
        return self

    def _harmonics(self):
        """Return the width of the kernel that extends the coordinates, and the coefficients of its weights."""
        widths = [self.extension_epsilon] if self.extension_epsilon else self.epsilon_ / 2.0 ** np.arange(_HALVINGS + 1)
        allowed = _MISSED * np.linalg.norm(self.embedding_)
        for width in map(float, widths):
            weights = _Gaussian(self.landmarks_, width)(self.landmarks_)
            np.fill_diagonal(weights, 1.0)
            coefficients = _expanded(weights, self.embedding_, self.delta)
            if np.linalg.norm(weights @ coefficients - self.embedding_) <= allowed:
                break
        return width, coefficients

    def _equal_landmarks(self, X):
        """Return for each row the number of the landmark that it equals, or -1."""
        numbers = {row.tobytes(): k for k, row in enumerate(self.landmarks_ + 0.0)}  # Adding 0 turns -0.0 into 0.0.
        return np.array([numbers.get(row.tobytes(), -1) for row in X.astype(np.float64) + 0.0])

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        out = np.empty((len(X), self.n_components_), dtype=X.dtype)
        step = max(1, _AT_ONCE // len(self.landmarks_))
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            kernel = _Gaussian(self.landmarks_, self.extension_epsilon_)
            # A column of ones adds the sum of the weights to the product.
            coefficients = np.column_stack([self.coefficients_, np.ones(len(self.landmarks_))])
            for start in range(0, len(X), step):
                rows = X[start : start + step]
                sums = kernel(rows) @ coefficients
                total = sums[:, -1]
                far = ~(total > _FAR)  # NaN counts as far.
                if self.extension == "markov":
                    sums[:, :-1] /= total[:, None]
                if far.any():
                    sums[far, :-1] = self._extend_far(kernel.exponents(rows[far]))
                out[start : start + step] = sums[:, :-1]
        if self.extension != "markov":  # A step of the walk meets the landmarks.
            equal = self._equal_landmarks(X)
            out[equal >= 0] = self.embedding_[equal[equal >= 0]]
        return out

    def _extend_far(self, exponents):
        """Return the coordinates of rows with weights that nearly vanish in floating point."""
        nearest = exponents.argmax(axis=1)
        largest = exponents.max(axis=1, keepdims=True)
        if self.extension == "markov":  # A common factor of all weights cancels.
            weights = np.exp(exponents - np.where(np.isfinite(largest), largest, 0.0))
            # Rows without any weight are replaced below.
            total = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            coordinates = weights @ self.coefficients_ / total
        else:
            coordinates = np.exp(exponents) @ self.coefficients_
        return np.where(np.exp(largest) > 0, coordinates, self.embedding_[nearest])

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


class _Gaussian:
    """The kernel ``exp(-||x - y||^2 / (2 epsilon))`` of rows x and landmarks y."""

    def __init__(self, landmarks: NDArray[np.float64], epsilon: float):
        self.landmarks, self.epsilon = landmarks, epsilon
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            self.centre = landmarks.mean(axis=0)  # Products of centred rows lose fewest digits.
            self.scale = 1 / math.sqrt(epsilon)
            right = (landmarks - self.centre) * self.scale
            norms = np.einsum("ij,ij->i", right, right)
        # For landmarks far from the centre, ||x - y||^2 is a small difference of large numbers, and products lose it.
        self.by_product = bool(norms.max() <= _NEAR)
        self.right = np.vstack([right.T, np.ones(len(right)), -norms / 2])

    def __call__(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the weights, shape (n_rows, n_landmarks), none less than exp(-600)."""
        if self.by_product:
            p = rows.shape[1]
            left = np.empty((len(rows), p + 2))
            np.subtract(rows, self.centre, out=left[:, :p])
            left[:, :p] *= self.scale
            left[:, p] = np.einsum("ij,ij->i", left[:, :p], left[:, :p])
            left[:, p] /= -2
            left[:, p + 1] = 1.0
            exponents = left @ self.right  # x y - ||x||^2 / 2 - ||y||^2 / 2
        else:
            exponents = self.exponents(rows)
        np.clip(exponents, _LEAST, 0.0, out=exponents)
        return np.exp(exponents, out=exponents)

    def exponents(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the logarithms of the weights from differences of rows, which is slow and exact."""
        squares = cdist(rows, self.landmarks, "sqeuclidean")
        squares /= self.epsilon
        squares /= -2
        return squares


def _eigenpairs(weights, q):
    """Return lambda_1, ..., lambda_q and the columns psi_1, ..., psi_q."""
    n = len(weights)
    degrees = weights.sum(axis=1)
    roots = np.sqrt(degrees)
    conjugate = weights / roots[:, None]
    conjugate /= roots
    # The first eigenvector v_0 is `roots`. Removing it keeps it out of the other eigenvectors of the eigenvalue 1.
    first = roots / np.linalg.norm(roots)
    conjugate -= first[:, None] * first
    values, vectors = eigh(conjugate, subset_by_index=[n - q, n - 1], check_finite=False)
    if len(values) < q:  # LAPACK silently returns too few if many are 1 to the last digit.
        values, vectors = eigh(conjugate, overwrite_a=True, check_finite=False, driver="evd")
    values, vectors = values[: -q - 1 : -1], vectors[:, : -q - 1 : -1]
    # A step of the walk keeps any rest of v_0 that rounding leaves, and the rest would outweigh a small lambda.
    vectors = vectors - first[:, None] * (first @ vectors)
    psi = signed(vectors * (math.sqrt(degrees.sum()) / roots)[:, None])
    return np.where(values > n * np.finfo(float).eps, values, 0.0), psi


def _power(values, t):
    """Return values ** t, and 0 for values of 0."""
    return np.power(values, t, out=np.zeros_like(values), where=values > 0)


def _expanded(weights, coordinates, delta):
    """Return the coefficients of w(x, y) in equation 13."""
    values, vectors = eigh(weights, check_finite=False)
    kept = values >= delta * values[-1]
    vectors = vectors[:, kept]
    return vectors @ ((vectors.T @ coordinates) / values[kept, None])


def _width(X, landmarks, epsilon, rng):
    """Return epsilon as a number, from distances of rows unless it is a number."""
    if isinstance(epsilon, Real):
        return float(epsilon)
    distance = _random_distance(X, rng, _TRIES) or _random_distance(landmarks, rng, 1)
    width = distance if epsilon == "random" else distance * distance
    if not 0 < width < np.inf:
        raise ValueError(f"rows of X have a distance of {width:g}, not usable as epsilon; scale the columns first")
    return width


def _random_distance(X, rng, tries):
    """Return the distance of two random rows, or 0 if all tries gave 0."""
    for _ in range(tries):
        a, b = rng.integers(len(X), size=1), rng.integers(len(X) - 1, size=1)
        b += b >= a
        distance = math.dist(X[a[0]], X[b[0]])
        if distance > 0:
            return distance
    return 0.0
