"""The index of seeds in `rotastack.seeds` has every key that the package uses."""

import ast
import re
from pathlib import Path

import rotastack.seeds

PACKAGE = Path(rotastack.seeds.__file__).parent


def keys():
    """Yield the text keys of calls of ``child``, with their files."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "child":
                for part in node.args[1:]:
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value, file.name


def test_the_index_has_every_key_and_no_other():
    index = set(re.findall(r"\w+", rotastack.seeds.__doc__))
    used = set(keys())
    assert not [(key, file) for key, file in used if key not in index]
    assert len({key for key, _ in used}) > 20
