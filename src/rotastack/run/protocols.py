"""The modules that run each protocol.

They are imported by name, so that an edit of one protocol reruns no study of the other.
"""

from importlib import import_module
from typing import Any

__all__ = ["MODULES", "protocol_module"]

MODULES = {
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
    return import_module(MODULES[protocol][step])
