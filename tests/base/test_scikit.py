"""One module alone names private parts of scikit-learn."""

import ast
from pathlib import Path

import rotastack

PACKAGE = Path(rotastack.__file__).parent
DOOR = PACKAGE / "base" / "scikit.py"


def private_imports(text):
    """Return what a module imports of scikit-learn that begins with an underscore, or is in such a module."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            first, *parts = name.split(".")
            if first == "sklearn" and any(part.startswith("_") for part in parts):
                found.append(name)
    return found


def test_only_one_module_imports_private_parts_of_scikit_learn():
    found = {
        str(path.relative_to(PACKAGE)): names
        for path in PACKAGE.rglob("*.py")
        if path != DOOR and (names := private_imports(path.read_text()))
    }
    assert found == {}


def test_private_imports_are_found():
    assert private_imports(DOOR.read_text())
    assert private_imports("import sklearn.tree._tree") == ["sklearn.tree._tree"]
    assert private_imports("def f():\n    from sklearn.base import _fit_context, clone") == [
        "sklearn.base._fit_context"
    ]
    assert private_imports("from sklearn.base import clone\nimport sklearn.utils") == []
