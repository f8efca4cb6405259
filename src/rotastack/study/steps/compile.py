"""compile: have the machine code of forests and their views ready before the pools ask for it."""

import json
import time

import numpy as np

from rotastack.ensembles.flagship.classifier import RotastackClassifier
from rotastack.files import write_text
from rotastack.study.job import Job

INPUTS = ()
OUTPUTS = ("receipt",)
ABOUT = ()


def run(job: Job) -> None:
    """Write output ``receipt``: how long it took.

    The code goes to a cache folder on disk. Where that is lost, or belongs to another kind of
    machine, jobs compile for themselves: this saves time and changes no result.
    """
    start = time.perf_counter()
    X = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    y = np.array([0, 0, 1, 1])
    RotastackClassifier(1).fit(X, y).predict(X)
    seconds = round(time.perf_counter() - start, 2)
    write_text(job.output("receipt"), json.dumps({"seconds": seconds}) + "\n")
