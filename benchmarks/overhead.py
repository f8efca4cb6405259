"""Measure the share of a run outside training: python benchmarks/overhead.py [STUDY] [CORES]

The program runs the study (default: quickstart, on 2 cores) in a new folder, and counts the processor seconds, user and
system, of all processes of the run. Training is fit and predict of the members (seconds of records, times the ratio of
processor time to elapsed time, because other programs slow the jobs), the steps of trained combiners, and the model on all
rows. Linux only.
"""

import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from rotastack.files import read_json
from rotastack.workflow.run.launch import find_study

PR_SET_CHILD_SUBREAPER = 36


def run(study: Path, cores: str, folder: Path) -> tuple[float, float]:
    """Run a study; return seconds, and processor seconds of all processes, including servers."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.perf_counter()
    command = [sys.executable, "-m", "rotastack", "run", str(study), "--cores", cores]
    code = subprocess.call(command, cwd=folder)
    seconds = time.perf_counter() - start
    with suppress(ChildProcessError):
        while True:
            os.wait()  # for what outlived its parent
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code:
        sys.exit(code)
    return seconds, used.ru_utime + used.ru_stime


def training(record: dict[str, Any]) -> float:
    """Return the processor seconds of training in a step."""
    whole, metrics = record["processor_seconds"], record["metrics"]
    if record["step"] == "combine":
        return whole if record["parameters"]["combiner"].get("kind") == "stacking" else 0.0
    if record["step"] != "train":
        return whole if record["step"] == "refit" else 0.0
    parts = [metrics.get(key, 0.0) for key in ("fit_seconds", "predict_seconds")]
    seconds = sum(sum(part) if isinstance(part, list) else part for part in parts)
    return min(seconds / record["seconds"], 1.0) * whole


def main() -> None:
    """Print processor seconds by step, and the share outside training."""
    study = find_study(sys.argv[1] if len(sys.argv) > 1 else "quickstart")[0].resolve()
    with tempfile.TemporaryDirectory() as folder:
        seconds, whole = run(study, sys.argv[2] if len(sys.argv) > 2 else "2", Path(folder))
        records = [read_json(p) for p in sorted(Path(folder).rglob("*.run.json"))]
    trained = sum(map(training, records))
    print(f"{'step':14s} jobs  work  trained (processor seconds)")
    for step in sorted({record["step"] for record in records}):
        found = [record for record in records if record["step"] == step]
        work = sum(record["processor_seconds"] for record in found)
        print(f"{step:14s} {len(found):4d} {work:5.1f} {sum(map(training, found)):8.1f}")
    known = sum(record["processor_seconds"] for record in records)
    print(f"{'the rest':14s}      {whole - known:5.1f}          Snakemake, starts of processes, imports, tracking")
    print(f"{seconds:.0f} s; {whole:.0f} s of processors, {1 - trained / whole:.0%} of it no training")


if __name__ == "__main__":
    main()
