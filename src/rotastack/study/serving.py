"""A small server of a saved model: JSON over HTTP, by the standard library alone."""

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pandas as pd

from rotastack.errors import RotastackError
from rotastack.use.saved_model import SavedModel

__all__ = ["ModelServer"]

MOST_BYTES = 1 << 26
"""Of a request."""

PATHS = ("/predict", "/invocations")
FORMS = 'rows are {"dataframe_records": [{column: value, ...}, ...]} or {"dataframe_split": {"columns": [...], "data": [[...], ...]}}'


class ModelServer(ThreadingHTTPServer):
    """Serve a model: ``GET /health``, and ``POST /predict`` (or ``/invocations``, as MLflow calls it).

    Parameters
    ----------
    model : SavedModel
    host : str
    port : int
        0 takes one that is free.

    Notes
    -----
    Requests have the forms of MLflow's own servers, ``dataframe_records`` and ``dataframe_split``; answers have
    ``predictions``, of classifiers ``probabilities``, with ``"params": {"intervals": true}`` ``lower`` and ``upper``, and
    ``notes`` where rows are odd. Bad input is answered by status 400 and ``{"error": ...}``.
    """

    daemon_threads = True

    def __init__(self, model: SavedModel, host: str = "127.0.0.1", port: int = 0):
        self.model = model
        self.busy = threading.Lock()
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """Where the server listens."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def health(self) -> dict[str, Any]:
        """Return what is served."""
        return {"status": "ok", "model": self.model.name, "columns": self.model.columns, "classes": self.model.classes}

    def answer(self, body: bytes) -> dict[str, Any]:
        """Return the predictions for a request.

        Raises
        ------
        RotastackError
            It is not JSON of the forms above, or does not fit the model.
        """
        table, params = _request(body)
        with self.busy:  # warnings are caught for the whole process
            proba = hasattr(self.model.pipeline, "predict_proba")
            found = self.model.predict(table, proba, bool(params.get("intervals", False)))
        columns = found.columns
        answer: dict[str, Any] = {"predictions": columns["prediction"].tolist()}
        if proba:
            shares = columns[[f"probability={c}" for c in self.model.classes]].set_axis(self.model.classes, axis=1)
            answer["probabilities"] = shares.to_dict("records")
        answer |= {end: columns[end].tolist() for end in ("lower", "upper") if end in columns}
        return {**answer, "notes": found.notes} if found.notes else answer


def _request(body: bytes) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the rows of a request, and its parameters."""
    try:
        content = json.loads(body)
    except ValueError as error:
        raise RotastackError(f"the request is no JSON ({error}); {FORMS}") from None
    if isinstance(content, list):
        content = {"dataframe_records": content}
    if not isinstance(content, dict) or len({"dataframe_records", "dataframe_split"} & set(content)) != 1:
        raise RotastackError(FORMS)
    params = content.get("params") or {}
    records: Any = content.get("dataframe_records")
    split: Any = content.get("dataframe_split")
    try:
        if split is not None:
            table = pd.DataFrame(split["data"], columns=split["columns"])
        elif isinstance(records, list) and all(isinstance(row, dict) for row in records):
            table = pd.DataFrame.from_records(records)
        else:
            raise RotastackError(FORMS)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RotastackError(f"rows cannot be read ({' '.join(str(error).split())}); {FORMS}") from None
    nested = [str(name) for name, column in table.items() if column.map(type).isin([list, dict]).any()]
    if nested:
        raise RotastackError(
            f"values are numbers, text, true, false or null; column {nested[0]!r} holds lists or objects"
        )
    if not isinstance(params, dict):
        raise RotastackError('"params" is an object, such as {"intervals": true}')
    return table, params


class _Handler(BaseHTTPRequestHandler):
    """Read a request, write an answer."""

    server: ModelServer
    server_version = "rotastack"
    sys_version = ""
    timeout = 60  # seconds that a client may take to send what it announced

    def do_GET(self) -> None:
        if self.path == "/health":
            self._write(HTTPStatus.OK, self.server.health())
        else:
            self._write(HTTPStatus.NOT_FOUND, {"error": f"there is GET /health and POST {PATHS[0]}"})

    def do_POST(self) -> None:
        if self.path not in PATHS:
            self._write(HTTPStatus.NOT_FOUND, {"error": f"there is GET /health and POST {PATHS[0]}"})
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self._write(HTTPStatus.LENGTH_REQUIRED, {"error": "the header Content-Length is missing"})
            return
        if int(length) > MOST_BYTES:
            self.close_connection = True
            text = f"the request has {length} bytes; at most {MOST_BYTES} are read"
            self._write(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": text})
            return
        try:
            self._write(HTTPStatus.OK, self.server.answer(self.rfile.read(int(length))))
        except (RotastackError, ValueError) as error:
            self._write(HTTPStatus.BAD_REQUEST, {"error": " ".join(str(error).split())})

    def _write(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        body = (json.dumps(content) + "\n").encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing of each request."""
