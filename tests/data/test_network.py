"""The network code, against a server on this machine that answers like OpenML and UCI."""

import gzip
import hashlib
import http.server
import json
import re
import threading
import time

import pytest
from tests.quick import first

from rotastack.data import net
from rotastack.data.loading import fetch_table, unavailable
from rotastack.errors import RotastackError

pytestmark = [  # scikit-learn says that it tries again
    pytest.mark.filterwarnings("ignore:A network error occurred"),
    pytest.mark.filterwarnings("ignore:Invalid cache"),
]

ARFF = b"""@relation toy
@attribute width numeric
@attribute colour {red,green}
@attribute class {a,b}
@data
""" + b"".join(b"%d.5,%s,%s\n" % (i, [b"red", b"green", b"?"][i % 3], [b"a", b"b"][i % 2]) for i in range(20))
CSV = b"".join(b"%d,%d.5,?,%s\n" % (i, i, [b"a", b"b"][i % 2]) for i in range(20))
SPEC = {"rows": 20, "columns": 2, "classes": {"a": 10, "b": 10}}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        server = self.server
        server.requests.append(self.path)
        for fault in list(server.faults):
            kind, part, times = fault
            if part in self.path and times > 0:
                fault[2] -= 1
                return self._fail(kind)
        if self.path in server.redirects:
            self.send_response(302)
            self.send_header("Location", server.redirects[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        body = server.pages.get(self.path.split("?")[0])
        if body is None:
            return self._send(404, b'{"error": {"code": "111", "message": "Unknown dataset"}}')
        return self._send(200, body)

    def _send(self, code, body, length=None):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def _fail(self, kind):
        if kind == "truncated":
            body = self.server.pages[self.path.split("?")[0]]
            self._send(200, body[: len(body) // 2], length=len(body))
            self.close_connection = True
        elif kind == "slow":
            time.sleep(1.5)
        else:
            self._send(kind, b"{}")


@pytest.fixture
def server(monkeypatch):
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    httpd.requests, httpd.faults, httpd.redirects = [], [], {}
    address = f"http://127.0.0.1:{httpd.server_port}/"

    def openml(arff=ARFF, md5=None):
        md5 = md5 or hashlib.md5(arff).hexdigest()
        description = {"data_set_description": {
            "id": "7", "name": "toy", "version": "1", "description": "a toy", "format": "ARFF", "status": "active", "file_id": "70",
            "default_target_attribute": "class", "md5_checksum": md5, "url": f"{address}data/v1/download/70/toy.arff",
        }}  # fmt: skip
        features = {"data_features": {"feature": [
            {"index": str(i), "name": n, "data_type": t, "is_target": str(n == "class").lower(),
             "is_ignore": "false", "number_of_missing_values": "0", "is_row_identifier": "false"}
            for i, (n, t) in enumerate([("width", "numeric"), ("colour", "nominal"), ("class", "nominal")])
        ]}}  # fmt: skip
        qualities = {"data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "20"}]}}
        return {
            "/api/v1/json/data/7": json.dumps(description).encode(),
            "/api/v1/json/data/features/7": json.dumps(features).encode(),
            "/api/v1/json/data/qualities/7": json.dumps(qualities).encode(),
            "/data/v1/download/70/toy.arff": arff,
            "/data/v1/download/70": arff,
        }

    httpd.openml = openml
    httpd.pages = {**openml(), "/uci/toy.data": CSV, "/uci/toy.data.gz": gzip.compress(CSV)}
    httpd.address = address
    threading.Thread(target=httpd.serve_forever, args=[0.01], daemon=True).start()
    api = f"{address}api/v1/json/data/"
    for name, rest in [("INFO", "{}"), ("FEATURES", "features/{}"), ("QUALITIES", "qualities/{}")]:
        monkeypatch.setattr(f"sklearn.datasets._openml._DATA_{name}", api + rest)
    monkeypatch.setattr("rotastack.data.sources.openml.DESCRIPTION", api + "{}")
    monkeypatch.setattr(net, "TIMEOUT", 0.5)
    monkeypatch.setattr("rotastack.data.openml.TIMEOUT", 0.5)
    monkeypatch.setenv("ROTASTACK_RETRY_SECONDS", "0.01")
    yield httpd
    httpd.shutdown()


def openml_spec(**extra):
    return {**SPEC, "sources": [{"openml": 7}], **extra}


def uci_spec(server, name="toy.data", **extra):
    return {**SPEC, "sources": [{"uci": {"urls": [f"{server.address}uci/{name}"], "target": 3, "drop": [0], **extra}}]}


def test_openml_table(server):
    table = fetch_table("toy", openml_spec())
    assert list(table.columns) == ["width", "colour", "target"]
    assert table["width"].tolist()[:2] == [0.5, 1.5]
    assert table["colour"].isna().sum() == 6
    assert sorted(set(table["target"])) == ["a", "b"]


@pytest.mark.parametrize("name", ["toy.data", "toy.data.gz"])
def test_uci_table(server, name):
    table = fetch_table("toy", uci_spec(server, name))
    assert list(table.columns) == ["x1", "x2", "target"]
    assert table["x2"].isna().all()


def test_uci_files_side_by_side_with_labels_by_blocks(server):
    server.pages["/uci/left"] = b"1 2\n3 4\n5 6\n7 8\n"
    server.pages["/uci/right"] = b"9\n10\n11\n12\n"
    source = {
        "urls": [f"{server.address}uci/left", f"{server.address}uci/right"], "separator": "whitespace",
        "join": "columns", "target_by_rows": {"rows_per_class": 2, "labels": ["0", "1"]},
    }  # fmt: skip
    table = fetch_table("toy", {"rows": 4, "columns": 3, "classes": {"0": 2, "1": 2}, "sources": [{"uci": source}]})
    assert table.to_numpy().tolist() == [[1, 2, 9, "0"], [3, 4, 10, "0"], [5, 6, 11, "1"], [7, 8, 12, "1"]]


def test_wrong_checksum(server):
    server.pages |= server.openml(md5="0" * 32)
    with pytest.raises(RotastackError, match="toy.*is not available.*OpenML 7: .*md5 checksum"):
        fetch_table("toy", openml_spec())


def test_unknown_id_and_address(server):
    spec = {**SPEC, "sources": [{"openml": 8}, uci_spec(server)["sources"][0]]}  # the next source is asked
    assert len(fetch_table("toy", spec)) == 20
    with pytest.raises(RotastackError, match="OpenML 8: .*(404|not found)"):
        fetch_table("toy", {**SPEC, "sources": [{"openml": 8}]})
    with pytest.raises(RotastackError, match="the server answered 404"):
        fetch_table("toy", uci_spec(server, "none.data"))


def test_truncated_body(server):
    server.faults.append(["truncated", "toy.data", 99])
    with pytest.raises(RotastackError, match="the download broke off"):
        fetch_table("toy", uci_spec(server))
    server.faults[:] = [["truncated", "download/70", 99]]
    with pytest.raises(RotastackError, match="OpenML 7"):
        fetch_table("toy", openml_spec())


@pytest.mark.slow
def test_time_out(server):
    server.faults.append(["slow", "toy.data", 99])
    with pytest.raises(RotastackError, match="did not answer in time|timed out"):
        fetch_table("toy", uci_spec(server))


@pytest.mark.parametrize("fault", first(2, [503, "truncated", "slow"]))
def test_retry_succeeds(server, fault):
    server.faults.append([fault, "toy.data", 2])
    assert len(fetch_table("toy", uci_spec(server))) == 20


def test_a_different_table_is_not_taken(server):
    with pytest.raises(RotastackError, match="differs from the registry: 20 rows, expected 21"):
        fetch_table("toy", openml_spec(rows=21))


def test_probe_says_what_cannot_be_had_without_downloading(server):
    assert unavailable("toy", openml_spec()) is None
    assert unavailable("toy", uci_spec(server)) is None
    assert not any("download" in r for r in server.requests)
    why = unavailable("toy", {**SPEC, "sources": [{"openml": 8}], "homepage": "https://example.org"})
    assert why.startswith("data set 'toy' is not available: DATA_MIRROR is not set; OpenML 8: the server answered 404")
    assert "toy.csv.gz" in why
    assert "\n" not in why


def test_no_server_at_all(server):
    spec = {"sources": [{"uci": {"urls": ["http://127.0.0.1:9/x"]}}]}
    no_connection = "http://127.0.0.1:9/x: no connection ([Errno 111] Connection refused)"
    assert no_connection in unavailable("toy", spec)
    with pytest.raises(RotastackError, match=re.escape(no_connection)):
        fetch_table("toy", spec)


@pytest.mark.parametrize("place", ["file:///etc/hostname", "ftp://127.0.0.1/x"])
def test_a_server_that_redirects_elsewhere_than_to_the_web_is_refused(server, place):
    """Else it could have files of this machine read as tables."""
    server.redirects["/uci/toy.data"] = place
    with pytest.raises(RotastackError, match="is not available") as caught:
        fetch_table("toy", uci_spec(server))
    assert "not a web address" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_within_the_web_is_followed(server):
    server.redirects["/uci/old.data"] = f"{server.address}uci/toy.data"
    assert len(fetch_table("toy", uci_spec(server, "old.data"))) == 20


@pytest.mark.parametrize("place", ["file:///etc/hostname", "FILE:///etc/hostname", "ftp://a/b"])
def test_an_address_is_one_of_the_web(place):
    spec = {"sources": [{"uci": {"urls": [place]}}]}
    assert "not a web address" in unavailable("toy", spec)
    with pytest.raises(RotastackError, match="not a web address"):
        fetch_table("toy", spec)
