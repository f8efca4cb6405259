"""The pairs of folds that nested cross-validation holds out."""

from rotastack.errors import RotastackError

__all__ = ["nested_pairs"]


def nested_pairs(n_folds: int) -> list[tuple[int, int]]:
    """List the pairs of folds (a, b), a <= b, that nested cross-validation holds out together.

    For each pair members are trained on all other folds. Their predictions for one of the two folds train the
    second level, those for the other test it. A pair (a, a) is one fold held out alone, for methods without a
    second level. F folds give F (F + 1) / 2 pairs (thesis, section 3.3.1).

    Parameters
    ----------
    n_folds : int
        F, at least 2.

    Returns
    -------
    list of (int, int)
        In lexicographic order.

    Raises
    ------
    RotastackError
        Fewer than 2 folds.

    Examples
    --------
    >>> nested_pairs(3)
    [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    """
    if n_folds < 2:
        raise RotastackError(f"n_folds must be at least 2, got {n_folds}")
    return [(a, b) for a in range(n_folds) for b in range(a, n_folds)]
