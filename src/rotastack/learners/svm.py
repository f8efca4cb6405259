"""Support vector machine with a radial kernel."""

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {"C": {"type": "number", "exclusiveMinimum": 0}}


def make(C: float = 1.0) -> Pipeline:
    """Make a C-SVM with kernel exp(-|x - x'|^2 / p) on standardised columns, as e1071 does by default."""
    return make_pipeline(StandardScaler(), SVC(C=C, gamma="auto"))
