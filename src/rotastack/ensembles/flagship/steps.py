"""What a user is told while a model is fitted."""

from time import perf_counter

__all__ = ["Steps"]


class Steps:
    """Print a line after each step, with the seconds it took.

    Parameters
    ----------
    name : str
        Of the estimator: each line begins with it.
    verbose : int
        With 0 nothing is printed.

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
        """Tell of a step that has ended."""
        now = perf_counter()
        if self.verbose:
            print(f"[{self.name}] {words} ({now - self._since:.2f} s)", flush=True)
        self._since = now
