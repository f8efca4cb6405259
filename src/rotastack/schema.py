"""Check YAML files against their JSON schemas, with errors that name file, key and remedy."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from rotastack.errors import RotastackError, nearest
from rotastack.project import project_file

__all__ = ["load_yaml", "schema", "validate", "with_defaults"]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML that refuses a key that stands twice."""


def _mapping(loader, node, deep=False):
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} stands twice", node.start_mark)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_yaml(path: str | Path) -> Any:
    """Read a YAML file; RotastackError names the file and line of a mistake."""
    path = Path(path)
    if not path.is_file():
        raise RotastackError(f"{path}: there is no such file")
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except yaml.YAMLError as error:
        raise RotastackError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


@cache
def schema(name: str) -> dict[str, Any]:
    """Return ``workflow/schemas/<name>.schema.yaml``."""
    return load_yaml(project_file(f"workflow/schemas/{name}.schema.yaml"))


def validate(data: Any, name: str, where: str) -> None:
    """Check `data` against a schema.

    Raises
    ------
    RotastackError
        One line: the file, the key, what was found, what is allowed.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema(name)).iter_errors(data))
    if error is not None:
        raise RotastackError(f"{where}: {_sentence(error)}")


def with_defaults(data: Any, node: Mapping[str, Any]) -> Any:
    """Return `data` with the schema's defaults filled in, down to nested mappings."""
    if not isinstance(data, dict):
        return data
    filled = dict(data)
    for key, child in node.get("properties", {}).items():
        if key not in filled and "default" in child:
            filled[key] = child["default"]
        if key in filled:
            filled[key] = with_defaults(filled[key], child)
    extra = node.get("additionalProperties")
    if isinstance(extra, dict):
        for key in filled.keys() - node.get("properties", {}).keys():
            filled[key] = with_defaults(filled[key], extra)
    return filled


def _sentence(error) -> str:
    key = ".".join(str(part) for part in error.absolute_path) or "top level"
    allowed = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = next(k for k in error.instance if k not in known)
        return f"{key}: unknown key {unknown!r}{nearest(str(unknown), known)}; allowed are {', '.join(known)}"
    if error.validator == "required":
        missing = next(k for k in error.validator_value if k not in error.instance)
        return f"{key}: key {missing!r} is missing"
    if error.validator == "enum":
        options = ", ".join(map(str, error.validator_value))
        return f"{key}: {error.instance!r} is not one of {options}{nearest(str(error.instance), [str(v) for v in error.validator_value])}"
    found = repr(error.instance)
    found = found if len(found) < 80 else found[:77] + "..."
    least = error.validator_value
    few = "must not be empty" if least == 1 else f"must have at least {least} entries"
    rule = {
        "type": f"must be {error.validator_value}",
        "minimum": f"must be at least {error.validator_value}",
        "maximum": f"must be at most {error.validator_value}",
        "exclusiveMinimum": f"must be greater than {error.validator_value}",
        "exclusiveMaximum": f"must be less than {error.validator_value}",
        "minItems": few,
        "minProperties": few,
        "pattern": f"must match {error.validator_value}",
    }.get(error.validator, error.message)
    return f"{key}: {rule}, found {found}" + (f" ({allowed})" if allowed else "")
