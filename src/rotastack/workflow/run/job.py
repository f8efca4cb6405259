"""The job of a step: its slice of the study, its input files and its output files."""

import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError
from rotastack.workflow.tracking.records import Record

__all__ = ["Job", "Slice", "may_fail"]


@contextmanager
def may_fail(record: Record) -> Iterator[None]:
    """Note in the record that a model fails: a failed model is a result, and the study goes on.

    Some errors are not a model's fault: then the job fails, and may be retried with more memory.
    """
    try:
        yield
    except (MemoryError, OSError, BrokenExecutor):
        raise
    except Exception as error:  # foreign estimators raise anything; the record keeps it, and the report shows it
        record.fail(error)


class Slice(dict[str, Any]):
    """A mapping of a step's ``--slice`` or ``--about``; the error of a missing key names the key."""

    def __init__(self, content: Mapping[str, Any], option: str):
        super().__init__(content)
        self.option = option

    def __missing__(self, key: str) -> Any:
        raise RotastackError(f"{self.option}: key {key!r} is missing; keys: {', '.join(self) or 'none'}")


@dataclass(frozen=True)
class Job:
    """One run of a step.

    Parameters
    ----------
    step : str
    slice : mapping
        The slice of the study that the step uses.
    inputs, outputs : mapping of str to list of Path
    about : mapping
        Study, dataset, pool, method: what the job works on.
    code : str
        Fingerprint, for the record only.
    threads : int
        The most threads that the step may use; results do not depend on their number.
    """

    step: str
    slice: Mapping[str, Any]
    inputs: Mapping[str, list[Path]]
    outputs: Mapping[str, list[Path]]
    about: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    threads: int = 1

    def __post_init__(self):
        object.__setattr__(self, "slice", Slice(self.slice, "--slice"))
        object.__setattr__(self, "about", Slice(self.about, "--about"))

    def input(self, name: str) -> Path:
        """Return the first input file of `name`; raise RotastackError if there is none."""
        return self._file(self.inputs, name, "--input")

    def output(self, name: str) -> Path:
        """Return the first output file of `name`; raise RotastackError if there is none."""
        return self._file(self.outputs, name, "--output")

    def by_pool(self, name: str) -> dict[str, list[Path]]:
        """Return pool -> files of its blocks, from the inputs `name` of all pools of the slice."""
        files, n = self.inputs[name], self.slice["blocks"]
        return {pool: files[k * n : (k + 1) * n] for k, pool in enumerate(self.slice["pools"])}

    def _file(self, files: Mapping[str, list[Path]], name: str, option: str) -> Path:
        if not files.get(name):
            raise RotastackError(f"{self.step}: {option} {name} is missing; given: {', '.join(files) or 'none'}")
        return files[name][0]

    @contextmanager
    def recorded(self) -> Iterator[Record]:
        """Yield the step's record, and write it to output ``record`` if the block raises no error.

        Warnings during the block are shown after it. The record lists each text of a ``UserWarning`` once.
        """
        record = Record(self.step, self.about, self.slice, self.code)
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
