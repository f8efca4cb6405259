"""The names of the modules that run the steps; a step imports its own module alone, so its fingerprint has no other."""

from importlib import import_module
from typing import Any

_STEPS = "fetch prepare groups train combine score summarize draw published refit explain report track"
STEPS = {name: f"rotastack.workflow.run.steps.{name}" for name in _STEPS.split()}
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
