"""A folder in which studies were run, as far as commands see it that use saved models."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_regressor
from sklearn.pipeline import Pipeline

from rotastack import RotastackClassifier, RotastackRegressor
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.cli import main
from rotastack.data.raw import write_raw
from rotastack.workflow.tracking.model_files import dump_model


def done(capsys, *words):
    """Return what a command that succeeds prints."""
    capsys.readouterr()
    assert main([*map(str, words)]) == 0
    return capsys.readouterr()


def refused(capsys, *words):
    """Return the one line of the error with which a command ends."""
    capsys.readouterr()
    assert main([*map(str, words)]) == 2
    (line,) = [s for s in capsys.readouterr().err.splitlines() if s.startswith("rotastack: error: ")]
    return line.removeprefix("rotastack: error: ")


def customers(n=80):
    """A table of numbers, whole numbers, categories, missing values and an id; the target is its last column."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "name": [f"customer {i}" for i in range(n)],
            "age": rng.integers(18, 80, n),
            "income": rng.normal(30, 8, n).round(2),
            "city": rng.choice(["Aachen", "Bonn", "Cologne"], n),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    table.loc[::9, "income"] = np.nan
    table.loc[::11, "city"] = None
    table["since"] = table["since"].dt.strftime("%d.%m.%Y")
    return table.assign(target=np.where(table["age"] + 20 * (table["city"] == "Bonn") > 55, "risk", "safe"))


def saved(folder, table, estimator, study, dataset):
    """Save a pipeline as the step ``refit`` does."""
    features = table.drop(columns="target")
    preprocessor = TablePreprocessor(encoding="codes").fit(features)
    estimator.set_params(categorical_features=np.flatnonzero(preprocessor.categorical_).tolist() or None)
    model = Pipeline([("table", preprocessor), ("classifier", estimator)])
    model.fit(features, table["target"].to_numpy())
    home = folder / "results" / study / dataset / "model"
    dump_model(model, home / "model.skops")
    (home / "refit.run.json").write_text(
        json.dumps(
            {
                "metrics": {"method": "Rotastack"},
                "status": "ok",
                "message": "",
                "parameters": {"score": "rmse" if is_regressor(estimator) else "error"},
            }
        )
    )
    write_raw(table, folder / f"data/raw/{dataset}.parquet")
    return model


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """The folder, and the model of its study ``shop``; study ``prices`` has two data sets of numbers."""
    folder = tmp_path_factory.mktemp("shop")
    table = customers()
    model = saved(folder, table, RotastackClassifier(10, random_state=0), "shop", "customers")
    numbers = table.assign(target=table["age"] * 2.0 + table["income"].fillna(30))
    for name in ("flats", "houses"):
        saved(folder, numbers, RotastackRegressor(5, random_state=0), "prices", name)
    return folder, model
