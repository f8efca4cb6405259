"""The comparison of results with the present version of their study, its data and its code."""

import os
import sys
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.errors import RotastackError

if TYPE_CHECKING:
    from rotastack.workflow.run.plan import Plan


def is_current(plan: "Plan", *name: str) -> bool:
    """Return whether a job's result is of the present version.

    The comparison asks combiners whether they are trained. It would import those of other packages, and run their code, so
    studies with such combiners are not compared, which a line says.
    """
    combiners: list[Any] = [method.combiner for method in plan.study.methods.values()]
    foreign = [c.class_ for c in combiners if c.kind == "other" and not c.class_.startswith("rotastack.")]
    if foreign and plan.study.protocol.name == "nested":
        print(
            f"rotastack: {plan.root} is not compared with the study, as {foreign[0]} is not imported", file=sys.stderr
        )
        return True
    if plan.skips and len(name) == 1:  # the results of a data set do not depend on others
        plan.drop_skipped()
    return plan.jobs[name if len(name) > 1 else name[0]].is_current


def check_model(path: Path, study: str, project: str | Path = ".") -> None:
    """Print a line if a model is of another version of the study; raise RotastackError if the study has no such model any more.

    Without the study's file there is nothing to compare.
    """
    from rotastack.workflow.run.launch import find_study, plan_of

    study = str(Path(study).resolve()) if study.endswith((".yaml", ".yml")) else study
    path, file = path.resolve(), os.path.relpath(path)
    with chdir(project):
        try:
            find_study(study)
        except RotastackError:
            return
        plan, dataset = plan_of(study), path.parents[1].name
        if dataset not in plan.refitted:
            raise RotastackError(
                f"study {plan.study.name!r} has no model of {dataset!r} any more; to use that of an earlier version: --model {file}"
            )
        if not is_current(plan, "refit", dataset):
            print(
                f"rotastack: the model of {dataset} is of another version of the study, its data or its code; repeat `rotastack run {study}`",
                file=sys.stderr,
            )
