"""``rotastack run STUDY --dry-run``: the study, the jobs that would run and why, their time and memory."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.files import read_json

if TYPE_CHECKING:
    from rotastack.run.plan import Plan

__all__ = ["changed_modules", "lines_of"]


def lines_of(plan: "Plan", found: Mapping[str, Any], n_cores: int) -> dict[str, str]:
    """Return heading -> text of a plan.

    Parameters
    ----------
    plan : Plan
    found : mapping
        What a dry run of Snakemake has found: ``jobs``, ``why`` and ``seconds``, by the logger in run/progress.py.
    n_cores : int
    """
    from rotastack.judge.words import counted, listed
    from rotastack.run.progress import duration
    from rotastack.stats.metrics import NAMES

    study, resources = plan.study, plan.resources
    rows = sorted(int(resources.extent(d, "rows") or 0) for d in study.datasets)
    extent = f"; {rows[0]:,} to {rows[-1]:,} rows" if rows[0] else ""
    keys = {key: value for key, value in study.protocol.dump().items() if key != "kind" and value is not None}
    protocol = ", ".join(
        f"{key.replace('_', ' ')} {listed(v) if isinstance(v, list) else v}" for key, v in keys.items()
    )
    others = [label for label in study.methods if label != study.control]
    lines = {
        "study": f"{study.document.title or study.name} ({plan.where})",
        "data sets": f"{len(study.datasets)}: {listed(list(study.datasets), 12)}{extent}",
        "methods": f"{len(study.methods)}: {listed([f'{study.control} (the control)', *others], 12)}",
        "score": NAMES[study.score],
        "test": f"{study.protocol.dump()['kind']}: {protocol}; {study.protocol.n_cells} {study.protocol.cells} per data set",
    }
    if not found["jobs"]:
        return {**lines, "jobs": "none, all results are up to date", "results": plan.root}
    lines["jobs"] = f"{sum(found['jobs'].values())}: {', '.join(f'{n} {rule}' for rule, n in found['jobs'].items())}"
    reasons = [
        f"{why} ({', '.join(rules)})" if len(rules) < len(found["jobs"]) else why for why, rules in found["why"].items()
    ]
    follow = len({rule for rules in found["why"].values() for rule in rules}) < len(found["jobs"])
    lines["why"] = "; ".join([*reasons, *["other jobs use their results"] * follow])
    if changed := changed_modules(plan):
        lines["changed"] = f"since the last complete run: {listed(changed, 12)}"
    megabytes = max(resources.usual_mb(dataset, pool) for dataset in study.datasets for pool in study.used_pools)
    time, where = duration(found["seconds"] / n_cores), counted(n_cores, "core")
    lines["time"] = f"about {time} on {where}, up to {megabytes / 1000:.1f} GB of memory per core"
    return {**lines, "results": plan.root, "details": "--verbose prints each job with Snakemake's reason"}


def changed_modules(plan: "Plan") -> list[str]:
    """Return the modules and libraries that have changed since the last complete run; none before the first one."""
    file = Path(plan.root) / "code.json"
    before = read_json(file) if file.is_file() else {}
    now = plan.codes.states() if before else {}
    return [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
