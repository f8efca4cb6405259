"""Who the champion of a registered model is, and what else is known of a version."""

from contextlib import chdir

import pandas as pd
import pytest
from mlflow.tracking import MlflowClient
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline

from rotastack.base.preprocessing import TablePreprocessor
from rotastack.workflow.tracking.address import tracking_uri
from rotastack.workflow.tracking.model_files import dump_model
from rotastack.workflow.tracking.writer import Writer

X = pd.DataFrame({"a": range(20), "b": ["u", "v"] * 10})
Y = ["x", "z"] * 10
RECORD = {"code": "c", "version": "0", "status": "ok", "message": ""}

STORY = [
    # study, its choice, data -> who is champion then: the study and its choice
    ("shop", "forest", "monday", "shop forest"),  # the first
    ("shop", "boosted", "monday", "shop boosted"),  # the same study chooses anew for the same data
    ("rival", "linear", "monday", "shop boosted"),  # another study does not take it away
    ("shop", "boosted", "tuesday", "shop boosted"),  # other data are no reason, even for the same study
    ("shop", "forest", "monday", "shop forest"),  # the first choice once more, which is a version already
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The client after the story, and who was champion and who was logged last after each part of it."""
    folder = tmp_path_factory.mktemp("told")
    dump_model(Pipeline([("table", TablePreprocessor()), ("model", GaussianNB())]).fit(X, Y), folder / "m.skops")
    found = []
    with chdir(folder):
        for study, method, data, _ in STORY:
            with Writer(study, "customers") as writer:
                home = writer.container("dataset", {"study": study, "dataset": "customers"})
                key = {"study": study, "method": method, "data": data}
                run = writer.leaf("model", key, home, f"customers / {method} {data}", RECORD, {}, {})
                if run.is_new:
                    writer.log_model(run.run_id, folder / "m.skops", X)
                writer.finish(run.run_id)
                tags = {"study": study, "method": method, "data": data}
                writer.register_model(run.run_id, "customers", f"# {study} {method}", tags, "Who buys.")
                versions = [
                    writer.client.get_model_version_by_alias("customers", alias) for alias in ("champion", "current")
                ]
                found.append([" ".join(v.tags[k] for k in ("study", "method", "data")) for v in versions])
        return MlflowClient(tracking_uri(folder)), found


def test_the_champion_follows_its_study_on_the_same_data(told):
    _, found = told
    assert [champion for champion, _ in found] == [f"{champion} monday" for *_, champion in STORY]


def test_current_is_what_was_logged_last(told):
    _, found = told
    assert [current for _, current in found] == [" ".join(part[:3]) for part in STORY]


def test_a_model_that_comes_back_is_no_new_version(told):
    client, _ = told
    versions = client.search_model_versions("name = 'customers'")
    assert sorted(int(v.version) for v in versions) == [1, 2, 3, 4]
    assert {v.description for v in versions} == {"# shop forest", "# shop boosted", "# rival linear"}
    assert client.get_registered_model("customers").description == "Who buys."
