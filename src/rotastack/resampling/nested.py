"""The pairs of held-out folds that nested cross-validation trains for."""

from rotastack.errors import RotastackError

__all__ = ["nested_pairs"]


def nested_pairs(n_folds: int) -> list[tuple[int, int]]:
    """List the pairs of folds (a, b), a <= b, that are held out together.

    The diagonal (a, a) stands for one fold held out alone; methods without a second level
    use it. F folds give F(F+1)/2 pairs (thesis, section 3.3.1).

    Examples
    --------
    >>> nested_pairs(3)
    [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    """
    if n_folds < 2:
        raise RotastackError(f"n_folds must be at least 2, got {n_folds}")
    return [(a, b) for a in range(n_folds) for b in range(a, n_folds)]
