"""Model files, written and read by skops, which creates no object of an untrusted type."""

import hashlib
import io
import json
import zlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import pandas as pd
import sklearn
import skops.io
from numpy.lib import format as npy

from rotastack import __version__
from rotastack.errors import RotastackError, unreadable
from rotastack.files import replacing

__all__ = ["VERSIONS", "canonical", "dump_model", "load_model", "trusted_types"]

VERSIONS = {"rotastack": __version__, "scikit-learn": sklearn.__version__}
"""Versions of the packages whose classes a model file holds; reading needs the same first two numbers."""

_NOTE = "versions.json"

REVIEWED_TYPES = frozenset(
    {
        "builtins.range",
        "catboost.core.CatBoostClassifier",
        "catboost.core.CatBoostRegressor",
        "collections.OrderedDict",
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "lightgbm.sklearn.LGBMRegressor",
        "numpy.dtype",
        "scipy.sparse._csr.csr_array",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.calibration._TemperatureScaling",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
        "xgboost.sklearn.XGBRegressor",
    }
)
"""Types of other packages in models, reviewed by hand: loading them runs no code from the file.

Review and add a type here when :func:`dump_model` refuses it.
"""


OURS = frozenset(
    {"base", "combine", "data", "diagnostics", "ensembles", "linear", "resampling", "trees", "views",
     "rotastack.ensembles.rows"}
)  # fmt: skip
"""Rotastack's packages and modules whose classes models may hold. The others run, write or log things."""

MOST_ROOM, MOST_TIMES = 1 << 28, 200
"""A model file may unpack to at most so many bytes, or multiples of its size."""


def dump_model(model: Any, path: str | Path) -> None:
    """Write a fitted model, unless it holds an unknown type; the same model gives the same bytes."""
    content = canonical(skops.io.dumps(model), {_NOTE: json.dumps(VERSIONS)})
    with replacing(path) as temporary:
        temporary.write_bytes(content)
        trusted_types(temporary, path)


