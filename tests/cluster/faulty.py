"""An estimator that meets with a fault when it is first trained where a folder `faults` is; elsewhere it is a tree."""

import os
import time
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

__all__ = ["FaultyClassifier"]

MEGABYTES = 1500  # more than the first attempt asks for


class FaultyClassifier(DecisionTreeClassifier):
    """A tree; `fault` names the file that says which process, job and node wait for a fault."""

    def __init__(self, fault="none", max_depth=3, random_state=None):
        super().__init__(max_depth=max_depth, random_state=random_state)
        self.fault = fault

    def fit(self, X, y):
        mark = Path("faults", self.fault)
        if mark.parent.is_dir() and not mark.exists():
            mark.write_text(f"{os.getpid()} {os.environ['SLURM_JOB_ID']} {os.environ['SLURMD_NODENAME']}")
            taken = bytearray(2**20) * (MEGABYTES if self.fault == "memory" else 0)
            time.sleep(600)
            del taken
        return super().fit(X, y)
