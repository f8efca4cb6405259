"""Progress lines that an estimator prints during ``fit``."""

from time import perf_counter

__all__ = ["Steps"]


class Steps:
    """A printer of one line after each step, with the duration of the step in seconds.

    Parameters
    ----------
    name : str
        Name of the estimator, the beginning of each line.
    verbose : int
        0 prints nothing.

    Examples
    --------
    >>> Steps("Forest", 1).done("100 trees grown")  # doctest: +ELLIPSIS
    [Forest] 100 trees grown (... s)
    """

    def __init__(self, name: str, verbose: int = 0):
        self.name = name
        self.verbose = verbose
        self._since = perf_counter()

    def done(self, words: str) -> None:
        """Print the line of a completed step."""
        now = perf_counter()
        if self.verbose:
            print(f"[{self.name}] {words} ({now - self._since:.2f} s)", flush=True)
        self._since = now
