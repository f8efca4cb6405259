"""The ``rotastack`` command. Everything heavy is imported by the command that needs it."""

import argparse
import os
import sys
from pathlib import Path

from rotastack import __version__
from rotastack.errors import RotastackError

__all__ = ["main"]

STEPS = {
    "fetch": "get a raw table and keep it in data/raw",
    "prepare": "turn a raw table into numbers",
    "folds": "draw the fold groups of a data set",
    "folds_holdout": "draw the random splits of a data set",
    "rotations": "draw one rotation group",
    "compile": "have the forest's machine code ready",
    "train": "train a pool for a block of cells",
    "train_holdout": "train a pool on a block of random splits",
    "combine": "replay a method on its pool's outputs",
    "combine_holdout": "replay a method on its pool's outputs for random splits",
    "score": "score all methods on a data set",
    "summarize": "statistics over cells and data sets",
    "draw_dataset": "draw the figures of a data set",
    "draw_pruning": "draw the figures of the members that methods choose among",
    "draw_study": "draw the figures over data sets",
    "published": "put results beside published ones",
    "refit": "train the chosen method on all rows",
    "track": "bring records to MLflow",
    "report": "write the HTML report; with the name of a study, make it and say where it is",
}


def main(argv: list[str] | None = None) -> int:
    """Run a command; return the exit code. A RotastackError is printed as one line."""
    given = sys.argv[1:] if argv is None else argv
    cut = given.index("--") if "--" in given else len(given)
    arguments = _parser().parse_args(given[:cut])
    arguments.rest = given[cut + 1 :]
    try:
        return arguments.run(arguments) or 0
    except RotastackError as error:
        print(f"rotastack: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print("rotastack: stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rotastack", description="Ensembles over views of the data, and an honest verdict."
    )
    parser.add_argument("--version", action="version", version=f"rotastack {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

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

    ui = commands.add_parser("ui", help="open the MLflow UI on the tracking database")
    ui.add_argument("--port", type=int, default=5000)
    ui.add_argument("--host", default="127.0.0.1")
    ui.set_defaults(run=_ui)

    datasets = commands.add_parser("datasets", help="list the data sets")
    datasets.add_argument(
        "--available", action="store_true", help="also check whether each can be had (asks the network)"
    )
    datasets.set_defaults(run=_datasets)

    commands.add_parser("methods", help="list learners and combiners that a study may name").set_defaults(
        run=_methods
    )

    predict = commands.add_parser("predict", help="predict a table with a logged model")
    predict.add_argument("table", help="CSV, TSV, Parquet or ARFF")
    predict.add_argument("--model", required=True, help="MLflow model address, such as runs:/<id>/model")
    predict.add_argument("--output", help="CSV file to write; without it, standard output")
    predict.set_defaults(run=_predict)

    for name, text in STEPS.items():
        step = commands.add_parser(name, help=text)
        if name == "report":
            step.add_argument("study", nargs="?", help="a study of config/studies or a YAML file")
        step.add_argument("--spec", default="{}", help="JSON: the slice of the study that the step uses")
        step.add_argument(
            "--input", nargs="+", action="append", default=[], metavar="NAME FILE", help="files to read"
        )
        step.add_argument(
            "--output", nargs="+", action="append", default=[], metavar="NAME FILE", help="files to write"
        )
        step.add_argument(
            "--about", nargs="*", default=[], metavar="KEY=VALUE", help="what is worked on, for the record"
        )
        step.add_argument("--code", default="", help="fingerprint of the code, for the record")
        step.add_argument("--threads", type=int, default=1, help="threads to use at most")
        step.set_defaults(run=_step, step=name)
    return parser


def _step(arguments) -> int:
    """Run a step of the workflow."""
    if arguments.step == "report" and arguments.study:
        return _report(arguments)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        os.environ[variable] = "1" if arguments.step.startswith("train") else str(arguments.threads)
    import importlib
    import json

    from rotastack.study.job import Job

    try:
        spec = json.loads(arguments.spec)
    except ValueError as error:
        raise RotastackError(f"--spec: not valid JSON: {error}") from None
    files = {
        option: {group[0]: [Path(f) for f in group[1:]] for group in getattr(arguments, option)}
        for option in ("input", "output")
    }
    about = dict(item.partition("=")[::2] for item in arguments.about)
    module = importlib.import_module(f"rotastack.study.steps.{arguments.step}")
    try:
        module.run(
            Job(
                arguments.step,
                spec,
                files["input"],
                files["output"],
                about,
                arguments.code,
                arguments.threads,
            )
        )
    except KeyError as error:
        raise RotastackError(
            f"{arguments.step}: {error} is missing from --spec, --input, --output or --about"
        ) from None
    return 0


def _study_file(name: str) -> Path:
    from rotastack.errors import nearest
    from rotastack.project import project_file

    for path in (
        Path(name),
        Path("config/studies") / f"{name}.yaml",
        project_file(f"config/studies/{name}.yaml"),
    ):
        if path.suffix in (".yaml", ".yml") and path.is_file():
            return path
    known = sorted(p.stem for p in project_file("config/studies").glob("*.yaml"))
    raise RotastackError(f"study {name!r} is unknown{nearest(name, known)}; there are {', '.join(known)}")


def _snakemake(arguments: list[str]) -> int:
    """Run Snakemake on the project's workflow in the working directory."""
    import subprocess

    from rotastack.project import project_file

    command = [sys.executable, "-m", "snakemake", "--snakefile", str(project_file("Snakefile")), *arguments]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
    }
    return subprocess.call(command, env=environment)


