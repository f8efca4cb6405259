"""A single inducer, the measure of ensembles made of it."""

from typing import Any

from rotastack.learners.base_inducers import base_inducer_of

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {"base": {"enum": ["nn", "j48", "nb"]}}


def make(base: str = "nn") -> Any:
    """Make one nearest neighbour ("nn"), C4.5 ("j48") or Gaussian naive Bayes ("nb")."""
    return base_inducer_of(base)
