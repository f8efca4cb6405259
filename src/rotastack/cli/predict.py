"""``rotastack predict``: predict the rows of a table with a saved model."""

from argparse import Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from rotastack.cli.models import add_study_options, model_at
from rotastack.cli.studies import offer, studies_with_models
from rotastack.errors import RotastackError, nearest

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    predict = commands.add_parser(
        "predict",
        help="predict the rows of a table with a saved model",
        description="Predict the rows of a table. The output has the rows in their order, with predictions beside the columns.",
        epilog="example:\n  rotastack predict --study customers new.csv --proba --output predicted.csv",
        formatter_class=RawDescriptionHelpFormatter,
    )
    predict.add_argument("table", help="table, in a format that `rotastack run` reads")
    which = predict.add_mutually_exclusive_group(required=True)
    offer(which.add_argument("--study", metavar="NAME", help="study that made the model"), studies_with_models)
    which.add_argument(
        "--model", metavar="MODEL", help="model file, its folder, runs:/<id>/model or models:/<name>/<version>"
    )
    add_study_options(predict)
    predict.add_argument("--proba", action="store_true", help="add a column probability=<class> for each class")
    predict.add_argument(
        "--intervals", action="store_true", help="add columns lower and upper, bounds that contain 90 %% of the targets"
    )
    predict.add_argument(
        "--output",
        metavar="FILE",
        help="file to write; its ending is the format: .csv, .tsv, .jsonl (each also .gz), .parquet, .xlsx "
        "(default: CSV to standard output)",
    )
    predict.add_argument(
        "--keep",
        metavar="COLUMN",
        action="append",
        help="column of the table to write, such as an id (repeatable; default: all)",
    )
    predict.set_defaults(run=_predict)


def _predict(arguments: Namespace) -> None:
    import sys

    from pandas.api.types import is_float_dtype

    from rotastack.data.tables import read_as_written
    from rotastack.data.writing import check_writable, write_csv, write_table
    from rotastack.workflow.use.saved_model import model_of_study

    if arguments.output:
        check_writable(arguments.output)
        if Path(arguments.output).resolve() == Path(arguments.table).resolve():
            raise RotastackError(f"--output: {arguments.output} is the input table; name another file")
    table, reading = read_as_written(arguments.table)
    unknown = [column for column in arguments.keep or () if column not in table]
    if unknown:
        names = list(map(str, table.columns))
        raise RotastackError(f"--keep: {arguments.table}: column {unknown[0]!r} not found{nearest(unknown[0], names)}")
    model = (
        model_at(arguments)
        if arguments.model
        else model_of_study(arguments.study, arguments.dataset, arguments.project)
    )
    try:
        predicted = model.predict(table, arguments.proba, arguments.intervals)
    except RotastackError as error:
        named = str(error).startswith(model.name)
        raise RotastackError(str(error) if named else f"{arguments.table}: {error}") from None
    replaced = [str(c) for c in table.columns if c in predicted.columns]
    for note in [
        *reading.notes,
        *predicted.notes,
        *([f"replaced by predictions: {', '.join(replaced)}"] if replaced else []),
    ]:
        print(f"rotastack: {arguments.table}: {note}", file=sys.stderr)
    rounded = predicted.columns.round({c: 6 for c in predicted.columns if str(c).startswith("probability=")})
    for column in rounded.columns.intersection(["prediction", "lower", "upper"]):
        if is_float_dtype(rounded[column].dtype):
            rounded[column] = [float(f"{v:.0f}" if abs(v) >= 1e6 else f"{v:.6g}") for v in rounded[column]]
    kept = table if arguments.keep is None else table[list(dict.fromkeys(arguments.keep))]
    result = kept.drop(columns=replaced, errors="ignore").join(rounded)
    if arguments.output:
        write_table(result, arguments.output)
        print(f"rotastack: {len(result)} rows written to {arguments.output}", file=sys.stderr)
    else:
        write_csv(result, sys.stdout)