def _run(arguments) -> int:
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
        study = _study_file(arguments.study)
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
    return _snakemake(options + arguments.rest)


def _report(arguments) -> int:
    from rotastack.schema import load_yaml

    study = _study_file(arguments.study)
    name = load_yaml(study)["name"]
    page = f"results/{name}/report.html"
    code = _snakemake(["--configfile", str(study), "--cores", "all", page])
    if code == 0:
        print(f"rotastack: the report is {page}")
    return code


def _ui(arguments) -> int:
    import importlib.util
    import subprocess

    if importlib.util.find_spec("mlflow.server") is None or importlib.util.find_spec("flask") is None:
        raise RotastackError("the UI needs the full MLflow: install rotastack[server]")
    from rotastack.tracking.writer import tracking_uri

    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", tracking_uri()]
    return subprocess.call([*command, "--host", arguments.host, "--port", str(arguments.port)])


def _datasets(arguments) -> None:
    from rotastack.data.registry import registry

    entries = registry()
    print(f"{'name':24s} {'rows':>6s} {'columns':>7s} {'classes':>7s}  source")
    for name, spec in entries.items():
        columns = spec["columns"] if isinstance(spec["columns"], int) else len(spec["columns"])
        sources = ", ".join(next(iter(source)) for source in spec["sources"]) or "mirror only"
        line = (
            f"{name:24s} {spec['rows']:6d} {columns:7d} {len(spec.get('classes', [])) or '-':>7}  {sources}"
        )
        if arguments.available:
            from rotastack.data.loading import unavailable

            why = unavailable(name, spec)
            line += "  available" if why is None else f"  NOT available: {why}"
        print(line)


def _methods(arguments) -> None:
    from rotastack.learners.registry import learner_names, learner_parameters

    print(
        "pools: view identity (one member) or rotation (one member per rotation of the group), with a learner:"
    )
    for name in learner_names():
        print(f"  {name}: {', '.join(map(_parameter, learner_parameters(name).items()))}")
    print(
        "bases: nn is one nearest neighbour, j48 C4.5, nb Gaussian naive Bayes; psvm and exrm are linear machines"
    )
    print(
        "combiners: vote (voting: soft or hard); stacking (learner: as above, the level-1 learner); log_linear (ridge);"
    )
    print("  weights (weighting, h: rotations by complexity); prune (pruner: docs/pruning.md);")
    print("  member (member: one weighting of its learner, or one of its pool's sizes, such as '5')")


def _parameter(item: tuple[str, dict]) -> str:
    """Return a parameter's name, with its values if they are named."""
    name, rule = item
    values = ["null" if value is None else str(value) for value in rule.get("enum", [])]
    return f"{name} ({' | '.join(values)})" if values else name


def _predict(arguments) -> None:
    from rotastack.data.tables import read_frame

    table = read_frame(arguments.table)
    import mlflow
    from mlflow.exceptions import MlflowException

    from rotastack.tracking.writer import tracking_uri

    mlflow.set_tracking_uri(tracking_uri())
    try:
        model = mlflow.pyfunc.load_model(arguments.model)
        names = model.metadata.get_input_schema().input_names()
        missing = [n for n in names if n not in table.columns]
        if missing:
            raise RotastackError(
                f"{arguments.table}: columns missing that the model needs: {', '.join(missing)}"
            )
        whole = table[names].select_dtypes("integer").columns
        labels = model.predict(table[names].astype(dict.fromkeys(whole, "float64")))
    except MlflowException as error:
        raise RotastackError(f"{arguments.model}: {' '.join(str(error).split())}") from None
    result = table.assign(prediction=labels)
    if arguments.output:
        from rotastack.files import replacing

        with replacing(arguments.output) as temporary:
            result.to_csv(temporary, index=False)
    else:
        result.to_csv(sys.stdout, index=False)


if __name__ == "__main__":
    sys.exit(main())
