"""Linear nu-SVM by libsvm: what the diversity regularised machine is with one member."""

from rotastack.linear.nu_svm import FeasibleNuSVC

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {"lam": {"type": "number", "exclusiveMinimum": 1}}


def make(lam: float = 1.2) -> FeasibleNuSVC:
    """Make a linear nu-SVM; nu is its largest possible value divided by `lam`."""
    return FeasibleNuSVC(lam)
