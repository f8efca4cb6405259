"""Measure the cost of a diffusion map: 600 landmarks, extended to 20,000 rows.

    python benchmarks/diffusion.py [--pairs 5] [--rows 20000] [--columns 16]

The peers are a loop over the rows with the formulas in NumPy, and pydiffmap (if installed) on the same landmarks with the
same width (alpha 0, all landmarks as neighbours). Runs alternate, with one thread; the output is medians of the ratios of
consecutive runs. datafold is no peer: version 2.0.2 does not run with scikit-learn 1.7 or newer. Both packages are optional
(`pip install pydiffmap numexpr six`). Further outputs are shares of the time, other widths, and memory, measured in a
separate process.
"""

import argparse
import ctypes
import gc
import os
import subprocess
import sys
import time
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np
from sklearn.datasets import make_classification

from rotastack.views import DiffusionMap


def table(n, p):
    return make_classification(n, p, n_informative=max(2, p // 2), random_state=0)[0]


def seconds(work, *arguments):
    start = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - start, result


def plain(X, landmarks, epsilon, q):
    """Return the coordinates by the formulas, row by row."""
    W = np.array([np.exp(-((x - landmarks) ** 2).sum(axis=1) / (2 * epsilon)) for x in landmarks])
    d = W.sum(axis=1)
    vectors = np.linalg.eigh(W / np.sqrt(np.outer(d, d)))[1]
    psi = vectors[:, -2 : -q - 2 : -1] * np.sqrt(d.sum() / d)[:, None]
    Z = np.empty((len(X), q))
    for i, x in enumerate(X):
        w = np.exp(-((x - landmarks) ** 2).sum(axis=1) / (2 * epsilon))
        Z[i] = w / w.sum() @ psi
    return Z


def by_pydiffmap(X, landmarks, epsilon, q):
    from pydiffmap.diffusion_map import DiffusionMap as Peer

    peer = Peer.from_sklearn(
        alpha=0, k=len(landmarks), epsilon=epsilon / 2, n_evecs=q, neighbor_params={"algorithm": "brute"}
    )  # its kernel has 4 epsilon where ours has 2
    return peer.fit(landmarks).transform(X)


def in_turns(n_pairs, X):
    peers = {"loop in NumPy": plain}
    try:
        import pydiffmap  # noqa: F401

        peers["pydiffmap"] = by_pydiffmap
    except ImportError as error:
        print(f"pydiffmap is left out: {error}\n")
    view = DiffusionMap(random_state=0)
    view.fit_transform(X)  # what is loaded at the first call does not count
    print("| peer | times faster | least, largest ratio | least absolute correlation of a coordinate |")
    print("|---|---|---|---|")
    for name, peer in peers.items():
        ratios = []
        for _ in range(n_pairs):
            theirs, other = seconds(peer, X, view.landmarks_, view.epsilon_, view.n_components_)
            ours, mine = seconds(view.fit_transform, X)
            ratios.append(theirs / ours)
        agreement = min(abs(np.corrcoef(a, b)[0, 1]) for a, b in zip(other.T, mine.T, strict=True))
        print(
            f"| {name} | {np.median(ratios):.1f}x | {min(ratios):.1f}, {max(ratios):.1f} | {agreement:.6f} |", flush=True,
        )  # fmt: skip


def shares(n_pairs, X):
    print("\n| extension | epsilon | fit, ms | transform, ms |\n|---|---|---|---|")
    for extension in ("markov", "kernel"):
        for epsilon in ("random", "random_squared", 1e-3):
            view = DiffusionMap(epsilon=epsilon, extension=extension, random_state=0)
            pairs = [(seconds(view.fit, X)[0], seconds(view.transform, X)[0]) for _ in range(n_pairs)]
            fit, transform = np.median(pairs, axis=0) * 1000
            print(f"| {extension} | {epsilon} | {fit:.0f} | {transform:.0f} |", flush=True)


def kilobytes(name):
    status = Path("/proc/self/status").read_text()
    return int(status.split(name + ":")[1].split()[0])


def memory(X, extension):
    """Print the increase of the peak memory of the process; Linux with glibc."""
    DiffusionMap(extension=extension, random_state=0).fit_transform(X[:50])
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else what making the table left is used again, and not counted
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = kilobytes("VmRSS")
    DiffusionMap(extension=extension, random_state=0).fit_transform(X)
    more = (kilobytes("VmHWM") - before) / 1024
    print(f"{extension}: peak {more:.0f} MB above the {before / 1024:.0f} MB of the process with its table")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    options = parser.parse_args()
    X = table(options.rows, options.columns)
    if options.memory:
        memory(X, options.memory)
        return
    in_turns(options.pairs, X)
    shares(options.pairs, X)
    print(flush=True)
    size = ["--rows", str(options.rows), "--columns", str(options.columns)]
    for extension in ("markov", "kernel"):
        subprocess.run([sys.executable, __file__, "--memory", extension, *size], check=True)


if __name__ == "__main__":
    main()
