"""Illustrations of rotations, of trees on them, and of what pruning keeps."""

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

from rotastack.combine.pruning.base import vote_shares
from rotastack.combine.pruning.qmm import QMMPruner
from rotastack.combine.rotation_weights import RotationWeights
from rotastack.data.illustrations import gaussian_mixture, noisy_square, triangle_problem
from rotastack.ensembles.adaboost import AdaBoostM1Classifier
from rotastack.ensembles.forests.base import rotated_views
from rotastack.ensembles.forests.growing import GrowingForests
from rotastack.ensembles.forests.multi import MultiRotationForestClassifier
from rotastack.ensembles.forests.random import RandomRotationForestClassifier
from rotastack.ensembles.voters import voters_of
from rotastack.plots.boundaries import plot_boundaries
from rotastack.plots.rotated import plot_projections, plot_rotated
from rotastack.plots.sphere import plot_spheres
from rotastack.plots.weights import plot_weights
from rotastack.seeds import child, integer_seed
from rotastack.trees.forest import ForestClassifier
from rotastack.trees.tree import TreeClassifier
from rotastack.views.haar import draw_rotations, haar_rotations

__all__ = ["DRAW"]

GRID = 220
N_ROTATIONS = 100


def _boundaries(sequence: np.random.SeedSequence) -> Figure:
    """Figure 1.1: one tree and many, without and with rotation, on a mixture of Gaussians."""
    seed = integer_seed(sequence)
    return _on_mixture(
        sequence,
        {
            "one tree": ForestClassifier(1, max_features=1, random_state=seed),
            "one rotated tree": RandomRotationForestClassifier(
                1, max_features=1, scaling=None, random_state=seed
            ),
            "RF, 2000 trees": ForestClassifier(2000, max_features=1, random_state=seed),
            "RR-RF, 2000 trees": RandomRotationForestClassifier(
                2000, max_features=1, scaling=None, random_state=seed
            ),
        },
    )


def _multi_boundaries(sequence: np.random.SeedSequence) -> Figure:
    """Figure 3.1: a tree on the features, and one on 20 rotations of them."""
    seed = integer_seed(sequence)
    return _on_mixture(
        sequence,
        {
            "one tree, no rotations": ForestClassifier(1, max_features=None, random_state=seed),
            "one tree, 20 rotations": MultiRotationForestClassifier(
                20, 1, max_features=None, scaling=None, random_state=seed
            ),
        },
    )


def _on_mixture(sequence, classifiers) -> Figure:
    rng = np.random.default_rng(sequence)
    X, y, posterior = gaussian_mixture(200, rng)
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    x1, x2 = np.meshgrid(np.linspace(low[0], high[0], GRID), np.linspace(low[1], high[1], GRID))
    points = np.stack([x1, x2], axis=-1)
    panels = {
        title: clf.fit(X, y).predict(points.reshape(-1, 2)).reshape(GRID, GRID)
        for title, clf in classifiers.items()
    }
    return plot_boundaries(panels, X, y, (low[0], high[0], low[1], high[1]), posterior(points))


def _spheres(sequence: np.random.SeedSequence) -> Figure:
    """Figure 1.2: images of a vector under uniform rotations, and vectors of two uniform angles."""
    rng = np.random.default_rng(sequence)
    n = 10_000
    longitude, latitude = rng.uniform(-np.pi, np.pi, n), rng.uniform(-np.pi / 2, np.pi / 2, n)
    naive = np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=1
    )
    uniform = haar_rotations(3, rng, n)[:, :, 0]
    return plot_spheres({"uniform rotations": uniform, "naive: two uniform angles": naive}, by="distance")


def _weights(sequence: np.random.SeedSequence) -> Figure:
    """Figure 2.1: weights by rank."""
    R = 100
    ranked = np.arange(R, dtype=float)
    families = [("cut", 5.0), ("cut", 10.0), ("cut", 20.0), ("exp", 5.0), ("exp", 10.0), ("exp", 20.0)]
    return plot_weights(
        {f"{w}, h = {h:g}": RotationWeights(w, h).rank(ranked, np.zeros(R)).weights_ for w, h in families}
    )


