"""What ``rotastack ui`` prints before MLflow starts."""

from pathlib import Path

import pytest

from rotastack.cli import ui


@pytest.mark.parametrize(
    ("studies", "host", "line"),
    [
        ({"mine": "7"}, "127.0.0.1", "mine: http://127.0.0.1:5000/#/experiments/7/runs?workflowType=machine_learning"),
        ({"mine": "7"}, "::1", "mine: http://[::1]:5000/#/experiments/7/runs?workflowType=machine_learning"),
        ({}, "127.0.0.1", "no runs in mlflow.db: start this in the folder in which a study was run"),
    ],
)  # fmt: skip
def test_studies_have_addresses_and_an_empty_database_is_named(studies, host, line):
    assert ui._pages(studies, Path("mlflow.db"), host, 5000) == [line]
