"""Loading of registered data sets from their sources, with a check against the registry."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.data.registry import make_sources, registry
from rotastack.errors import DELETE, RotastackError, nearest, shortened

if TYPE_CHECKING:  # `unavailable` runs without pandas and NumPy
    import pandas as pd


def load_dataset(name: str, mirror: str | Path | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Return the columns and the target of a registered data set.

    Parameters
    ----------
    name : str
        A name that ``rotastack datasets`` lists.
    mirror : path, optional
        Folder with ``<name>.csv.gz`` or ``<name>.parquet``, searched before the network; by default the environment variable
        ``DATA_MIRROR``.

    Returns
    -------
    X : DataFrame of shape (n_rows, n_columns)
        All columns except ids and leaks of the registry. Categorical columns have the dtype ``category``.
        Missing values are NaN.
    y : Series of shape (n_rows,)
        Labels as text; numbers in a regression.

    Raises
    ------
    RotastackError
        The name is unknown, no source provides the data set, or it differs from the registry.

    Examples
    --------
    >>> from rotastack.data import load_dataset
    >>> X, y = load_dataset("balance-scale")
    >>> X.shape, sorted(set(y))
    ((625, 4), ['B', 'L', 'R'])
    """
    if name not in registry():
        near = nearest(name, list(registry()))
        raise RotastackError(f"data set {name!r} is unknown{near}; `rotastack datasets` lists the names")
    spec = registry()[name]
    table = fetch_table(name, spec, mirror)
    features = table.drop(columns="target")
    kinds = columns_by_kind(list(features.columns), spec.get("kinds", "auto"), name)
    features = features.drop(columns=[c for c, kind in kinds.items() if kind in ("id", "leak")])
    for column, kind in kinds.items():
        if kind == "categorical":
            features[column] = features[column].astype("category")
    if spec["task"] == "regression":
        return features, table["target"].astype("float64")
    from rotastack.base.categories import texts_of

    return features, texts_of(table["target"])


def fetch_table(name: str, spec: Mapping[str, Any], mirror: str | Path | None = None) -> pd.DataFrame:
    """Return the checked raw table of an entry, ``target`` last; a RotastackError if no source provides it or it differs."""
    reasons = []
    mirrored = _mirror_file(name, spec, mirror)
    for source in make_sources(name, spec):
        if source.network and mirrored is not None:
            break
        try:
            return check_table(source.load(), name, spec, str(source))
        except RotastackError as error:
            if not source.network:
                raise
            reasons.append(str(error))
    if mirrored is None:
        raise RotastackError(_cannot_be_had(name, spec, reasons))
    return check_table(_read_mirrored(mirrored), name, spec, str(mirrored))


def source_files(name: str, spec: Mapping[str, Any]) -> list[Path]:
    """Return the file that a table is read from: the user's own, or that of a mirror folder; [] for other sources."""
    sources, mirrored = make_sources(name, spec), _mirror_file(name, spec)
    if sources and not sources[0].network:
        return getattr(sources[0], "files", [])
    return [] if mirrored is None else [mirrored]


def unavailable(name: str, spec: Mapping[str, Any]) -> str | None:
    """Return one line on why a data set is not available and how to get it; None if it is available.

    The function looks for files and sends requests to servers, but downloads no data.
    """
    mirrored, reasons = _mirror_file(name, spec), []
    for source in make_sources(name, spec):
        if source.network and mirrored is not None:
            break
        try:
            source.probe()
        except RotastackError as error:
            if not source.network:
                return str(error)
            reasons.append(str(error))
        else:
            return None
    return None if mirrored is not None else _cannot_be_had(name, spec, reasons)


def check_table(table: pd.DataFrame, name: str, spec: Mapping[str, Any], where: str) -> pd.DataFrame:
    """Return the table with the registry's column names; a RotastackError lists differences from the registry.

    The class sizes are compared, not the labels, whose spelling may differ.
    """
    features = table.shape[1] - 1
    columns = spec.get("columns")
    expected = len(columns) if isinstance(columns, list) else columns
    differences = []
    if expected is not None and features != expected:
        differences.append(f"{features} feature columns, expected {expected}")
    if "rows" in spec and len(table) != spec["rows"]:
        differences.append(f"{len(table)} rows, expected {spec['rows']}")
    if "classes" in spec:
        sizes = table["target"].value_counts().to_dict()
        if sorted(sizes.values()) != sorted(spec["classes"].values()):
            differences.append(f"class counts {_short(sizes)}, expected {_short(spec['classes'])}")
    if differences:
        raise RotastackError(f"{name}: the table of {where} differs from the registry: {'; '.join(differences)}")
    if isinstance(columns, list):
        table = table.set_axis([*columns, "target"], axis=1)
    return table


def columns_by_kind(columns: list[str], kinds: Any, where: str) -> dict[str, str | list[str]]:
    """Return the kind of each column by the `kinds` of an entry: numeric, categorical, text, id, leak, auto, or an order."""
    if isinstance(kinds, str):
        return dict.fromkeys(columns, kinds)
    declared: dict[str, str] = {}
    orders = kinds.get("ordered", {})
    for kind in ("numeric", "categorical", "ordered", "text", "id", "leak"):
        for column in kinds.get(kind, []):
            if column not in columns:
                raise RotastackError(f"{where}: kinds.{kind}: column {column!r} not found")
            if column in declared:
                raise RotastackError(
                    f"{where}: kinds: column {column!r} is declared {declared[column]} and {kind}; declare one kind"
                )
            declared[column] = kind
    others = kinds.get("others", "numeric")
    return {column: orders.get(column) or declared.get(column, others) for column in columns}


def _mirror_file(name: str, spec: Mapping[str, Any], mirror: str | Path | None = None) -> Path | None:
    folder = mirror or os.environ.get("DATA_MIRROR")
    if not folder:
        return None
    paths = [Path(folder) / f"{spec.get('mirror') or name}.{ending}" for ending in ("parquet", "csv.gz", "npz")]
    paths = paths[:2] if spec["sources"] else paths  # only a data set without sources is read from .npz
    return next((path for path in paths if path.is_file()), None)


def _read_mirrored(path: Path) -> pd.DataFrame:
    """Return the raw table of a file in a mirror folder."""
    from rotastack.data.raw import read_raw

    try:
        return read_raw(path)
    except RotastackError as error:  # the mirror is the user's, who is never told to delete its files
        raise RotastackError(str(error).removesuffix(DELETE)) from None


def _cannot_be_had(name: str, spec: Mapping[str, Any], reasons: list[str]) -> str:
    folder = os.environ.get("DATA_MIRROR")
    mirrored = f"not in DATA_MIRROR={folder}" if folder else "DATA_MIRROR is not set"
    tried = "; ".join([mirrored, *(r.removeprefix(f"{name}: ") for r in reasons)])
    if not spec["sources"]:
        tried += "; no network source is registered"
    arrays = "" if spec["sources"] else f" or {spec.get('mirror') or name}.npz (arrays X and y)"
    page = f" (see {spec['homepage']})" if "homepage" in spec else ""
    return (
        f"data set {name!r} is not available: {tried}. Connect to the network, or put "
        f"{spec.get('mirror') or name}.csv.gz (header, last column 'target'){arrays} into a folder and set DATA_MIRROR to its path{page}"
    )


def _short(counts: Mapping[str, int]) -> str:
    return "{" + shortened((f"{label} {count}" for label, count in sorted(counts.items())), 12) + "}"
