"""Data sets as inputs of runs: what MLflow shows of a table, without a copy of it."""

import json

import pandas as pd
from mlflow.entities import Dataset, DatasetInput, InputTag
from pandas.api import types

__all__ = ["DIGITS", "dataset_input"]

DIGITS = 12
"""Of a digest: MLflow shows it beside the name, and holds 36 at most."""

MOST_COLUMNS = 2000
"""Of a wider table MLflow gets the extent alone."""

KINDS = (
    (types.is_bool_dtype, "boolean"),
    (types.is_integer_dtype, "long"),
    (types.is_float_dtype, "double"),
    (types.is_datetime64_any_dtype, "datetime"),
)
"""Checks of columns, and what MLflow calls such a column; others are texts."""


def dataset_input(table: pd.DataFrame, name: str, source: str, context: str, digest: str) -> DatasetInput:
    """Return a table as an input of a run.

    MLflow's own way digests and looks through the table's values once for each run; the files have a digest already.

    Parameters
    ----------
    table : DataFrame
    name, source : str
        Of the data set; its file, below the project's folder.
    context : {"training", "evaluation"}
    digest : str
        Of the file.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [41, 50], "target": ["yes", "no"]})
    >>> found = dataset_input(table, "customers", "data/raw/customers.csv.gz", "training", "67a2d851e745f20d")
    >>> found.dataset.digest, found.dataset.profile
    ('67a2d851e745', '{"num_rows": 2, "num_columns": 2, "num_elements": 4}')
    """
    rows, columns = table.shape
    schema = None
    if columns <= MOST_COLUMNS:
        missing = table.isna().any()
        described = [
            {"type": _kind(kind), "name": str(column), "required": not missing[column]}
            for column, kind in table.dtypes.items()
        ]
        schema = json.dumps({"mlflow_colspec": described})
    profile = {"num_rows": rows, "num_columns": columns, "num_elements": rows * columns}
    entity = Dataset(
        name=name,
        digest=digest[:DIGITS],
        source_type="local",
        source=json.dumps({"uri": source}),
        schema=schema,
        profile=json.dumps(profile),
    )
    tags = [InputTag("mlflow.data.context", context)]
    return DatasetInput(entity, tags)


def _kind(dtype) -> str:
    return next((name for is_such, name in KINDS if is_such(dtype)), "string")
