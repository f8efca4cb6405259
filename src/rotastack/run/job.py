"""What a step is given: its slice of the study, where to read, and where to write."""

import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError
from rotastack.tracking.records import Record

__all__ = ["INFRASTRUCTURE", "Job", "Slice"]

# Not a model's fault: the job fails, and may be tried again with more memory.
INFRASTRUCTURE = (MemoryError, OSError, BrokenExecutor)


class Slice(dict[str, Any]):
    """A step's slice of the study, or what it is about: a key that is missing is named."""

    def __init__(self, content: Mapping[str, Any], option: str):
        super().__init__(content)
        self.option = option

    def __missing__(self, key: str) -> Any:
        raise RotastackError(f"{self.option}: key {key!r} is missing; there are {', '.join(self) or 'none'}")


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
        Study, dataset, pool, method: for the record only.
    code : str
        Fingerprint, for the record only.
    threads : int
        How many may be used; results do not depend on it.
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
        """Return the one file given as `name`; RotastackError if there is none."""
        return self._file(self.inputs, name, "--input")

    def output(self, name: str) -> Path:
        """Return the one file to be made as `name`; RotastackError if there is none."""
        return self._file(self.outputs, name, "--output")

    def _file(self, files: Mapping[str, list[Path]], name: str, option: str) -> Path:
        if not files.get(name):
            raise RotastackError(f"{self.step}: {option} {name} is missing; given are {', '.join(files) or 'none'}")
        return files[name][0]

    @contextmanager
    def recorded(self) -> Iterator[Record]:
        """Give the step's record, and write it to output ``record`` when the block ends well.

        What libraries warned of while the block ran is noted there, each text once, and shown after the block.
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
