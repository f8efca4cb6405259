"""The sizes of a study: the keys of a size are merged into the full study."""

from collections.abc import Mapping
from typing import Any

from rotastack.errors import RotastackError, nearest

__all__ = ["resized"]


def resized(content: Mapping[str, Any], size: str, where: str) -> dict[str, Any]:
    """Return a study's content at one of its sizes; every size but ``full`` is added to the study's name.

    Raises
    ------
    RotastackError
        The study has no such size.
    """
    full = {k: v for k, v in content.items() if k != "sizes"}
    sizes = content.get("sizes") or {}
    if not isinstance(sizes, Mapping) or not all(
        isinstance(name, str) and isinstance(change, Mapping) for name, change in sizes.items()
    ):
        raise RotastackError(
            f"{where}: sizes: must be a mapping of sizes, each a mapping of what differs, found {sizes}"
        )
    if size == "full":
        return full
    if size not in sizes:
        raise RotastackError(
            f"{where}: there is no size {size!r}{nearest(size, list(sizes))}; there are {', '.join(['full', *sizes])}"
        )
    return {**_merged(full, sizes[size]), "name": f"{content.get('name')}-{size}"}


def _merged(base: Any, change: Any) -> Any:
    """Merge `change` into `base`: null removes a key, and "*" changes keys that the entries of `base` have."""
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    merged = dict(base)
    if "*" in change:
        merged = {key: _changed(value, change["*"]) for key, value in merged.items()}
    for key, value in change.items():
        if key == "*":
            continue
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged[key], value) if key in merged else value
    return merged


def _changed(base: Any, change: Any) -> Any:
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    return {key: _changed(value, change[key]) if key in change else value for key, value in base.items()}
