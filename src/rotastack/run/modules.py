"""The modules that run the steps, by name.

They are imported by name, so that a step pays for no other one, and an edit of one protocol reruns no study of the other.
"""

from importlib import import_module
from typing import Any

__all__ = ["PROTOCOLS", "STEPS", "protocol_module"]

STEPS = {
    "fetch": "rotastack.run.steps.fetch",
    "prepare": "rotastack.run.steps.prepare",
    "groups": "rotastack.run.steps.groups",
    "train": "rotastack.run.steps.train",
    "combine": "rotastack.run.steps.combine",
    "score": "rotastack.run.steps.score",
    "summarize": "rotastack.run.steps.summarize",
    "draw": "rotastack.run.steps.draw",
    "published": "rotastack.run.steps.published",
    "refit": "rotastack.run.steps.refit",
    "explain": "rotastack.run.steps.explain",
    "report": "rotastack.run.steps.report",
    "track": "rotastack.run.steps.track",
}
"""Step -> its module, in the order of the chain."""

PROTOCOLS = {
    "nested": {
        "groups": "rotastack.run.nested.folds",
        "train": "rotastack.run.nested.training",
        "combine": "rotastack.run.nested.combining",
    },
    "splits": {
        "groups": "rotastack.run.splits.folds",
        "train": "rotastack.run.splits.training",
        "combine": "rotastack.run.splits.combining",
    },
}
"""Protocol -> step -> module."""


def protocol_module(protocol: str, step: str) -> Any:
    """Return the module by which a protocol does a step."""
    return import_module(PROTOCOLS[protocol][step])


LIBRARIES = (
    "dask.array",
    "distributed",
    "h5netcdf.legacyapi",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "scipy.stats",
    "sklearn.ensemble",
    "xarray.backends.h5netcdf_",
)
"""Modules that libraries import late, and that nearly all steps need: for the server of steps. XArray takes Dask where it is."""
