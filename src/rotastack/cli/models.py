"""Helpers of the commands that use a saved model: the options that choose a model, and its loading."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from rotastack.errors import RotastackError, in_one_line

if TYPE_CHECKING:
    from rotastack.workflow.use.saved_model import SavedModel

__all__ = ["add_study_options", "model_at"]


def add_study_options(parser: ArgumentParser) -> None:
    """Add the options that choose a model of a study: the data set and the project's folder."""
    parser.add_argument("--dataset", metavar="NAME", help="data set of the model, for a study of several data sets")
    parser.add_argument(
        "-C", "--project", metavar="DIR", default=".",
        help="folder in which the study was run (default: the current folder)",
    )  # fmt: skip


def model_at(arguments: Namespace) -> "SavedModel":
    """Return the model at an MLflow address, or in a file or folder."""
    from rotastack.workflow.use.saved_model import model_in_folder

    address = arguments.model
    if ":/" not in address:
        if not Path(address).exists():
            raise RotastackError(f"{address}: not found; name a file, a folder, or an address runs:/... or models:/...")
        return model_in_folder(Path(address))
    from rotastack.workflow.tracking.address import database_file, existing_uri, mute_libraries, without_secrets

    uri = existing_uri(arguments.project)
    import tempfile

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
            moved = "; if the folder was moved or copied, delete results/*/tracking.json and run the study again"
            message = without_secrets(in_one_line(error), uri).rstrip(".")
            raise RotastackError(f"{address}: {message}{moved if database_file(uri) else ''}") from None
        finally:
            mlflow.set_tracking_uri(None)  # type: ignore[arg-type]  # setting it wrote the address to the environment
        return model_in_folder(files, address)
