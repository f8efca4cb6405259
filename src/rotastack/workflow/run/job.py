"""The job of a step: its spec, its input files and its output files."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from rotastack.data.artifacts import write_arrays
from rotastack.errors import RotastackError
from rotastack.files import hashes
from rotastack.workflow.study.specs import Spec
from rotastack.workflow.tracking.records import Record

AnySpec = TypeVar("AnySpec", bound=Spec)
OtherSpec = TypeVar("OtherSpec", bound=Spec)

NO_FAULTS_OF_MODELS = (MemoryError, OSError, BrokenExecutor)
"""Errors that fail the job, which may be retried with more memory."""


@dataclass
class Outcome:
    """The end of a model's training: a failed model is a result, and the study goes on."""

    status: str = "ok"
    message: str = ""

    @contextmanager
    def may_fail(self) -> Iterator[None]:
        """Note that a model fails; errors that are not its fault fail the job."""
        try:
            yield
        except NO_FAULTS_OF_MODELS:
            raise
        except Exception as error:  # foreign estimators raise anything; the report shows it
            self.fail(f"{type(error).__name__}: {' '.join(str(error).split())}")

    def fail(self, message: str) -> None:
        """Note a failure."""
        self.status, self.message = "failed", message


class Trained(NamedTuple):
    """The results of a cell's trainings: outputs and measures for the cell's place in arrays, seconds, and votes of members."""

    at: tuple[int, ...]
    arrays: dict[str, NDArray]
    seconds: dict[str, NDArray]  # of each member, or of all
    votes: dict[str, NDArray]


def joined(parts: Sequence[NDArray]) -> NDArray:
    """Return arrays as one along the first axis; the other axes are filled up to the longest.

    Numbers are filled up by NaN or -1; masks by False, and become numbers, because files have no masks.
    """
    longest = np.max([part.shape[1:] for part in parts], axis=0)
    kind = np.result_type(*parts)
    whole = np.full((sum(map(len, parts)), *longest), {"f": np.nan, "b": False}.get(kind.kind, -1), kind)
    ends = np.cumsum([len(part) for part in parts])
    for part, end in zip(parts, ends, strict=True):
        whole[(slice(end - len(part), end), *map(slice, part.shape[1:]))] = part
    return whole.view(np.int8) if kind.kind == "b" else whole


@dataclass(frozen=True)
class Job:
    """One run of a step."""

    step: str
    slice: Mapping[str, Any]
    inputs: Mapping[str, list[Path]]
    outputs: Mapping[str, list[Path]]
    about: Mapping[str, str] = field(default_factory=dict)  # data set, pool, method
    key: str = ""  # the name of the result, for the record
    threads: int = 1  # the most; results do not depend on their number

    @property
    def code(self) -> str:
        """The fingerprint of the code, which ends the key."""
        return self.key.rpartition("-")[2]

    def spec(self, kind: type[AnySpec]) -> AnySpec:
        """Return the slice as a spec; a RotastackError names the key of the slice that is wrong."""
        return kind.read(self.slice, "--slice")

    def spec_of_protocol(self, nested: type[AnySpec], splits: type[OtherSpec]) -> AnySpec | OtherSpec:
        """Return the slice as a spec, of the class for the slice's protocol: `nested` or `splits`."""
        return self.spec(splits) if self.slice.get("protocol") == "splits" else self.spec(nested)

    def input(self, name: str) -> Path:
        """Return the first input file of `name`."""
        return self._file(self.inputs, name, "--input")

    def output(self, name: str) -> Path:
        """Return the first output file of `name`."""
        return self._file(self.outputs, name, "--output")

    def _file(self, files: Mapping[str, list[Path]], name: str, option: str) -> Path:
        if not files.get(name):
            raise RotastackError(f"{self.step}: {option} {name} is missing; given: {', '.join(files) or 'none'}")
        return files[name][0]

    def check_contents(self, files: Iterable[str | Path]) -> None:
        """Raise a RotastackError if a file from outside has changed since the plan."""
        found = hashes(files)
        for name, planned in self.slice.get("contents", {}).items():
            if self.key and found.get(name) != planned:
                raise RotastackError(f"{name} changed during the run; repeat the command")

    def write_outcome(self, name: str, arrays: xr.Dataset, record: Record) -> None:
        """Write an output, and copy its attributes into the record: the numbers, and the status and message of the model."""
        record.metrics = arrays.attrs.pop("metrics")
        record.status, record.message = arrays.attrs["status"], arrays.attrs["message"]
        write_arrays(self.output(name), arrays)

    @contextmanager
    def recorded(self) -> Iterator[Record]:
        """Yield the step's record, and write it to output ``record`` if the block raises no error.

        Warnings during the block are shown after it. The record lists each text of a ``UserWarning`` once.
        """
        record = Record(self.step, self.about, self.slice, self.key, self.code)
        record.files = [str(path) for paths in self.outputs.values() for path in paths]
        caught: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                yield record
        finally:
            for w in caught:
                warnings.showwarning(w.message, w.category, w.filename, w.lineno)
        texts = [" ".join(str(w.message).split()) for w in caught if issubclass(w.category, UserWarning)]
        record.warnings = list(dict.fromkeys([*record.warnings, *texts]))
        if "record" in self.outputs:
            record.write(self.output("record"))
