"""Records: a JSON file about each run of a step, beside the step's outputs. This module does not use MLflow."""

import json
import platform
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rotastack import __version__
from rotastack.files import write_text


@dataclass
class Record:
    """The record of one run of a step."""

    step: str
    about: Mapping[str, str]
    parameters: Mapping[str, Any]
    key: str = ""
    code: str = ""  # the end of the key
    files: list[str] = field(default_factory=list)  # the outputs, this record among them
    metrics: dict[str, Any] = field(default_factory=dict)
    status: str = "ok"
    message: str = ""
    warnings: list[str] = field(default_factory=list)
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    _clock: float = field(default_factory=time.perf_counter, repr=False)
    _processor: float = field(default_factory=lambda: _processor_seconds(), repr=False)
    _libraries: float = field(default_factory=lambda: _peak_mb(), repr=False)

    def failed_at(self, lines: Sequence[str]) -> None:
        """Note the failures that the `lines` tell, if there are any."""
        if lines:
            self.status, self.message = "failed", "; ".join(lines)

    def write(self, path: str | Path) -> None:
        """Write the record; its seconds run from the creation of this object to this call."""
        content = {
            "step": self.step,
            **self.about,
            "status": self.status,
            "message": self.message,
            "warnings": self.warnings,
            "parameters": self.parameters,
            "seed": self.parameters.get("seed"),
            "metrics": self.metrics,
            "seconds": round(time.perf_counter() - self._clock, 4),
            "processor_seconds": round(_processor_seconds() - self._processor, 4),
            "peak_memory_mb": _peak_mb(),
            "libraries_mb": self._libraries,
            "version": __version__,
            "key": self.key,
            "code": self.code,
            "files": self.files,
            "python": platform.python_version(),
            "started": self.started,
        }
        write_text(path, json.dumps(content, indent=1, allow_nan=True) + "\n")


def _peak_mb() -> float:
    """Return the peak resident memory of this program or of its largest child process, in megabytes.

    A fork starts with its parent's memory. /proc is preferred if it exists, because ``ru_maxrss`` starts with the peak of the process that started the program.
    """
    used, largest = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    with suppress(OSError, IndexError, ValueError):
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        used = int(status.partition("VmHWM:")[2].split()[0])
    return round(max(used, largest) / (1024**2 if sys.platform == "darwin" else 1024), 1)


def _processor_seconds() -> float:
    """Return the processor seconds of this process and of the child processes that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)
