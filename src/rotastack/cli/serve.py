"""``rotastack serve``: answer requests for predictions, on this machine."""

from argparse import Namespace, RawDescriptionHelpFormatter
from typing import Any

from rotastack.cli.models import add_study_options, say_who_may_ask
from rotastack.errors import RotastackError

__all__ = ["add"]

EXAMPLE = """example:
  rotastack serve customers --port 8000
  curl -d '{"dataframe_records": [{"age": 41, "city": "Bonn"}]}' http://127.0.0.1:8000/predict"""


def add(commands: Any) -> None:
    """Add the command."""
    serve = commands.add_parser(
        "serve",
        help="answer requests for predictions of a study's model (JSON over HTTP)",
        description="Answer requests for predictions: POST /predict (or MLflow's /invocations), GET /health.",
        epilog=EXAMPLE,
        formatter_class=RawDescriptionHelpFormatter,
    )
    serve.add_argument("study", help="the study that made the model")
    add_study_options(serve)
    serve.add_argument("--port", type=int, default=8000, help="0 takes a free one (default: 8000)")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine alone)")
    serve.set_defaults(run=_serve)


def _serve(arguments: Namespace) -> None:
    import signal

    from rotastack.study.serving import ModelServer
    from rotastack.use.saved_model import model_of_study

    model = model_of_study(arguments.study, arguments.dataset, arguments.project)
    try:
        server = ModelServer(model, arguments.host, arguments.port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RotastackError(f"{arguments.host}:{arguments.port}: cannot listen there: {reason}") from None
    say_who_may_ask(arguments.host)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    print(f"rotastack: {model.name} is served at {server.address}/predict; Ctrl-C ends it", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("rotastack: the server has ended")
    finally:
        server.server_close()
