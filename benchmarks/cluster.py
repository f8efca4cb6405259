"""Compare a study on two nodes with one node: `python benchmarks/cluster.py`, as root, on an idle machine.

The program starts the two-node Slurm of tools/slurm_cluster.py (one processor per node), and runs a study of two data sets
alternately with both nodes and with one drained node. The output is the seconds from the first started job to the last file
of the data sets, the ratio of each pair, and the median ratio.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.slurm_cluster import CannotStartError, SlurmCluster

STUDY = """\
name: nodes
datasets: [{datasets}]
protocol: {{rotation_groups: 1, fold_groups: {cells}, folds: 5, rotations: 10}}
blocks: {{fold_groups: {block}}}
pools:
  rotated: {{view: rotation, estimator: forest, parameters: {{n_estimators: {trees}}}}}
methods:
  RRE: {{pool: rotated, combiner: {{kind: vote}}}}
  Hard: {{pool: rotated, combiner: {{kind: vote, voting: hard}}}}
model: {{refit: none}}
"""


def main() -> None:
    """Run pairs, and print their seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--cells", type=int, default=8, help="fold groups of a data set")
    parser.add_argument("--trees", type=int, default=100, help="trees for each of ten rotations")
    parser.add_argument(
        "--datasets",
        nargs=2,
        default=["twonorm", "waveform-21-simulated"],
        help="two registered data sets of similar size",
    )
    arguments = parser.parse_args()
    cluster = SlurmCluster()
    try:
        cluster.start()
    except CannotStartError as reason:
        sys.exit(f"no Slurm here: {reason}")
    # A partition of one hour would have data sets cut, and each level of the graph wait for the one before.
    subprocess.run(["scontrol", "update", "partitionname=main", "maxtime=UNLIMITED"], check=True)
    ratios = []
    try:
        for pair in range(arguments.pairs):
            took = {}
            for nodes in (2, 1) if pair % 2 else (1, 2):
                took[nodes] = run(nodes, arguments)
            ratios.append(took[1] / took[2])
            print(f"one node {took[1]:6.1f} s   two nodes {took[2]:6.1f} s   ratio {ratios[-1]:.2f}", flush=True)
    finally:
        cluster.stop()
    print(f"median ratio {statistics.median(ratios):.2f}")


def run(nodes: int, arguments: argparse.Namespace) -> float:
    """Return the seconds of the work with this number of nodes."""
    folder = Path(tempfile.mkdtemp(prefix="rotastack-nodes-"))
    study = STUDY.format(
        cells=arguments.cells,
        block=max(arguments.cells // 2, 1),
        trees=arguments.trees,
        datasets=", ".join(arguments.datasets),
    )
    (folder / "nodes.yaml").write_text(study)
    subprocess.run(
        ["scontrol", "update", "nodename=n2", "state=" + ("resume" if nodes == 2 else "drain"), "reason=benchmark"],
        check=nodes == 1, capture_output=True,
    )  # fmt: skip
    targets = [f"results/nodes/{dataset}/scores.parquet" for dataset in arguments.datasets]
    command = [sys.executable, "-m", "rotastack", "run", "nodes.yaml", "--profile", "slurm", "--", *targets]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    started = None
    while process.poll() is None:
        if started is None and SlurmCluster.ask("squeue", "-h", "-t", "R"):
            started = time.time()
        time.sleep(0.2)
    assert process.stderr is not None
    if process.returncode or started is None:
        sys.exit(f"the study failed in {folder}:\n{process.stderr.read()}")
    ended = max(path.stat().st_mtime for path in folder.glob("results/nodes/*/scores.run.json"))
    shutil.rmtree(folder)
    return ended - started


if __name__ == "__main__":
    main()
