"""The names of the modules that run the steps.

A step imports only its own module, by name. So it does not pay for the others, and its fingerprint ignores them.
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
    """Return the module that runs a step of a protocol."""
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
"""Modules that libraries import late and nearly all steps need, for the server of steps; xarray uses Dask if present."""
