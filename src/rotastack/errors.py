"""Errors that the user can fix."""

from collections.abc import Iterable
from pathlib import Path


class RotastackError(ValueError):
    """An error that the user can fix: its one line names the culprit and what is allowed."""


class KernelError(RotastackError, ImportError):
    """The error of a compiled kernel that is missing or built for another platform."""


def in_one_line(error: object) -> str:
    """Return the message of an error on one line, or the name of its class if the message is empty."""
    return " ".join(str(error).split()) or type(error).__name__


DELETE = "; delete it and run again"
"""Advice on a damaged file of results, which no message on a file of the user may have."""


def unreadable(path: str | Path, error: BaseException) -> RotastackError:
    """Return the error to raise for a file that could not be read: it is damaged, missing or out of reach."""
    path, text = Path(path), in_one_line(error)
    number = getattr(error, "errno", None)
    if number and not isinstance(error, FileNotFoundError):  # such as a lost connection: the content may be fine
        return RotastackError(f"{path}: cannot be read ({text[:200]}); make the file readable, then run again")
    if not path.is_file():
        return RotastackError(f"{path}: file not found; repeat the command to make the file again")
    return RotastackError(f"{path}: damaged ({text:.200}){DELETE}")


def nearest(name: str, known: list[str]) -> str:
    """Return ``"; did you mean 'x'"`` for the known name closest to `name`, or an empty string."""
    import difflib

    by_lower = {k.lower(): k for k in known}
    matches = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return f"; did you mean {by_lower[matches[0]]!r}" if matches else ""


def counted(n: int, word: str) -> str:
    """Return a number with its noun: "1 row", "2 rows"."""
    return f"{n} {word}{'s' * (n != 1)}"


def shortened(names: Iterable[object], most: int = 8) -> str:
    """Return names as a list, cut after `most` of them with the number of the others."""
    shown = list(map(str, names))
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "")


_EXTRAS = {
    "xgboost": "boosting",
    "matplotlib": "plots",
    **dict.fromkeys(("openpyxl", "pyarrow"), "tables"),
    "cvxpy": "workflow",
    "flask": "server",
    **dict.fromkeys(("aeon", "catboost", "lightgbm", "ydf"), "bench"),
    **dict.fromkeys(
        (
            "docutils",
            "h5netcdf",
            "h5py",
            "jinja2",
            "mlflow",
            "pooch",
            "pydantic",
            "rich",
            "skops",
            "snakemake",
            "sqlalchemy",
            "xarray",
            "yaml",
        ),
        "workflow",
    ),
}
"""Module -> the extra that installs it."""


def extra_of(module: str) -> str | None:
    """Return the extra that installs a module, such as ``rotastack[plots]``; None for other modules."""
    extra = _EXTRAS.get(module.partition(".")[0])
    return extra and f"rotastack[{extra}]"


def not_installed_message(module: str | None) -> str | None:
    """Return the message for a module that is not installed but belongs to an extra; None for other modules."""
    extra = extra_of(module or "")
    return extra and f"{module} is not installed; run: pip install {extra!r}"


def not_installed_error(error: ModuleNotFoundError, otherwise: str = "") -> ModuleNotFoundError:
    """Return the error to raise for a missing module: it names the extra and the alternative, `otherwise`."""
    reason = not_installed_message(error.name)
    if reason is None:
        return error
    return ModuleNotFoundError(f"{reason}{otherwise and ', '}{otherwise}", name=error.name)
