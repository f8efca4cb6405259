"""Public names and how they are called, as tests/public_names.txt keeps them: ``python tools/public_names.py`` writes it anew.

The names are those of the packages' ``__all__``, which the reference lists, too (docs/_site/api.py).
"""

import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "tests" / "public_names.txt"
ABOUT = "# Public names, and how they are called. tests/test_public_names.py says when tools/public_names.py may write this anew.\n"

sys.path.insert(0, str(ROOT / "docs"))
from _site.api import methods, public_objects, reference_name  # noqa: E402


def signature(value: object) -> str:
    """Return how something is called, without types; empty for what is not called."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=plain, return_annotation=found.empty))
    return re.sub(r"<(?:function|class) '?([\w.]+)[^>]*>", r"\1", text)


def current() -> dict[str, str]:
    """Return public name -> how it is called; of classes, their public methods as well.

    A name that is one more of something stands there alone.
    """
    found, objects = {}, public_objects()
    for name, value in objects.items():
        first = reference_name(name, objects) == name
        found[name] = signature(value) if first and callable(value) else ""
        if first and inspect.isclass(value):
            for method in methods(value):
                found[f"{name}.{method}"] = signature(getattr(value, method))
    return dict(sorted(found.items()))


def kept() -> dict[str, str]:
    """Return the same as the file has it."""
    lines = [line for line in KEPT.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {name: bracket + rest for name, bracket, rest in (line.partition("(") for line in lines)}


def main() -> None:
    """Write the file."""
    lines = [f"{name}{called}\n" for name, called in current().items()]
    KEPT.write_text(ABOUT + "".join(lines), encoding="utf-8")
    print(f"{KEPT.relative_to(ROOT)}: {len(lines)} names")


if __name__ == "__main__":
    main()
