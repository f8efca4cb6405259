"""Ensembles on random subsets of the columns."""

from rotastack.ensembles.pooled.reduction import RandomSubspaceEnsembleClassifier
from rotastack.learners.base_inducers import base_inducer_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "base": {"enum": ["nn", "j48", "nb"]},
    "n_estimators": {"type": "integer", "minimum": 1},
    "n_components": {"type": ["integer", "null"], "minimum": 1},
    "boost": {"type": "boolean"},
    "bootstrap": {"type": "boolean"},
}


def make(
    base: str = "j48",
    n_estimators: int = 10,
    n_components: int | None = None,
    boost: bool = False,
    bootstrap: bool = False,
) -> RandomSubspaceEnsembleClassifier:
    """Make members of `base` on random subsets of the columns."""
    return RandomSubspaceEnsembleClassifier(
        base_inducer_of(base), n_components, n_estimators, boost=boost, bootstrap=bootstrap, scaling=None
    )
