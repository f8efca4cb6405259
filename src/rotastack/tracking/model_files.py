"""Model files: written and read by skops, which makes no object of a type that is not trusted."""

from importlib import import_module
from pathlib import Path
from typing import Any

import skops.io

from rotastack.errors import RotastackError
from rotastack.files import replacing

__all__ = ["dump_model", "load_model", "trusted_types"]

REVIEWED_TYPES = frozenset(
    {
        "builtins.range",
        "numpy.dtype",
        "scipy.sparse._csr.csr_array",
        "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
        "xgboost.sklearn.XGBRegressor",
    }
)
"""Types of other packages that our models hold, read by hand: loading them runs nothing of the file.

Add one here when :func:`dump_model` refuses it.
"""


def dump_model(model: Any, path: str | Path) -> None:
    """Write a fitted model.

    Raises
    ------
    RotastackError
        It holds a type that is neither ours nor reviewed; nothing is written.
    """
    with replacing(path) as temporary:
        skops.io.dump(model, temporary)
        trusted_types(temporary, path)


def load_model(path: str | Path) -> Any:
    """Read a model written by :func:`dump_model`.

    Raises
    ------
    RotastackError
        It holds a type that is neither ours nor reviewed; nothing is made of it.
    """
    return skops.io.load(path, trusted=trusted_types(path))


def trusted_types(path: str | Path, name: str | Path | None = None) -> list[str]:
    """Return the types in a model file that skops does not trust by itself, if all of them are ours or reviewed.

    Parameters
    ----------
    path : str or Path
    name : str or Path, optional
        What the message calls the file.

    Raises
    ------
    RotastackError
        Some are neither.
    """
    found = skops.io.get_untrusted_types(file=path)
    unknown = [kind for kind in found if kind not in REVIEWED_TYPES and not _is_ours(kind)]
    if unknown:
        raise RotastackError(f"{name or path}: types not on the reviewed list: {', '.join(unknown)}")
    return found


def _is_ours(kind: str) -> bool:
    """Tell whether a dotted name is that of a class which a module of this package defines."""
    module, _, name = kind.rpartition(".")
    if (
        not module.startswith("rotastack.") or module == "rotastack.__main__"
    ):  # which runs when it is imported
        return False
    try:
        found = getattr(import_module(module), name, None)
    except ImportError:
        return False
    return isinstance(found, type) and found.__module__ == module
