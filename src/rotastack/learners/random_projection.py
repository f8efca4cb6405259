"""Ensembles on random projections."""

from rotastack.ensembles.pooled.reduction import RandomProjectionEnsembleClassifier
from rotastack.learners.base_inducers import base_inducer_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "base": {"enum": ["nn", "j48", "nb"]},
    "n_estimators": {"type": "integer", "minimum": 1},
    "n_components": {"type": ["integer", "null"], "minimum": 1},
    "projection": {"enum": ["sphere", "sign", "sparse"]},
    "boost": {"type": "boolean"},
    "bootstrap": {"type": "boolean"},
}


def make(
    base: str = "j48",
    n_estimators: int = 10,
    n_components: int | None = None,
    projection: str = "sphere",
    boost: bool = False,
    bootstrap: bool = False,
) -> RandomProjectionEnsembleClassifier:
    """Make members of `base` on random projections of columns that the pool has scaled."""
    return RandomProjectionEnsembleClassifier(
        base_inducer_of(base), n_components, n_estimators,
        kind=projection, boost=boost, bootstrap=bootstrap, scaling=None,
    )  # fmt: skip
