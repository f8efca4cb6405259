"""What a step is given: its slice of the study, where to read, and where to write."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from rotastack.errors import DamagedError, RotastackError
from rotastack.run.integrity import check_file, digests, set_aside
from rotastack.tracking.records import Record

__all__ = ["INFRASTRUCTURE", "Job", "Slice", "declarations", "step_names"]

# Not a model's fault: the job fails, and may be tried again with more memory.
INFRASTRUCTURE = (MemoryError, OSError, BrokenExecutor)

_STEPS = Path(__file__).with_name("steps")


def step_names() -> list[str]:
    """List the steps: the files of ``run/steps``."""
    return sorted(p.stem for p in _STEPS.glob("*.py") if p.stem != "__init__")


@cache
def declarations(step: str) -> dict[str, Any]:
    """Return what a step's file declares, without importing it.

    Returns
    -------
    dict
        ``INPUTS``, ``OUTPUTS`` and ``ABOUT``: names that the step reads, writes, and notes in its record (a name with
        ``/`` at its end is a folder); ``FIGURES`` and ``TABLES``: what it makes of these, if not declared the names of
        its functions ``figure_...`` and ``table_...``; ``help``: the first line of the file, without the step's name.
    """
    tree = ast.parse((_STEPS / f"{step}.py").read_text(encoding="utf-8"))
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    found: dict[str, Any] = {"INPUTS": (), "OUTPUTS": (), "ABOUT": ()}
    for key, prefix in [("FIGURES", "figure_"), ("TABLES", "table_")]:
        found[key] = tuple(name.removeprefix(prefix) for name in functions if name.startswith(prefix))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in found:
            found[node.targets[0].id] = ast.literal_eval(node.value)
    first = (ast.get_docstring(tree) or "").splitlines()[0]
    return {**found, "help": first.partition(": ")[2].rstrip(".")}


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

    def __post_init__(self):
        object.__setattr__(self, "spec", Slice(self.spec, "--spec"))
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

    def pool_files(self, suffix: str, spec: Mapping[str, Any] | None = None) -> list[Path]:
        """Return the files of all blocks of the pools in a slice, by default the job's, below input ``pools``.

        They are found by name, as a large study has more of them than a command line holds.
        """
        root, spec = self.input("pools"), self.spec if spec is None else spec
        files = [root / pool / f"{block}.{suffix}" for pool in spec["pools"] for block in spec["blocks"]]
        if suffix == "nc":
            self.check(files)
        return files

    @staticmethod
    def check(files: Iterable[Path]) -> None:
        """Raise RotastackError if a file is not what was written there, as far as the record beside it tells."""
        for file in files:
            check_file(file)

    def set_aside(self, error: DamagedError) -> RotastackError:
        """Return what is to be raised of a damaged file: if the job was given it, it is set aside to be made again."""
        given = {place for files in self.inputs.values() for place in files}
        if given.isdisjoint([error.path, *error.path.parents]) or not error.path.is_file():
            return error
        return set_aside(error.path, f"damaged ({error.why})")

    @contextmanager
    def recorded(self) -> Iterator[Record]:
        """Give the step's record, and write it to output ``record`` when the block ends well.

        What libraries warned of while the block ran is noted there, each text once, and shown after the block.
        """
        record = Record(self.step, self.about, self.spec, self.code)
        caught: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                yield record
        finally:
            for w in caught:
                warnings.showwarning(w.message, w.category, w.filename, w.lineno)
        texts = [" ".join(str(w.message).split()) for w in caught if issubclass(w.category, UserWarning)]
        record.warnings = list(dict.fromkeys([*record.warnings, *texts]))
        record.files = digests([f for name, files in self.outputs.items() if name != "record" for f in files])
        if "record" in self.outputs:
            record.write(self.output("record"))
