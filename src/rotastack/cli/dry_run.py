"""``rotastack run STUDY --dry-run``: the study, the jobs that would run and why, their time and memory."""

import re

from rotastack.errors import counted
from rotastack.stats.metrics import NAMES
from rotastack.workflow.judge.words import listed
from rotastack.workflow.run import progress
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.study.study import size_in


def needs_of(plan: Plan) -> tuple[dict[tuple[str, ...], float], float]:
    """Return the expected seconds of each training, and the most megabytes of one."""
    study, resources = plan.study, plan.resources
    megabytes = max(resources.usual_mb(dataset, pool) for dataset in study.datasets for pool in study.used_pools)
    return resources.all_usual_seconds(), megabytes


def lines_of(
    plan: Plan, log: str, n_cores: int, seconds: dict[tuple[str, ...], float], megabytes: float
) -> dict[str, str]:
    """Return heading -> text of a plan.

    `log` is the text that Snakemake prints in a dry run, with its tables of jobs and reasons: Snakemake runs in a process of
    its own, and no event of its logger has the reasons. The last two arguments are of :func:`needs_of`.
    """
    study = plan.study
    rows = sorted(int(size_in(entry, "rows") or 0) for entry in study.datasets.values())
    keys = {key.replace("_", " "): value for key, value in study.protocol.dump().items() if value is not None}
    kind, shown = keys.pop("kind"), {key: listed(v) if isinstance(v, list) else v for key, v in keys.items()}
    protocol = ", ".join(f"{key} {value}" for key, value in shown.items())
    methods = [f"{study.control} (the control)", *(label for label in study.methods if label != study.control)]
    lines = {
        "study": f"{study.document.title or study.name} ({plan.where})",
        "data sets": f"{len(rows)}: {listed(list(study.datasets), 12)}"
        + (f"; {f'{rows[0]:,} to ' * (rows[0] < rows[-1])}{rows[-1]:,} rows" if rows[0] else ""),
        "methods": f"{len(methods)}: {listed(methods, 12)}",
        "score": NAMES[study.score],
        "test": f"{kind}: {protocol}; {study.protocol.n_cells} {study.protocol.cells} per data set",
    }
    jobs = {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", log, re.MULTILINE)}
    reasons = dict(re.findall(r"^ {4}(\w.*):\n {8}(.*)", log.rpartition("\nReasons:\n")[2], re.MULTILINE))
    reasons.pop("input files updated by another job", None)  # these jobs follow from the others
    if "forced" in reasons:
        reasons["the study, data or code changed, or forced"] = reasons.pop("forced")
    progress.expected.update(seconds)
    work = progress.Progress()
    if not jobs.get("total"):
        return {**lines, "jobs": "none, all results are up to date", "results": plan.root}
    work.plan(jobs)
    each = [f"{n} {rule}" for rule, n in jobs.items() if rule not in ("all", "total")]
    lines["jobs"] = f"{jobs['total'] - jobs.get('all', 0)}: {', '.join(each)}"
    lines["why"] = "; ".join(f"{reason}: {rules}" for reason, rules in reasons.items())
    time = f"{progress.duration(work.planned / n_cores)} on {counted(n_cores, 'core')}"
    lines["time"] = f"about {time}, up to {megabytes / 1000:.1f} GB of memory per core"
    return {**lines, "results": plan.root, "details": "--verbose prints each job with Snakemake's reason"}
