"""The names of the modules that run the steps.

A step imports only its own module, by name. So it does not pay for the others, and its fingerprint ignores them.
"""

from importlib import import_module
from typing import Any

__all__ = ["PROTOCOLS", "STEPS", "protocol_module"]

_STEPS = (
    "fetch", "prepare", "groups", "train", "combine", "score", "summarize", "draw", "published", "refit", "explain", "report",
    "track",
)  # fmt: skip
STEPS = {name: f"rotastack.workflow.run.steps.{name}" for name in _STEPS}
"""Step -> its module, in the order of the chain."""

_PARTS = {"groups": "folds", "train": "training", "combine": "combining", "score": "folds"}
PROTOCOLS = {
    protocol: {step: f"rotastack.workflow.run.{protocol}.{module}" for step, module in _PARTS.items()}
    for protocol in ("nested", "splits")
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
