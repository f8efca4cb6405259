"""The flagship: a forest over families of views, each weighed by what it says of rows out of bag."""

from collections.abc import Sequence

from rotastack.ensembles.flagship.classifier import RotastackClassifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "trees_per_family": {"type": "integer", "minimum": 1},
    "families": {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"enum": ["id", "idET", "idall", "Lm", "Lpc", "Lsp", "te"]},
    },
    "ridge": {"type": "number", "exclusiveMinimum": 0},
}


def make(
    trees_per_family: int = 100,
    families: Sequence[str] = ("id", "idET", "Lm", "Lpc", "Lsp", "te"),
    ridge: float = 2.0,
) -> RotastackClassifier:
    """Make the flagship with `trees_per_family` trees in each of its `families`; "te" where there are categories."""
    return RotastackClassifier(trees_per_family, tuple(families), ridge=ridge)
