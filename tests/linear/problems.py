"""Small random problems of two classes for the tests of rotastack.linear."""

import numpy as np

POWERS, SIZES = (1, 1.5, 2), (1, 4, 10)


def two_classes(seed, n=40, d=6, noise=1.0):
    """Return (X, y), y in {-1, 1}, both present; the more noise, the more rows on the wrong side."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d) / 2
    signal = (X - X.mean(axis=0)) @ rng.normal(size=d) / np.sqrt(d)
    y = np.where(signal + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[[signal.argmin(), signal.argmax()]] = -1, 1
    return X, y


def three_classes(seed, n=60, d=4):
    """Return (X, y), y in {"a", "b", "c"}, with classes that overlap."""
    rng = np.random.default_rng(seed)
    k = np.arange(n) % 3
    centres = rng.normal(size=(3, d))
    return centres[k] + rng.normal(size=(n, d)), np.array(list("abc"))[k]


def random_problem(seed):
    """Return a problem of which every loss power and number of members comes up with n above and below d."""
    rng = np.random.default_rng(seed)
    p, C = POWERS[seed % 3], SIZES[seed // 3 % 3]
    n = int(rng.integers(30, 61) if seed % 2 else rng.integers(15, 31))
    d = int(rng.integers(3, n // 2) if seed % 2 else rng.integers(n, 81))
    X, y = two_classes(seed, n, d)
    lam = float(10 ** rng.uniform(-1, 1))
    weights = rng.uniform(0.2, 3, n) if seed % 5 == 0 else None
    return {"X": X, "y": y, "lam": lam, "C": C, "p": p, "weights": weights}
