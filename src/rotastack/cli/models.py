"""What commands share that use a saved model: options that name one, and its loading."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rotastack.errors import RotastackError, in_one_line

if TYPE_CHECKING:
    from rotastack.use.saved_model import SavedModel

__all__ = ["add_study_options", "model_at"]


def add_study_options(parser: ArgumentParser) -> None:
    """Add the options that say which model of a study is meant, and where."""
    parser.add_argument("--dataset", metavar="NAME", help="the data set, if the study has models of several")
    parser.add_argument(
        "-C", "--project", metavar="DIR", default=".",
        help="the folder in which the study was run (default: this one)",
    )  # fmt: skip


def model_at(arguments: Namespace) -> "SavedModel":
    """Return the model at an address of MLflow, or in a file or folder."""
    from rotastack.use.saved_model import model_in_folder

    address = arguments.model
    if ":/" not in address:
        if not Path(address).exists():
            raise RotastackError(f"{address}: there is no such file or folder, and it is no runs:/ or models:/")
        return model_in_folder(Path(address))
    from rotastack.tracking.address import database_file, existing_uri, mute_libraries, without_secrets

    uri = existing_uri(arguments.project)
    import tempfile

    import mlflow
    from mlflow.exceptions import MlflowException

    mute_libraries()
    mlflow.set_tracking_uri(uri)  # not all that it asks takes the address as an argument
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = Path(mlflow.artifacts.download_artifacts(address, dst_path=folder))
            if found.is_dir() and not any(found.iterdir()):
                raise OSError("its files are gone")
        except (MlflowException, OSError) as error:
            moved = "; in a folder that was moved or copied, run the study once more: it makes a fresh store"
            said = without_secrets(in_one_line(error), uri).rstrip(".")
            raise RotastackError(f"{address}: {said}{moved if database_file(uri) else ''}") from None
        finally:
            mlflow.set_tracking_uri(None)  # type: ignore[arg-type]  # it puts the address into the environment
        return model_in_folder(found, address)
