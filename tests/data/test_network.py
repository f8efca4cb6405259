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
from tests.refusals import refusal

from rotastack.data.loading import fetch_table, unavailable

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
NONE = (None, "", 0)
SPEC = {"rows": 20, "columns": 2, "classes": {"a": 10, "b": 10}}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the server's pages, and with its faults: (kind, part of an address, times)."""

    def log_message(self, *args):
        pass

    def do_GET(self):
        server = self.server
        server.requests.append(self.path)
        body = server.pages.get(self.path.split("?")[0])
        if body is None:
            return self._send(404, b'{"error": {"code": "111", "message": "Unknown dataset"}}')
        if body.startswith((b"http:", b"file:", b"ftp:")):
            return self._send(302, b"", body.decode())
        kind, part, times = server.fault
        if part not in self.path or times == 0:
            return self._send(200, body)
        server.fault = kind, part, times - 1
        if kind == "slow":
            return time.sleep(1.5)
        return self._send(200, body, lost=len(body) // 2) if kind == "truncated" else self._send(kind, b"{}")

    do_HEAD = do_GET  # noqa: N815  # the names are those of the base class

    def _send(self, code, body, location="", lost=0):
        self.send_response(code)
        for name, value in (
            ("Content-Length", len(body)),
            ("Content-Type", "application/json"),
            ("Location", location),
        ):
            self.send_header(name, str(value))
        self.end_headers()
        self.close_connection = lost > 0
        if self.command == "GET":
            self.wfile.write(body[lost:])


@pytest.fixture
def server(monkeypatch):
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    httpd.requests, httpd.fault = [], NONE
    address = f"http://127.0.0.1:{httpd.server_port}/"

    def openml(arff=ARFF, md5=None):
        md5 = md5 or hashlib.md5(arff).hexdigest()
        description = {
            "data_set_description": {
                "id": "7",
                "name": "toy",
                "version": "1",
                "description": "a toy",
                "format": "ARFF",
                "status": "active",
                "file_id": "70",
                "default_target_attribute": "class",
                "md5_checksum": md5,
                "url": f"{address}data/v1/download/70/toy.arff",
            }
        }
        features = {
            "data_features": {
                "feature": [
                    {
                        "index": str(i),
                        "name": n,
                        "data_type": t,
                        "is_target": str(n == "class").lower(),
                        "is_ignore": "false",
                        "number_of_missing_values": "0",
                        "is_row_identifier": "false",
                    }
                    for i, (n, t) in enumerate([("width", "numeric"), ("colour", "nominal"), ("class", "nominal")])
                ]
            }
        }
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
    monkeypatch.setattr("rotastack.data.net.TIMEOUT", 0.5)
    monkeypatch.setenv("ROTASTACK_RETRY_SECONDS", "0.01")
    yield httpd
    httpd.shutdown()


def openml_spec(**extra):
    return {**SPEC, "sources": [{"openml": 7}], **extra}


def uci_spec(server, name="toy.data", **extra):
    return {**SPEC, "sources": [{"uci": {"urls": [f"{server.address}uci/{name}"], "target": 3, "drop": [0], **extra}}]}


def wrong_checksum(server):
    server.pages |= server.openml(md5="0" * 32)
    return openml_spec()


def test_openml_table(server):
    table = fetch_table("toy", openml_spec())
    assert table.head(2).to_dict("list") == {"width": [0.5, 1.5], "colour": ["red", "green"], "target": ["a", "b"]}
    assert table["colour"].isna().sum() == 6


@pytest.mark.parametrize("name", ["toy.data", "toy.data.gz"])
def test_uci_table(server, name):
    table = fetch_table("toy", uci_spec(server, name))
    assert list(table.columns) == ["x1", "x2", "target"]
    assert table["x2"].isna().all()


def test_uci_files_side_by_side_with_labels_by_blocks(server):
    server.pages["/uci/left"] = b"1 2\n3 4\n5 6\n7 8\n"
    server.pages["/uci/right"] = b"9\n10\n11\n12\n"
    source = {
        "urls": [f"{server.address}uci/left", f"{server.address}uci/right"],
        "separator": "whitespace",
        "join": "columns",
        "target_by_rows": {"rows_per_class": 2, "labels": ["0", "1"]},
    }
    table = fetch_table("toy", {"rows": 4, "columns": 3, "classes": {"0": 2, "1": 2}, "sources": [{"uci": source}]})
    assert table.to_numpy().tolist() == [[1, 2, 9, "0"], [3, 4, 10, "0"], [5, 6, 11, "1"], [7, 8, 12, "1"]]


def test_the_next_source_is_asked(server):
    assert len(fetch_table("toy", {**SPEC, "sources": [{"openml": 8}, *uci_spec(server)["sources"]]})) == 20


NOWHERE = {**SPEC, "sources": [{"uci": {"urls": ["http://127.0.0.1:9/x"]}}]}
NOBODY = "http://127.0.0.1:9/x: no connection ([Errno 111] Connection refused)"


@pytest.mark.parametrize(
    ("fault", "spec", "message"),
    first(
        7,
        [
            (("truncated", "toy.data", 99), uci_spec, "the download broke off"),
            (("truncated", "download/70", 99), lambda _: openml_spec(), "OpenML 7"),
            (NONE, lambda server: uci_spec(server, "none.data"), "the server answered 404"),
            (NONE, lambda _: {**SPEC, "sources": [{"openml": 8}]}, "OpenML 8: .*(404|not found)"),
            (NONE, lambda _: openml_spec(rows=21), "differs from the registry: 20 rows, expected 21"),
            (NONE, lambda _: NOWHERE, re.escape(NOBODY)),
            (NONE, wrong_checksum, "toy.*is not available.*OpenML 7: .*md5 checksum"),
            (("slow", "toy.data", 99), uci_spec, "did not answer in time|timed out"),
        ],
    ),
)
def test_a_table_that_does_not_come_is_one_line(server, fault, spec, message):
    server.fault = fault
    assert re.search(message, refusal(fetch_table, "toy", spec(server)))


@pytest.mark.parametrize("fault", first(2, [503, "truncated", "slow"]))
def test_retry_succeeds(server, fault):
    server.fault = fault, "toy.data", 2
    assert len(fetch_table("toy", uci_spec(server))) == 20


def test_probe_says_what_cannot_be_had_without_downloading(server):
    assert unavailable("toy", openml_spec()) is None
    assert unavailable("toy", uci_spec(server)) is None
    assert not any("download" in r for r in server.requests)
    assert NOBODY in unavailable("toy", NOWHERE)
    why = unavailable("toy", {**SPEC, "sources": [{"openml": 8}], "homepage": "https://example.org"})
    assert re.search("^[^\n]*DATA_MIRROR is not set; OpenML 8: the server answered 404[^\n]*toy.csv.gz[^\n]*$", why)


@pytest.mark.parametrize("place", ["file:///etc/hostname", "FILE:///etc/hostname", "ftp://127.0.0.1/x"])
def test_an_address_is_one_of_the_web_also_after_a_redirection(server, place):
    """Else a server could have files of this machine read as tables."""
    server.pages |= {"/uci/elsewhere": place.lower().encode(), "/uci/old": f"{server.address}uci/toy.data".encode()}
    for spec in ({"sources": [{"uci": {"urls": [place]}}]}, uci_spec(server, "elsewhere")):
        assert "not a web address" in unavailable("toy", spec)
        assert "not a web address" in refusal(fetch_table, "toy", spec)
    assert len(fetch_table("toy", uci_spec(server, "old"))) == 20
