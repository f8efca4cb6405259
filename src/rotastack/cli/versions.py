"""Results beside the study that they were made from."""

import os
from contextlib import chdir
from pathlib import Path

from rotastack.errors import RotastackError

__all__ = ["notes_on_version"]


def notes_on_version(path: Path, study: str, project: str | Path = ".") -> list[str]:
    """Return a line if a model's file was not made from the study as it is now; a RotastackError if the study has no such model.

    Without the study's file there is nothing to compare.
    """
    from rotastack.workflow.run.launch import find_study, plan_of

    study = str(Path(study).resolve()) if study.endswith((".yaml", ".yml")) else study
    path = path.resolve()
    with chdir(project):
        try:
            find_study(study)
        except RotastackError:
            return []
        plan, name, dataset = plan_of(study), path.parents[2].name, path.parents[1].name
        if dataset not in plan.refitted:
            raise RotastackError(
                f"study {name!r} has no model of {dataset!r} any more; to use the file of an earlier version: --model {os.path.relpath(path)}"
            )
        is_current = plan.keys["refit", dataset].is_current
    return [] if is_current else [f"the model is of another version of study {name!r}: repeat `rotastack run {name}`"]
