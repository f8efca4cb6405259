"""What ``make audit`` says: vulnerabilities, none, or that nobody can be asked."""

import importlib.util
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
KNOWN = {"name": "numpy", "version": "2.0", "vulns": []}
SKIPPED = {"name": "scipy", "skip_reason": "Dependency not found"}
HOLED = {"name": "torn", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}


@pytest.fixture
def audit():
    spec = importlib.util.spec_from_file_location("audit", ROOT / "tools/audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        ({"pypi": [KNOWN, SKIPPED]}, 0, "audit: no known vulnerability in 1 packages (pypi)"),
        ({"pypi": [SKIPPED], "osv": [KNOWN, HOLED]}, 1, "torn 1.0: PYSEC-1, mended in 1.1"),
        ({"pypi": [SKIPPED], "osv": None}, 0, "audit: not done, as no service of advisories can be asked from here (pypi: it knows none of the packages; osv: no connection)"),
    ],
)  # fmt: skip
def test_one_line_for_each_outcome(audit, answers, code, said, monkeypatch, capsys):
    def run(command, **options):
        packages = answers[command[command.index("--vulnerability-service") + 1]]
        if packages is None:
            return SimpleNamespace(stdout="", stderr="long\nrequests.exceptions.ConnectionError: Max retries\n")
        return SimpleNamespace(stdout=json.dumps({"dependencies": packages}), stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    assert audit.main() == code
    assert capsys.readouterr().out == said + "\n"


def test_without_uv(audit, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert audit.main() == 0
    assert "uv is not installed" in capsys.readouterr().out


def test_it_audits_what_is_pinned(audit):
    assert audit.LOCK == ROOT / "requirements.lock"
    assert audit.LOCK.is_file()