def _rotated(case: str) -> Callable[[np.random.SeedSequence], Figure]:
    """Figures 2.3 to 2.5: the simplest and the most complex of 100 rotations of a 2-d problem."""

    def draw(sequence: np.random.SeedSequence) -> Figure:
        X, y = triangle_problem(case, 400, np.random.default_rng(sequence))
        rotations, pool = _ranked(X, y, sequence)
        return plot_rotated(X, y, rotations, pool.complexity)

    return draw


def _projections(best: bool) -> Callable[[np.random.SeedSequence], Figure]:
    """Figures 2.6 and 2.7: the best, or worst, of 100 rotations in 2 to 5 dimensions, plane by plane."""

    def draw(sequence: np.random.SeedSequence) -> Figure:
        rng = np.random.default_rng(sequence)
        signal, y = triangle_problem("a", 400, rng)
        noise = rng.uniform(size=(len(y), 3))
        rows = []
        for p in (2, 3, 4, 5):
            X = np.hstack([signal, noise[:, : p - 2]])
            rotations, pool = _ranked(X, y, child(sequence, p))
            order = np.argsort(pool.complexity, kind="stable")
            chosen = rotations[order[0 if best else -1]]
            rows.append(
                (f"p = {p}\ncomplexity {pool.complexity[order[0 if best else -1]]:.4g}", X @ chosen, y)
            )
        return plot_projections(rows)

    return draw


def _ranked(X, y, sequence) -> tuple[np.ndarray, GrowingForests]:
    """Return 100 rotations, the identity first, and micro-forests of 20 trees on them."""
    p = X.shape[1]
    axes, rotations = draw_rotations(p, child(sequence, "rotations"), N_ROTATIONS, dtype=np.float32)
    rotations[0] = np.eye(p)
    views = rotated_views(axes, rotations, p, 0)
    rows = np.ascontiguousarray(X, dtype=np.float32)
    return rotations, GrowingForests(rows, y, 2, views, 20, "sqrt", child(sequence, "trees"))


def _noisy_square(sequence: np.random.SeedSequence) -> Figure:
    """Figure 4 of the QMM paper: 500 full trees on the noisy unit square, and what QMM (v = .5) keeps."""
    rng = np.random.default_rng(sequence)
    X, y = noisy_square(1000, 20, rng)
    T, t = noisy_square(1000, 0, rng)
    seed = integer_seed(sequence)
    axis = np.linspace(0, 1, GRID)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    panels = {}
    for name, clf in (
        ("AdaBoost", AdaBoostM1Classifier(500, TreeClassifier(), resample=True, random_state=seed)),
        ("RF", ForestClassifier(500, random_state=seed)),
    ):
        voters = voters_of(clf.fit(X, y))
        votes, tested, drawn = (voters.votes(rows) for rows in (X, T, points))
        weights = voters.weights()
        pruner = QMMPruner(0.5).fit(votes, y, weights=weights)
        shares = np.full(len(voters), 1.0) if weights is None else weights
        whole = [vote_shares(v, shares, 2, 0).argmax(axis=1) for v in (tested, drawn)]
        pruned = [pruner.combine(v) for v in (tested, drawn)]
        for title, (errors, regions) in (
            (f"{name}, {len(voters)} trees", whole),
            (f"QMM of {name}, {pruner.n_selected_} trees", pruned),
        ):
            panels[f"{title}: error {np.mean(errors != t):.3f}"] = regions.reshape(GRID, GRID)
    truth = (points.sum(axis=1) > 1).astype(int).reshape(GRID, GRID)
    return plot_boundaries(panels, X, y, (0.0, 1.0, 0.0, 1.0), truth)


DRAW: dict[str, Callable[[np.random.SeedSequence], Figure]] = {
    "boundaries": _boundaries,
    "multi_boundaries": _multi_boundaries,
    "noisy_square": _noisy_square,
    "spheres": _spheres,
    "weights": _weights,
    "rotated_a": _rotated("a"),
    "rotated_b": _rotated("b"),
    "rotated_c": _rotated("c"),
    "projections_best": _projections(best=True),
    "projections_worst": _projections(best=False),
}
