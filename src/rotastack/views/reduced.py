"""How many columns a view that reduces them keeps."""

from numbers import Integral

__all__ = ["kept_columns"]


def kept_columns(n_components: int | None, n_features: int) -> int:
    """Return the number of columns to keep: half of them, rounded up, unless `n_components` says otherwise.

    Raises
    ------
    ValueError
        Not a whole number from 1 to `n_features`.
    """
    if n_components is None:
        return -(-n_features // 2)
    if not isinstance(n_components, Integral) or not 1 <= n_components <= n_features:
        raise ValueError(
            f"n_components must be a whole number from 1 to {n_features}, the number of columns, "
            f"or None for half of them; got {n_components!r}"
        )
    return int(n_components)
