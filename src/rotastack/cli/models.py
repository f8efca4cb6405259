"""What commands share that use a saved model: options that name one, and its loading."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rotastack.errors import RotastackError

if TYPE_CHECKING:
    from rotastack.use.saved_model import SavedModel

__all__ = ["add_study_options", "model_at", "say_who_may_ask"]


def add_study_options(parser: ArgumentParser) -> None:
    """Add the options that say which model of a study is meant, and where."""
    parser.add_argument("--dataset", metavar="NAME", help="the data set, if the study has models of several")
    parser.add_argument(
        "-C", "--project", metavar="DIR", default=".",
        help="the folder in which the study was run (default: this one)",
    )  # fmt: skip


def say_who_may_ask(host: str) -> None:
    """Warn if a server listens to more than this machine: neither asks for a password."""
    if host not in ("127.0.0.1", "localhost", "::1"):
        print(
            f"rotastack: warning: whoever reaches {host} may ask, and nobody is asked for a password; "
            "without --host this machine alone may, and `ssh -L` brings it to another",
            file=sys.stderr,
        )


def model_at(arguments: Namespace) -> "SavedModel":
    """Return the model at an address of MLflow, or in a file or folder."""
    from rotastack.use.saved_model import model_in_folder

    address = arguments.model
    if ":/" not in address:
        if not Path(address).exists():
            raise RotastackError(f"{address}: there is no such file or folder, and it is no runs:/ or models:/")
        return model_in_folder(Path(address))
    from rotastack.tracking.store import existing_uri

    uri = existing_uri(arguments.project)
    import tempfile

    import mlflow
    from mlflow.exceptions import MlflowException

    mlflow.set_tracking_uri(uri)
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = mlflow.artifacts.download_artifacts(address, dst_path=folder)
        except (MlflowException, OSError) as error:
            raise RotastackError(f"{address}: {' '.join(str(error).split())}") from None
        finally:
            mlflow.set_tracking_uri(None)  # type: ignore[arg-type]  # it puts the address into the environment
        return model_in_folder(Path(found), address)
