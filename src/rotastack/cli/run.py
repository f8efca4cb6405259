"""``rotastack run``: run a study, or one's own table."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from rotastack.cli.studies import snakemake, study_file
from rotastack.errors import RotastackError

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    run = commands.add_parser("run", help="run a study, or one's own table")
    run.add_argument(
        "study", help="a study of config/studies, a YAML file, or a table (CSV, TSV, Parquet, ARFF)"
    )
    run.add_argument("--target", help="column with the class labels, for a table")
    run.add_argument("--cores", default="all", help="cores to use (default: all)")
    run.add_argument("--size", default="full", help="size of the study, such as small (default: full)")
    run.add_argument("--profile", help="workflow profile: default, slurm, or a folder")
    run.add_argument("--dry-run", action="store_true", help="say what would be done")
    run.epilog = "What follows -- goes to snakemake as it is."
    run.set_defaults(run=_run)


def _run(arguments: Namespace) -> int:
    path = Path(arguments.study)
    if path.suffix.lower() in (".csv", ".tsv", ".parquet", ".arff", ".gz"):
        from rotastack.study.own_table import write_study

        study = write_study(path, arguments.target)
        print(
            f"rotastack: study written to {study}; edit it and run `rotastack run {study}` to go on from there"
        )
    else:
        if arguments.target:
            raise RotastackError(f"--target goes with a table, and {arguments.study} is a study")
        study = study_file(arguments.study)
    options = ["--configfile", str(study)]
    if arguments.size != "full":
        options += ["--config", f"size={arguments.size}"]
    options += ["--cores", str(arguments.cores)]  # last, as it takes one value: what follows may be a target
    if arguments.profile:
        from rotastack.project import project_file

        shipped = project_file(f"workflow/profiles/{arguments.profile}")
        options += ["--workflow-profile", str(shipped if shipped.is_dir() else arguments.profile)]
    if arguments.dry_run:
        options.append("--dry-run")
    return snakemake(options + arguments.rest)
