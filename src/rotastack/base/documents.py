"""Typed documents read from YAML files. Error messages name the file, the key and the remedy."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from rotastack.errors import RotastackError, nearest, not_installed_error
from rotastack.files import read_text

try:
    import yaml
    from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
except ModuleNotFoundError as error:
    raise not_installed_error(error) from None

__all__ = ["Document", "Field", "load_mapping", "load_yaml", "model_validator"]


class Document(BaseModel):
    """A mapping of a YAML file. Its keys are the fields; other keys are refused, and no value is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=False)

    @classmethod
    def read(cls, data: Any, where: str) -> Self:
        """Return the document made of `data`, a mapping.

        The one-line message of a RotastackError names the file, `where`, the key, the wrong value and the allowed ones.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            worst = min(error.errors(include_url=False), key=_importance)
            raise RotastackError(f"{where}: {_sentence(cls, data, worst)}") from None

    def dump(self) -> dict[str, Any]:
        """Return the document as plain mappings, with defaults filled in and keys in the order of the fields."""
        return self.model_dump(mode="json", by_alias=True)


def _importance(error: Any) -> tuple[int, int]:
    """Return the sort key of an error: unknown keys come first, since a missing key is often a misspelt one."""
    kinds = ["extra_forbidden", "missing"]
    return (kinds.index(error["type"]) if error["type"] in kinds else len(kinds), len(error["loc"]))


def _sentence(cls: type[BaseModel], data: Any, error: Any) -> str:
    kind, given, context = error["type"], error["input"], error.get("ctx", {})
    path = _path(data, error["loc"], kind)
    key = ".".join(path) or "top level"
    if kind == "extra_forbidden":
        *parents, name = path
        place = ".".join(parents) or "top level"
        known = [f.alias or name for name, f in _at(cls, error["loc"][:-1])[0].model_fields.items()]
        return f"{place}: unknown key {name!r}{nearest(name, known)}; allowed: {', '.join(known)}"
    if kind == "missing":
        return f"{'.'.join(path[:-1]) or 'top level'}: key {path[-1]!r} is missing"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tags = [t.strip().strip("'") for t in context.get("expected_tags", "").split(",")]
        tag = context.get("tag")
        if tag is None:
            return f"{key}: key 'kind' is missing{'; allowed: ' + ', '.join(tags) if tags != [''] else ''}"
        return f"{key}.kind: {tag!r} is not one of {', '.join(tags)}{nearest(str(tag), tags)}"
    if kind == "literal_error":
        options = [t.strip().strip("'") for t in context["expected"].replace(" or ", ", ").split(",")]
        return f"{key}: {given!r} is not one of {', '.join(options)}{nearest(str(given), options)}"
    if kind == "value_error":
        return f"{key}: {context['error']}" if path else str(context["error"])
    shown = repr(given)
    shown = shown if len(shown) < 80 else shown[:77] + "..."
    rule = re.sub("^[A-Z][a-z]+ should", "must", error["msg"])  # such as "Input should be a valid integer"
    rule = rule[0].lower() + rule[1:]
    field = _at(cls, error["loc"])[1]
    described = f" ({field.description})" if field is not None and field.description else ""
    return f"{key}: {rule}, found {shown}{described}"


def _path(data: Any, location: tuple[Any, ...], kind: str) -> list[str]:
    """Return the keys of the file at a location; pydantic's locations hold names of union members as well."""
    path: list[str] = []
    for part in location:
        if part == "[key]":
            path.pop()
            continue
        inside = isinstance(data, Mapping) and part in data
        if inside or (isinstance(part, int) and isinstance(data, list) and part < len(data)):
            data = data[part]
            path.append(str(part))
        elif part == location[-1] and kind in ("extra_forbidden", "missing"):
            path.append(str(part))
    return path


def _models(annotation: Any) -> list[type[BaseModel]]:
    """Return the classes of documents that an annotation allows."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for part in getattr(annotation, "__args__", ()) for m in _models(part)]


def _at(cls: type[BaseModel], location: tuple[Any, ...]) -> tuple[type[BaseModel], Any]:
    """Return the class of the document around a location, and the field at the location; None if there is no field."""
    field = None
    for part in location:
        fields = {f.alias or name: f for name, f in cls.model_fields.items()}
        if part in fields:
            field = fields[part]
            models = _models(field.annotation)
            cls = models[0] if len(models) == 1 else cls
        elif field is not None:  # a key of a mapping, a number in a list, or the tag of a union
            tagged = [m for m in _models(field.annotation) if m.__name__ == part or _tag(m) == part]
            cls = tagged[0] if tagged else cls
    return cls, field


def _tag(model: type[BaseModel]) -> Any:
    kind = model.model_fields.get("kind")
    return None if kind is None else getattr(kind.annotation, "__args__", (None,))[0]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A safe YAML loader that refuses duplicate keys."""


def _mapping(loader, node, deep=False):
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} occurs twice", node.start_mark)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


class _ExactLoader(_Loader):
    """A loader that refuses values that YAML 1.1 reads otherwise than they look: 010 as 8, 1:10 as 70, yes as true."""


def _exactly(loader, node):
    value = yaml.SafeLoader.yaml_constructors[node.tag](loader, node)
    if not node.style and _MISREAD.fullmatch(node.value):  # a text in quotes has a style
        text, shown, line = node.value, json.dumps(value), node.start_mark.line + 1
        raise RotastackError(f"line {line}: {text} is read as {shown}; write {text!r} for the text, or {shown}")
    return value


_MISREAD = re.compile(r"yes|no|on|off|.*:.*|[-+]?0[0-7_]*[1-7][0-7_]+", re.IGNORECASE)
_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
for _kind in ("bool", "int", "float"):
    _ExactLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", _exactly)


def load_yaml(path: str | Path, *, exactly: bool = True) -> Any:
    """Return the contents of a YAML file; a RotastackError names the file and the line of a mistake.

    `exactly` refuses a value that YAML reads otherwise than it looks, such as 010.
    """
    path = Path(path)
    if not path.is_file():
        raise RotastackError(f"{path}: file not found")
    text = read_text(path)
    if text.startswith("{"):
        with suppress(ValueError):  # Snakemake reads JSON as JSON, where 1e-05 is a number
            return json.loads(text)
    try:
        return yaml.load(text, _ExactLoader if exactly else _Loader)
    except yaml.YAMLError as error:
        raise RotastackError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    except RotastackError as error:
        raise RotastackError(f"{path}: {error}") from None


def load_mapping(path: str | Path, *, exactly: bool = True) -> dict[str, Any]:
    """Return the mapping in a YAML file, empty for an empty file; a RotastackError for any other content."""
    content = load_yaml(path, exactly=exactly)
    if not isinstance(content, dict | None):
        raise RotastackError(f"{path}: must be a mapping of keys to values, found {content!r:.60}")
    return content or {}
