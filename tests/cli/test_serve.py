"""``rotastack serve``: real requests on a free port; bad ones are answered in one line; it ends cleanly."""

import json
import signal
import subprocess
import sys
import threading
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from tests.cli.conftest import customers

from rotastack.cli import main
from rotastack.cli.commands import _parser
from rotastack.cli.models import say_who_may_ask
from rotastack.study.serving import MOST_BYTES, ModelServer
from rotastack.use.saved_model import model_of_study

ROWS = customers(90).tail(5).drop(columns=["name", "target"])


def ask(address, path, body=None, **headers):
    """Return status and content of an answer."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urlopen(Request(address + path, data, headers), timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except HTTPError as error:
        return error.code, json.loads(error.read())


@pytest.fixture(scope="module")
def address(shop):
    """Where the shop's model is served, in a thread."""
    server = ModelServer(model_of_study("shop", project=shop[0]))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.address
    server.shutdown()
    server.server_close()
    thread.join()


def test_answers_are_the_predictions_of_the_pipeline(shop, address):
    rows = json.loads(ROWS.to_json(orient="split", index=False))
    records = json.loads(ROWS[["city", "since", "income", "age"]].to_json(orient="records"))
    labels = shop[1].predict(ROWS.assign(name="x"))
    for path in ("/predict", "/invocations"):
        for body in ({"dataframe_split": rows}, {"dataframe_records": records}, records):
            status, answer = ask(address, path, body)
            assert (status, answer["predictions"]) == (200, labels.tolist())
            found = [[row["risk"], row["safe"]] for row in answer["probabilities"]]
            np.testing.assert_allclose(found, shop[1].predict_proba(ROWS.assign(name="x")), rtol=1e-12)
            assert "notes" not in answer


def test_health_says_what_is_served(address):
    status, content = ask(address, "/health")
    assert status == 200
    assert content["model"] == "shop/customers"
    assert content["columns"] == ["age", "income", "since", "city"]
    assert content["classes"] == ["risk", "safe"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        ({"rows": []}, "dataframe_records"),
        ({"dataframe_records": []}, "columns missing"),
        ({"dataframe_records": [1]}, "dataframe_records"),
        ({"dataframe_split": {"data": [[1]]}}, "rows cannot be read"),
        ({"dataframe_split": {"columns": ["age"], "data": [[1, 2]]}}, "rows cannot be read"),
        ({"dataframe_split": {"columns": ["age", "age", "city", "income", "since"], "data": [[1, 2, "Bonn", 3, None]]}}, "columns stand twice: age"),
        ([{"age": 1}], "columns missing that the model needs: income, since, city"),
        ([{"age": [1], "income": 1, "city": "Bonn", "since": "1.1.2020"}], "column 'age' holds lists"),
        ({"dataframe_records": [{"age": 1}], "params": 3}, '"params"'),
        ({"dataframe_records": ROWS.fillna("").to_dict("records"), "params": {"intervals": True}}, "intervals"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(address, body, words):
    status, content = ask(address, "/predict", body)
    assert status == 400
    assert list(content) == ["error"]
    assert words in content["error"]
    assert "\n" not in content["error"]


def test_other_paths_and_sizes(address):
    assert ask(address, "/")[0] == 404
    assert ask(address, "/other", {})[0] == 404
    assert ask(address, "/predict", b"{}", **{"Content-Length": str(MOST_BYTES + 1)})[0] == 413
    assert ask(address, "/health")[0] == 200


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_and_ends_without_a_word_too_many(shop, end):
    command = [sys.executable, *["-m", "rotastack", "serve", "shop", "--port", "0", "--project"], str(shop[0])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as process:  # fmt: skip
        line = process.stdout.readline()
        address = line.split(" at ")[1].split("/predict")[0]
        assert ask(address, "/predict", json.loads(ROWS.to_json(orient="records")))[0] == 200
        process.send_signal(end)
        out, error = process.communicate(timeout=30)
    assert (process.returncode, out, error) == (0, "rotastack: the server has ended\n", "")


def test_what_cannot_be_served_is_one_line(shop, address, capsys):
    port = address.rpartition(":")[2]
    assert main(["serve", "shop", "-C", str(shop[0]), "--port", port]) == 2
    assert "cannot listen there: Address already in use" in capsys.readouterr().err
    assert main(["serve", "prices", "-C", str(shop[0])]) == 2
    assert "--dataset: flats, houses" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["ui"], ["serve", "study"]])
def test_servers_listen_to_this_machine_alone_if_nothing_else_is_asked(command):
    assert _parser().parse_args(command).host == "127.0.0.1"


def test_one_that_listens_to_others_warns(capsys):
    for host in ("127.0.0.1", "localhost", "::1"):
        say_who_may_ask(host)
    assert capsys.readouterr().err == ""
    say_who_may_ask("0.0.0.0")
    said = capsys.readouterr().err
    assert said.startswith("rotastack: warning: whoever reaches 0.0.0.0 may ask")
    assert said.count("\n") == 1
