"""Twenty tables that need no network."""

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_classification, make_hastie_10_2
from sklearn.preprocessing import LabelEncoder, OrdinalEncoder

from rotastack.data import load_dataset

REGISTERED = [
    "iris", "wine", "wdbc", "digits", "waveform-21-simulated", "waveform-40-simulated", "twonorm", "ringnorm",
    "led24-simulated", "noisy-square", "monks-1", "monks-2", "monks-3", "balance-scale", "tic-tac-toe", "threeOf9",
]  # fmt: skip

MADE = {
    "blobs": lambda: make_blobs(400, 5, centers=6, cluster_std=3.0, random_state=0),
    "circles": lambda: make_circles(400, noise=0.2, random_state=0),
    "hastie": lambda: make_hastie_10_2(600, random_state=0),
    "clusters": lambda: make_classification(500, 12, n_informative=6, n_classes=4, random_state=0),
}

TABLES = [*REGISTERED, *MADE]


def table(name):
    """Return X as float32 and class numbers."""
    if name in MADE:
        X, y = MADE[name]()
    else:
        X, y = load_dataset(name)
        if (X.dtypes == "category").any():
            X = OrdinalEncoder().fit_transform(X)
    return np.asarray(X, dtype=np.float32), LabelEncoder().fit_transform(y)
