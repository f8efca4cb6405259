"""Linear discriminant analysis."""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

__all__ = ["PARAMETERS", "make"]

PARAMETERS: dict = {}


def make() -> LinearDiscriminantAnalysis:
    """Make Fisher's linear discriminant analysis, without parameters to set."""
    return LinearDiscriminantAnalysis()
