"""An SQLite database for MLflow: made whole or not at all, and ours set aside where it was made in another folder."""

import fcntl
import os
import sys
import tempfile
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # nothing leaves this machine unasked

from mlflow.entities import ViewType
from mlflow.tracking import MlflowClient

from rotastack.tracking.address import FOLDER, receipt_name

__all__ = ["make_database", "set_aside"]


def make_database(path: Path) -> None:
    """Make the database, unless it is there. Whoever else is about to make it waits, and finds it made.

    MLflow brings an empty database to its state of today by some fifty changes; stopped between two of them it
    leaves one that nothing can read. So it has another name until it is whole.
    """
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            if not path.exists():
                uri = f"sqlite:///{folder}/{path.name}"
                MlflowClient(uri, uri).search_experiments(max_results=1)
                (Path(folder) / path.name).replace(path)


def set_aside(client: MlflowClient) -> bool:
    """Move the store in ``results/mlflow`` aside if it was made in another folder; tell whether it was.

    MLflow keeps absolute addresses of files, which would lead to that folder, or nowhere. The receipts of that folder
    are deleted: if this one is moved back, its store is filled anew once more.
    """
    here = (FOLDER / "artifacts").resolve().as_uri()
    places = {e.artifact_location.rpartition("/")[0] for e in client.search_experiments(ViewType.ALL)}
    others = sorted(p for p in places if p.endswith(f"/{FOLDER.name}/artifacts"))
    if not others or here in others:
        return False
    for folder in (before := [Path(url2pathname(urlsplit(place).path)).parent for place in others]):
        name = receipt_name(f"sqlite:///{folder / 'mlflow.db'}")
        for receipt in FOLDER.parent.glob(f"*/{name}"):
            receipt.unlink()
    numbered = (FOLDER.with_name(f"{FOLDER.name}-of-another-folder-{number}") for number in count(1))
    aside = next(folder for folder in numbered if not (folder / "mlflow.db").exists())
    aside.mkdir(exist_ok=True)
    for name in ("artifacts", "mlflow.db"):  # the database last: until then it can be told whose it is
        if (FOLDER / name).exists():
            (FOLDER / name).rename(aside / name)
    print(
        f"rotastack: {FOLDER} was made in another folder, as {before[0]}; it is {aside} now, and a fresh one is filled "
        "from the records",
        file=sys.stderr,
    )
    return True
