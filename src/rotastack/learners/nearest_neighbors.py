"""k nearest neighbours."""

from sklearn.neighbors import KNeighborsClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {"k": {"type": "integer", "minimum": 1}}


def make(k: int = 5) -> KNeighborsClassifier:
    """Make a vote of the `k` nearest rows, by Euclidean distance."""
    return KNeighborsClassifier(n_neighbors=k)
