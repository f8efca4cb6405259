"""An estimator that meets with a fault when it is first trained where a folder `faults` is; elsewhere it is a tree."""

import os
import time
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

__all__ = ["FaultyClassifier"]

MEGABYTES = 1100  # more than the first attempt asks for, less than the second does


class FaultyClassifier(DecisionTreeClassifier):
    """A tree; `fault` says what to meet with."""

    def __init__(self, fault="none", max_depth=3, random_state=None):
        super().__init__(max_depth=max_depth, random_state=random_state)
        self.fault = fault

    def fit(self, X, y):
        folder = Path("faults")
        if folder.is_dir() and self.fault != "none":
            self._meet(folder)
        return super().fit(X, y)

    def _meet(self, folder):
        if self.fault == "memory":
            taken = bytearray(2**20) * MEGABYTES
            once = folder / "memory.once"
            seconds = 3.0 if once.exists() else 60.0  # until Slurm has looked
            once.touch()
            time.sleep(seconds)
            del taken
            (folder / "memory.done").touch()
            return
        try:
            with (folder / self.fault).open("x") as mark:
                mark.write(f"{os.getpid()} {os.environ['SLURM_JOB_ID']} {os.environ['SLURMD_NODENAME']}")
        except FileExistsError:
            return
        time.sleep(600)
