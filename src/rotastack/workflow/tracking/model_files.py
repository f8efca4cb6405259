"""Model files, written and read by skops, which creates no object of an untrusted type."""

import json
import zlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import sklearn
import skops.io
from sklearn.model_selection import FixedThresholdClassifier

from rotastack import __version__
from rotastack.errors import RotastackError, in_one_line, unreadable
from rotastack.files import replacing
from rotastack.workflow.tracking.model_types import OURS, REVIEWED_TYPES, check_trusted, how_to_trust, is_trusted

VERSIONS = {"rotastack": __version__, "scikit-learn": sklearn.__version__}
"""Versions of the packages whose classes a model file holds; reading needs the same first two numbers."""

_NOTE = "versions.json"

MOST_ROOM, MOST_TIMES = 1 << 28, 200
"""A model file may unpack to at most so many bytes, or multiples of its size."""


def dump_model(model: Any, path: str | Path, trusted: Sequence[str] = ()) -> None:
    """Write a fitted model, unless it holds an unknown type; types of the modules `trusted` are known."""
    with replacing(path) as temporary:
        skops.io.dump(model, temporary, compression=ZIP_DEFLATED)
        with ZipFile(temporary, "a") as archive:
            archive.writestr(_NOTE, json.dumps(VERSIONS))
        trusted_types(temporary, trusted, path)


def load_model(path: str | Path, trusted: Sequence[str] = ()) -> Any:
    """Read a model written by :func:`dump_model`; only objects of known types, or of the modules `trusted`, are created."""
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
    check_versions(found, path)
    try:
        return skops.io.load(path, trusted=trusted_types(path, trusted))
    except RotastackError:
        raise
    except Exception as error:  # a class may have changed since: skops restores its old attributes
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        known = _other_versions(found) if found != VERSIONS else "train the model again"
        raise RotastackError(f"{path}: the model cannot be read ({why}); {known}") from None


def estimator_of(model: Any) -> Any:
    """Return the fitted estimator at the end of a model, without the classifier that applies a threshold."""
    return model[-1].estimator_ if isinstance(model[-1], FixedThresholdClassifier) else model[-1]


def check_versions(found: Mapping[str, str], name: str | Path) -> None:
    """Raise a RotastackError with the remedy if other versions than the installed ones wrote a model."""
    if any(_series(v) != _series(VERSIONS[n]) for n, v in found.items() if n in VERSIONS):
        raise RotastackError(f"{name}: {_other_versions(found)}")


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


def trusted_types(path: str | Path, trusted: Sequence[str] = (), name: str | Path | None = None) -> list[str]:
    """Return the types that skops does not trust by itself, after checking that all are known or of the modules `trusted`."""
    check_trusted(trusted)
    found = skops.io.get_untrusted_types(file=path)
    others = [kind for kind in found if kind not in REVIEWED_TYPES and not _is_ours(kind)]
    if unknown := [kind for kind in others if not is_trusted(kind, trusted)]:
        raise RotastackError(
            f"{name or path}: the file contains types outside the list of safe types: {', '.join(unknown)}{how_to_trust(unknown)}"
        )
    for kind in others:
        try:
            is_known = callable(_defined(kind))
        except Exception as error:  # importing a user's module may raise any exception
            where = "a command finds modules in the current folder, and in that of --project"
            raise RotastackError(f"{name or path}: {kind} cannot be imported: {in_one_line(error)}; {where}") from None
        if not is_known:
            raise RotastackError(f"{name or path}: {kind} is no class or function at the top level of its module")
    return found


def _is_ours(kind: str) -> bool:
    """Return whether a dotted name is a class that a module of ``OURS`` defines."""
    module = kind.rpartition(".")[0]
    package, *parts = module.split(".")
    if package != "rotastack" or not parts or (parts[0] not in OURS and module not in OURS):
        return False
    try:
        return isinstance(_defined(kind), type)
    except ImportError:
        return False


def _defined(kind: str) -> Any:
    """Return the object of a dotted name; None unless its module defines the object, because modules import others."""
    module, _, name = kind.rpartition(".")
    found = getattr(import_module(module), name, None)
    return found if getattr(found, "__module__", None) == module else None
