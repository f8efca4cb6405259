"""A single C4.5 tree (WEKA's J48)."""

from rotastack.trees.c45 import C45Classifier

__all__ = ["PARAMETERS", "make"]

PARAMETERS = {
    "confidence": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 0.5},
    "min_samples_leaf": {"type": "integer", "minimum": 1},
    "subtree_raising": {"type": "boolean"},
}


def make(
    confidence: float | None = 0.25, min_samples_leaf: int = 2, subtree_raising: bool = True
) -> C45Classifier:
    """Make a C4.5 tree."""
    return C45Classifier(
        confidence=confidence, min_samples_leaf=min_samples_leaf, subtree_raising=subtree_raising
    )
