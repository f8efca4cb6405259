"""Keys and values as MLflow takes them."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

__all__ = ["alias", "flat", "is_known", "key_name", "milliseconds", "quoted"]


def flat(parameters: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested parameters as one level, with dots in the names."""
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found


def key_name(key: str) -> str:
    """Return a key as MLflow takes it: a method's label may hold ``=``."""
    return key.replace("=", ":")


def alias(user: str) -> str:
    """Return a user's name as MLflow takes it in an alias."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in user)


def quoted(value: str) -> str:
    """Return a value as it may stand in a search; it may hold quotes of one kind."""
    return f'"{value}"' if "'" in value else f"'{value}'"


def is_known(value: Any) -> bool:
    """Tell whether a value is a finite number."""
    return value is not None and math.isfinite(float(value))


def milliseconds(started: str) -> int:
    """Return a time in ISO 8601 as MLflow has times."""
    return int(datetime.fromisoformat(started).timestamp() * 1000)
