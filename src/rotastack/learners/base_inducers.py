"""The single classifiers that ensembles of a study may be made of, by name."""

from typing import Any

from sklearn.naive_bayes import GaussianNB

from rotastack.ensembles.inducers.nearest import NearestNeighborClassifier
from rotastack.trees.c45 import C45Classifier

__all__ = ["base_inducer_of"]


def base_inducer_of(name: str) -> Any:
    """Return an unfitted classifier: "nn" is one nearest neighbour, "j48" C4.5, "nb" Gaussian naive Bayes."""
    return {
        "nn": lambda: NearestNeighborClassifier(),
        "j48": lambda: C45Classifier(),
        "nb": lambda: GaussianNB(),
    }[name]()
