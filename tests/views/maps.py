"""Points and diffusion maps that tests share."""

import numpy as np

from rotastack.views import DiffusionMap


def points(n=40, p=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


def markov(X, epsilon):
    """Return the matrix of the walk and its degrees, by the formulas."""
    W = np.array([[np.exp(-((x - y) ** 2).sum() / (2 * epsilon)) for y in X] for x in X])
    d = W.sum(axis=1)
    return W / d[:, None], d


def every(X, **options):
    """Return the map with all components."""
    return DiffusionMap(len(X) - 1, random_state=0, **options).fit(X)
