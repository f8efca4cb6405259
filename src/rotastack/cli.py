"""The ``rotastack`` command. Everything heavy is imported by the command that needs it."""

import argparse
import os
import sys
from pathlib import Path

from rotastack import __version__
from rotastack.errors import RotastackError

__all__ = ["main"]


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

    commands.add_parser("methods", help="list short names of estimators, views and pruners").set_defaults(
        run=_methods
    )

    predict = commands.add_parser("predict", help="predict a table with a logged model")
    predict.add_argument("table", help="CSV, TSV, Parquet or ARFF")
    predict.add_argument("--model", required=True, help="MLflow model address, such as runs:/<id>/model")
    predict.add_argument("--output", help="CSV file to write; without it, standard output")
    predict.set_defaults(run=_predict)

    report = commands.add_parser(
        "report", help="bring the HTML report of a study up to date, and say where it is"
    )
    report.add_argument("study", help="a study of config/studies or a YAML file")
    report.add_argument("--size", default="full", help="size of the study, such as small (default: full)")
    report.set_defaults(run=_report)

    schema = commands.add_parser("schema", help="print the JSON schema of studies, for editors")
    schema.set_defaults(run=_schema)

    step = commands.add_parser("step", help="run one step of the workflow, as its rules do")
    step.add_argument("step", metavar="NAME", help="a file of study/steps; `rotastack step list` lists them")
    step.add_argument("--spec", default="{}", help="JSON: the slice of the study that the step uses")
    for option, text in (("--input", "files to read"), ("--output", "files to write")):
        step.add_argument(option, nargs="+", action="append", default=[], metavar="NAME FILE", help=text)
    step.add_argument(
        "--about", nargs="*", default=[], metavar="KEY=VALUE", help="what is worked on, for the record"
    )
    step.add_argument("--code", default="", help="fingerprint of the code, for the record")
    step.add_argument("--threads", type=int, default=1, help="threads to use at most")
    step.set_defaults(run=_step)
    return parser


def _step(arguments) -> None:
    """Run a step of the workflow."""
    from rotastack.study.job import Job, declarations, step_names

    names = step_names()
    if arguments.step == "list":
        for name in names:
            print(f"{name:14s} {declarations(name)['help']}")
        return
    if arguments.step not in names:
        from rotastack.errors import nearest

        raise RotastackError(
            f"step {arguments.step!r} is unknown{nearest(arguments.step, names)}; there are {', '.join(names)}"
        )
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
        os.environ[variable] = "1" if arguments.step == "train" else str(arguments.threads)
    import importlib
    import json

    try:
        spec = json.loads(arguments.spec)
    except ValueError as error:
        raise RotastackError(f"--spec: not valid JSON: {error}") from None
    files = {
        option: {group[0]: [Path(f) for f in group[1:]] for group in getattr(arguments, option)}
        for option in ("input", "output")
    }
    about = dict(item.partition("=")[::2] for item in arguments.about)
    job = Job(arguments.step, spec, files["input"], files["output"], about, arguments.code, arguments.threads)
    importlib.import_module(f"rotastack.study.steps.{arguments.step}").run(job)


def _schema(arguments) -> None:
    import json

    from rotastack.study.model import StudyDocument

    print(json.dumps(StudyDocument.model_json_schema(), indent=1))


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
    from rotastack.base.documents import load_yaml

    study = _study_file(arguments.study)
    content = load_yaml(study)
    if not isinstance(content, dict) or "name" not in content:
        raise RotastackError(f"{study}: top level: key 'name' is missing")
    sized = arguments.size != "full"
    page = f"results/{content['name']}{'-' + arguments.size if sized else ''}/report.html"
    options = ["--config", f"size={arguments.size}"] if sized else []
    code = _snakemake(["--configfile", str(study), *options, "--cores", "all", page])
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
    from rotastack.study.catalogue import ESTIMATORS, PRUNERS, VIEWS

    print(
        "Any estimator, view or pruner may be named by its class: a dotted path, or the name of one of ours."
    )
    print("Parameters are those of the class. Short names, their classes, and what they fix:")
    for title, entries in [("estimators", ESTIMATORS), ("views", VIEWS), ("pruners", PRUNERS)]:
        print(f"{title}:")
        for name, entry in entries.items():
            print(f"  {name}: {entry.path}{_fixed(entry.parameters)}")
    print(
        "combiners (kind): vote, stacking, log_linear, weights, member, prune, other; `rotastack schema` has their keys"
    )


def _fixed(parameters: dict) -> str:
    """Return fixed parameters as a study writes them."""
    import yaml

    if not parameters:
        return ""
    return " " + yaml.safe_dump(parameters, default_flow_style=True, sort_keys=False, width=10**6).strip()


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
