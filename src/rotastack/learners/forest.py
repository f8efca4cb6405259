"""Random forest."""

from sklearn.ensemble import RandomForestClassifier

__all__ = ["make"]


def make(
    n_trees: int = 100,
    max_features: str | int | float | None = "sqrt",
    min_samples_leaf: int = 1,
    max_depth: int | None = None,
) -> RandomForestClassifier:
    """Make a random forest of `n_trees` bootstrapped trees, with out-of-bag scores."""
    return RandomForestClassifier(
        n_estimators=n_trees,
        max_features=max_features,
        min_samples_leaf=min_samples_leaf,
        max_depth=max_depth,
        oob_score=True,
    )
