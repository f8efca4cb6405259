"""What a step is given: its slice of the study, where to read, and where to write."""

from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rotastack.tracking.records import Record

__all__ = ["INFRASTRUCTURE", "Job"]

# Not a model's fault: the job fails, and may be tried again with more memory.
INFRASTRUCTURE = (MemoryError, OSError, BrokenExecutor)


@dataclass(frozen=True)
class Job:
    """One run of a step.

    Parameters
    ----------
    step : str
    spec : mapping
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
    spec: Mapping[str, Any]
    inputs: Mapping[str, list[Path]]
    outputs: Mapping[str, list[Path]]
    about: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    threads: int = 1

    def input(self, name: str) -> Path:
        """Return the one file given as `name`."""
        return self.inputs[name][0]

    def output(self, name: str) -> Path:
        """Return the one file to be made as `name`."""
        return self.outputs[name][0]

    def pool_files(self, suffix: str, spec: Mapping[str, Any] | None = None) -> list[Path]:
        """Return the files of all blocks of the pools in a slice, by default the job's, below input ``pools``.

        They are found by name, as a large study has more of them than a command line holds.
        """
        root, spec = self.input("pools"), self.spec if spec is None else spec
        return [
            root / pool / rotation_block / f"{fold_block}.{suffix}"
            for pool in spec["pools"]
            for rotation_block in spec["rotation_blocks"]
            for fold_block in spec["fold_blocks"]
        ]

    @contextmanager
    def recorded(self) -> Iterator[Record]:
        """Give the step's record, and write it to output ``record`` when the block ends well."""
        record = Record(self.step, self.about, self.spec, self.code)
        yield record
        if "record" in self.outputs:
            record.write(self.output("record"))
