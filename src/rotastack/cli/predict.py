"""``rotastack predict``: predict the rows of a table with a saved model."""

import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.cli.options import add_model_options, command
from rotastack.cli.versions import check_model
from rotastack.errors import RotastackError, counted, in_one_line, nearest

if TYPE_CHECKING:
    from rotastack.workflow.use.saved_model import SavedModel


def add(commands: Any) -> None:
    """Add the command."""
    predict = command(
        commands,
        "predict",
        _predict,
        "predict the rows of a table with a saved model",
        description="Predict the rows of a table. The output keeps the order of the rows, and adds predictions to the columns.",
        epilog="example:\n  rotastack predict --study customers new.csv --proba --output predicted.csv",
    )
    predict.add_argument("table", help="table, in a format that `rotastack run` reads")
    which = predict.add_mutually_exclusive_group(required=True)
    which.add_argument("--study", metavar="NAME", help="study that made the model")
    which.add_argument(
        "--model", metavar="MODEL", help="model file, its folder, runs:/<id>/model or models:/<name>/<version>"
    )
    add_model_options(predict)
    predict.add_argument("--proba", action="store_true", help="add a column probability=<class> for each class")
    predict.add_argument(
        "--intervals",
        action="store_true",
        help="add columns lower and upper, the ends of 90 %% prediction intervals; after a run with --time-column they have the width that the tests on later rows required",
    )
    predict.add_argument(
        "--output",
        metavar="FILE",
        help="file to write; its ending is the format: .csv, .tsv, .jsonl (each also .gz), .parquet, .xlsx "
        "(default: CSV to standard output)",
    )
    text = "column of the table to write, such as an id (repeatable; default: all)"
    predict.add_argument("--keep", metavar="COLUMN", action="append", help=text)


def _predict(arguments: Namespace) -> None:
    from rotastack.data.tables import read_as_written
    from rotastack.data.writing import check_writable, write_csv, write_table

    if arguments.output:
        check_writable(arguments.output)
        if Path(arguments.output).resolve() == Path(arguments.table).resolve():
            raise RotastackError(f"--output: {arguments.output} is the input table; name another file")
    table, reading = read_as_written(arguments.table)
    unknown = [column for column in arguments.keep or () if column not in table]
    if unknown:
        names = list(map(str, table.columns))
        raise RotastackError(f"--keep: {arguments.table}: column {unknown[0]!r} not found{nearest(unknown[0], names)}")
    where = arguments.project, arguments.trust
    model = _model_at(arguments.model, *where) if arguments.model else _model_of_study(arguments)
    scored = model.target in table
    proba = arguments.proba or (scored and hasattr(model.pipeline, "predict_proba"))
    intervals = arguments.intervals or (scored and model.measured.get("score") == "pinball")
    try:
        predicted, notes = model.predict(table, proba, intervals)
    except RotastackError as error:
        named = str(error).startswith(model.name)
        raise RotastackError(str(error) if named else f"{arguments.table}: {error}") from None
    if not arguments.output and predicted["prediction"].dtype.kind == "f":
        predicted = _for_a_screen(predicted, model.measured.get("scores", {}))
    asked = {"probability": arguments.proba, "lower": arguments.intervals, "upper": arguments.intervals}
    shown = predicted[[c for c in predicted if asked.get(c.partition("=")[0], True)]]
    replaced = [str(c) for c in table.columns if c in shown]
    lost = [f"replaced by predictions: {', '.join(replaced)}"] if replaced else []
    for note in [*reading.notes, *notes, *lost]:
        print(f"rotastack: {arguments.table}: {note}", file=sys.stderr)
    kept = table if arguments.keep is None else table[list(dict.fromkeys(arguments.keep))]
    result = kept.drop(columns=replaced, errors="ignore").join(shown)
    if arguments.output:
        write_table(result, arguments.output)
        print(f"rotastack: {counted(len(result), 'row')} written to {arguments.output}", file=sys.stderr)
    else:
        write_csv(result.round({c: 6 for c in shown if str(c).startswith("probability=")}), sys.stdout)
    if scored:
        print(f"rotastack: {arguments.table}: {model.scores(table, predicted)}", file=sys.stderr)


def _for_a_screen(predicted: Any, scores: dict[str, float]) -> Any:
    """Return predicted numbers in the digits that their spread, their intervals and the tested error need."""
    from rotastack.workflow.judge.words import in_digits

    widths = predicted.filter(["lower", "upper"]).diff(axis=1).median()
    units = predicted["prediction"].std(), widths.max(), scores.get("rmse", 0.0)
    return predicted.apply(lambda column: in_digits(column.tolist(), *units)).astype("float64")


def _model_of_study(arguments: Namespace) -> "SavedModel":
    from rotastack.workflow.use.saved_model import file_of_study, saved_model

    path = file_of_study(arguments.study, arguments.dataset, arguments.project)
    check_model(path, arguments.study, arguments.project)
    return saved_model(path, f"{path.parents[2].name}/{path.parents[1].name}", arguments.trust)


def _model_at(address: str, project: str, trusted: list[str]) -> "SavedModel":
    """Return the model at an MLflow address, or in a file or folder."""
    from rotastack.workflow.use.saved_model import model_in_folder

    if ":/" not in address:
        if not Path(address).exists():
            raise RotastackError(f"{address}: not found; name a file, a folder, or an address runs:/... or models:/...")
        return model_in_folder(Path(address), None, trusted)
    from rotastack.workflow.tracking.address import database_file, existing_uri, mute_libraries, without_secrets

    uri = existing_uri(project)
    import mlflow
    from mlflow.exceptions import MlflowException

    mute_libraries()
    mlflow.set_tracking_uri(uri)  # some functions behind the download take the address only from this setting
    with tempfile.TemporaryDirectory() as folder:
        try:
            files = Path(mlflow.artifacts.download_artifacts(address, dst_path=folder))
            if files.is_dir() and not any(files.iterdir()):
                raise OSError("the model's files are missing")
        except (MlflowException, OSError) as error:
            moved = "; if the folder was moved or copied, delete results/mlflow and results/*/tracking.json, and run the study again"
            message = without_secrets(in_one_line(error), uri).rstrip(".")
            raise RotastackError(f"{address}: {message}{moved if database_file(uri) else ''}") from None
        finally:
            mlflow.set_tracking_uri(None)  # type: ignore[arg-type]  # setting it wrote the address to the environment
        return model_in_folder(files, address, trusted)
