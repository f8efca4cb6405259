"""The reference of studies' keys, from the typed model that checks them."""

import json

__all__ = ["documents", "page"]

FIRST = "StudyDocument"


def documents() -> dict[str, dict]:
    """Return name -> JSON schema of each mapping that a study may hold, the study itself first, as they are met."""
    from rotastack.study.model import StudyDocument

    whole = StudyDocument.model_json_schema()
    defs = whole.pop("$defs")
    found: dict[str, dict] = {}
    waiting = [(FIRST, whole)]
    while waiting:
        name, schema = waiting.pop(0)
        if name not in found:
            found[name] = schema
            waiting += [(other, defs[other]) for other in _references(schema)]
    return found


def _references(schema):
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            elif key != "mapping":
                yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def page(_docname: str) -> str:
    """Return a section for each mapping with a row for each key."""
    found = documents()
    contents = [f"[{_title(name)}](#{_anchor(name)})" for name in found]
    lines = [f"Mappings, in the order in which they are met: {', '.join(contents)}.", ""]
    for name, schema in found.items():
        lines += [f"({_anchor(name)})=", f"## {_title(name)}", "", _text(schema.get("description", "")), ""]
        required = schema.get("required", [])
        lines += ["| key | type | default | what |", "|---|---|---|---|"]
        for key, value in schema.get("properties", {}).items():
            default = "*required*" if key in required else _default(value)
            lines.append(f"| `{key}` | {_type(value)} | {default} | {_text(_described(value))} |")
        lines.append("")
    return "\n".join(lines)


def _anchor(name):
    return f"study-{name.lower()}"


def _title(name):
    return "A study" if name == FIRST else f"`{name}`"


def _described(value):
    limits = [
        f"{word} {value[key]}"
        for key, word in (("minimum", "at least"), ("maximum", "at most"), ("exclusiveMinimum", "above"))
        if key in value
    ]
    return "; ".join(text for text in (value.get("description", ""), *limits) if text)


def _default(value):
    if "default" not in value:
        return "" if "const" in value else "*none*"
    if value["default"] in ({}, [], ""):
        return "empty"
    if isinstance(value["default"], dict):
        return "its own"
    return f"`{json.dumps(value['default'], ensure_ascii=False)}`"


def _type(value):
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{_anchor(name)})"
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{json.dumps(v)}`" for v in value["enum"])
    for key in ("anyOf", "oneOf"):
        if key in value:
            return " or ".join(dict.fromkeys(_type(v) for v in value[key]))
    if "allOf" in value:
        return " and ".join(_type(v) for v in value["allOf"])
    if value.get("type") == "array":
        if "prefixItems" in value:
            return "list of " + ", ".join(_type(v) for v in value["prefixItems"])
        return f"list of {_type(value.get('items', {}))}"
    if value.get("type") == "object":
        inner = value.get("additionalProperties")
        return f"mapping to {_type(inner)}" if isinstance(inner, dict) and inner else "mapping"
    return {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false",
            "null": "null"}.get(value.get("type"), "anything")  # fmt: skip


def _text(text):
    """Return a description for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
