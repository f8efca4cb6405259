"""Ensembles on diffusion maps."""

from rotastack.ensembles.pooled.reduction import DiffusionMapEnsembleClassifier
from rotastack.learners.base_inducers import base_inducer_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "base": {"enum": ["nn", "j48", "nb"]},
    "n_estimators": {"type": "integer", "minimum": 1},
    "n_components": {"type": ["integer", "null"], "minimum": 1},
    "epsilon": {"oneOf": [{"enum": ["random", "median"]}, {"type": "number", "exclusiveMinimum": 0}]},
    "n_landmarks": {"type": "integer", "minimum": 2},
    "extension": {"enum": ["markov", "kernel"]},
    "delta": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "t": {"type": "number", "minimum": 0},
    "boost": {"type": "boolean"},
    "bootstrap": {"type": "boolean"},
}


def make(
    base: str = "j48",
    n_estimators: int = 10,
    n_components: int | None = None,
    epsilon: str | float = "random",
    n_landmarks: int = 600,
    extension: str = "markov",
    delta: float = 1e-3,
    t: float = 1,
    boost: bool = False,
    bootstrap: bool = False,
) -> DiffusionMapEnsembleClassifier:
    """Make members of `base` on diffusion maps of columns that the pool has scaled; `boost` is DM+AdaBoost."""
    return DiffusionMapEnsembleClassifier(
        base_inducer_of(base), n_components, n_estimators,
        epsilon=epsilon, n_landmarks=n_landmarks, extension=extension, delta=delta, t=t,
        boost=boost, bootstrap=bootstrap, scaling=None,
    )  # fmt: skip
