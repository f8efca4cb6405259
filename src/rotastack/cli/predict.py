"""``rotastack predict``: predict a table with a logged model."""

from argparse import Namespace
from typing import Any

from rotastack.errors import RotastackError

__all__ = ["add"]


def add(commands: Any) -> None:
    """Add the command."""
    predict = commands.add_parser("predict", help="predict a table with a logged model")
    predict.add_argument("table", help="CSV, TSV, Parquet or ARFF")
    predict.add_argument("--model", required=True, help="MLflow model address, such as runs:/<id>/model")
    predict.add_argument("--output", help="CSV file to write; without it, standard output")
    predict.set_defaults(run=_predict)


def _predict(arguments: Namespace) -> None:
    import sys

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