def load_model(path: str | Path) -> Any:
    """Read a model written by :func:`dump_model`; no object of an unknown type is created."""
    path = Path(path)
    if not path.is_file():
        raise RotastackError(f"{path}: model file not found")
    if not path.stat().st_size:
        raise RotastackError(f"{path}: the file is empty, because no method could be trained on all rows")
    try:
        with ZipFile(path) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
            if unpacked > max(MOST_ROOM, MOST_TIMES * path.stat().st_size):
                raise RotastackError(f"{path}: not a Rotastack model file: the content unpacks to {unpacked:,} bytes")
            found = json.loads(archive.read(_NOTE)) if _NOTE in archive.namelist() else {}
    except RotastackError:
        raise
    except (BadZipFile, ValueError, OSError, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        if getattr(error, "errno", None):
            raise unreadable(path, error) from None
        why = f"or incomplete: {error}" if path.suffix == ".skops" else "a model file ends in .skops"
        raise RotastackError(f"{path}: not a model file{',' if path.suffix == '.skops' else ';'} {why}") from None
    if any(_series(v) != _series(VERSIONS[n]) for n, v in found.items() if n in VERSIONS):
        raise RotastackError(f"{path}: {_other_versions(found)}")
    try:
        return skops.io.load(path, trusted=trusted_types(path))
    except RotastackError:
        raise
    except Exception as error:  # a class may have changed since: skops restores its old attributes
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        known = _other_versions(found) if found != VERSIONS else "train the model again"
        raise RotastackError(f"{path}: the model cannot be read ({why}); {known}") from None


PROBABILITIES = "probabilities"


class ServedModel:
    """A model as ``mlflow.pyfunc`` and MLflow's servers call it."""

    def __init__(self, model: Any):
        self.model = model

    def get_raw_model(self) -> Any:
        """Return the scikit-learn pipeline."""
        return self.model

    def predict(self, data: pd.DataFrame, params: Mapping[str, Any] | None = None) -> Any:
        """Return predictions, or with ``{"probabilities": True}`` a table with a column for each class."""
        if not (params or {}).get(PROBABILITIES):
            return self.model.predict(data)
        names = [f"probability={c}" for c in self.model.classes_]
        return pd.DataFrame(self.model.predict_proba(data), data.index, names)


def _load_pyfunc(path: str) -> ServedModel:
    """Return the model in a file; ``mlflow.pyfunc`` asks for this name."""
    return ServedModel(load_model(path))


def _series(version: str) -> list[str]:
    """Return the first two numbers of a version; versions that share these can read each other's models."""
    return version.split(".")[:2]


def _other_versions(found: Mapping[str, str]) -> str:
    """Return a message on the versions that wrote a file, and the remedy."""
    if not found:
        return "the file was written by an unknown version; train the model again"
    wrote = " and ".join(f"{n} {v}" for n, v in found.items())
    here = " and ".join(f"{n} {VERSIONS[n]}" for n in found)
    pinned = " ".join(f"{n}=={v}" for n, v in found.items())
    return (
        f"written by {wrote}, installed are {here}; install the former (pip install {pinned}), or train the model again"
    )


def trusted_types(path: str | Path, name: str | Path | None = None) -> list[str]:
    """Return the types in a model file that skops does not trust by itself, after checking all of them."""
    found = skops.io.get_untrusted_types(file=path)
    unknown = [kind for kind in found if kind not in REVIEWED_TYPES and not _is_ours(kind)]
    if unknown:
        raise RotastackError(
            f"{name or path}: the file contains types outside the list of safe types: {', '.join(unknown)}"
        )
    return found


def _is_ours(kind: str) -> bool:
    """Return whether a dotted name is a class that a module of ``OURS`` defines."""
    module, _, name = kind.rpartition(".")
    package, *parts = module.split(".")
    if package != "rotastack" or not parts or (parts[0] not in OURS and module not in OURS):
        return False
    try:
        found = getattr(import_module(module), name, None)
    except ImportError:
        return False
    return isinstance(found, type) and found.__module__ == module


SCHEMA = "schema.json"
DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest date that an archive can hold."""

TIMES = ("fit_seconds", "predict_seconds")
"""Attributes of Rotastack's objects with measured times, which are no part of a model: zero in its file."""

ZERO = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": "0.0", "is_json": True}


def canonical(archive: bytes, notes: dict[str, str]) -> bytes:
    """Return an archive of :func:`skops.io.dumps` with objects and files numbered in order, and without dates.

    Files of equal content become one file. Times that Rotastack's objects have measured become zero.
    """
    with ZipFile(io.BytesIO(archive)) as source:
        files = {name: _without_gaps(name, source.read(name)) for name in source.namelist()}
    numbering = _Numbering(files)
    schema = numbering.renumbered(json.loads(files[SCHEMA]))
    parts = {SCHEMA: json.dumps(schema, separators=(",", ":")).encode(), **numbering.kept}
    parts |= {name: text.encode() for name, text in notes.items()}
    written = io.BytesIO()
    with ZipFile(written, "w") as target:
        for name, content in parts.items():
            target.writestr(ZipInfo(name, DATE), content, ZIP_DEFLATED)
    return written.getvalue()


def _without_gaps(name: str, content: bytes) -> bytes:
    """Return the content of a file; if it is a structured array, with zeros between its fields."""
    if not name.endswith(".npy"):
        return content
    file = io.BytesIO(content)
    read = npy.read_array_header_1_0 if npy.read_magic(file) == (1, 0) else npy.read_array_header_2_0
    dtype = read(file)[2]
    if not dtype.fields:
        return content
    gap = np.ones(dtype.itemsize, bool)
    for kind, start, *_ in dtype.fields.values():
        gap[start : start + kind.itemsize] = False
    records = np.frombuffer(content, np.uint8, offset=file.tell()).reshape(-1, dtype.itemsize).copy()
    records[:, gap] = 0
    return content[: file.tell()] + records.tobytes()


class _Numbering:
    """New numbers of objects and new names of files, in the order in which the schema mentions them."""

    def __init__(self, files: dict[str, bytes]):
        self.files = files
        self.kept: dict[str, bytes] = {}
        self._objects: dict[int, int] = {}
        self._names: dict[bytes, str] = {}

    def renumbered(self, state: Any, ours: bool = False) -> Any:
        """Return a part of the schema with new numbers and names; `ours` if it belongs to an object of Rotastack."""
        if isinstance(state, list):
            return [self.renumbered(part) for part in state]
        if not isinstance(state, dict):
            return state
        if "__module__" in state and state.get("__loader__") != "DictNode":
            ours = str(state["__module__"]).startswith("rotastack.")
        found = {
            key: ZERO if ours and key in TIMES and isinstance(part, dict) else self.renumbered(part, ours)
            for key, part in state.items()
        }
        if isinstance(state.get("file"), str):
            found["file"] = self._name(state["file"])
        # Python decides whether two equal numbers or texts are one object; reading them does not need their ids.
        if isinstance(state.get("__id__"), int):
            if state["__loader__"] == "JsonNode":
                del found["__id__"]
            else:
                found["__id__"] = self._objects.setdefault(state["__id__"], len(self._objects) + 1)
        return found

    def _name(self, file: str) -> str:
        content = self.files[file]
        digest = hashlib.sha256(content).digest()
        if digest not in self._names:
            self._names[digest] = f"{len(self._names) + 1}{PurePosixPath(file).suffix}"
            self.kept[self._names[digest]] = content
        return self._names[digest]
