"""Compare the memory that jobs request with the memory that they use: python benchmarks/memory.py STUDY [FOLDER]

STUDY is a study's YAML file, FOLDER the folder of its run. Peaks come from records; a job on a cluster has two processes of
Snakemake beside its step. Jobs with the smallest request are summarised.
"""

import sys
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

from rotastack.cli.studies import plan_of
from rotastack.files import read_json
from rotastack.workflow.run.resources import BASE_MB
from rotastack.workflow.study.names import slug

SNAKEMAKES_MB = 250
OF_DATASETS = ("fetch", "prepare", "groups", "score", "refit", "explain")


class Need(NamedTuple):
    """A job's requested and used memory."""

    step: str
    what: str
    asked: int
    took: float


def needs(plan: Any) -> list[Need]:
    """Return the memory of all jobs of a study that was run in the working directory, as far as records exist."""
    pools = {slug(label): method.pool for label, method in plan.study.methods.items()}
    folders = [Path("data/raw"), Path("results/datasets"), Path(plan.root)]
    found = []
    for record in (read_json(p) for folder in folders for p in sorted(folder.rglob("*.run.json"))):
        step, dataset = record["step"], record.get("dataset")
        if dataset is not None and dataset not in plan.datasets:
            continue
        if step == "train":
            asked = plan.resources.train_mb(dataset, record["pool"])
        elif step == "combine":
            asked = plan.resources.combine_mb(dataset, pools[slug(record["method"])])
        elif step in OF_DATASETS:
            asked = getattr(plan.resources, f"{'prepare' if step == 'fetch' else step}_mb")(dataset)
        elif step == "draw":
            asked = plan.resources.draw_mb()
        else:
            asked = plan.resources.study_mb()
        names = [dataset, record.get("pool") if step == "train" else record.get("method")]
        found.append(Need(step, " ".join(n for n in names if n), asked, record["peak_memory_mb"] + SNAKEMAKES_MB))
    return found


def main() -> None:
    """Print a line for each job above the smallest request, and one for each step."""
    study = Path(sys.argv[1]).resolve()
    with chdir(sys.argv[2] if len(sys.argv) > 2 else "."):
        found = needs(plan_of(study, None))
    print(f"{'step':14s} {'of':40s} {'asked':>7s} {'took':>7s} ratio")
    for need in sorted(found, key=lambda n: n.asked / n.took):
        if need.asked > BASE_MB or need.took > need.asked:
            print(f"{need.step:14s} {need.what:40s} {need.asked:7d} {need.took:7.0f} {need.asked / need.took:5.2f}")
    for step in dict.fromkeys(n.step for n in found):
        ratios = [n.asked / n.took for n in found if n.step == step]
        most = max(n.took for n in found if n.step == step)
        print(f"{step:14s} {len(ratios)} jobs, least ratio {min(ratios):.2f}, most taken {most:.0f}")


if __name__ == "__main__":
    main()
