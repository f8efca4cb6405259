"""Data sets as inputs of MLflow's runs: a description of the table, without a copy of it."""

import json

import pandas as pd
from mlflow.entities import Dataset, DatasetInput, InputTag
from pandas.api import types

__all__ = ["DIGITS", "dataset_input"]

DIGITS = 12
"""Logged digits of a digest; MLflow shows them beside the name, and accepts at most 36."""

MOST_COLUMNS = 2000
"""Most columns of a table whose schema is logged; for a wider table only its size is."""

KINDS = (
    (types.is_bool_dtype, "boolean"),
    (types.is_integer_dtype, "long"),
    (types.is_float_dtype, "double"),
    (types.is_datetime64_any_dtype, "datetime"),
)
"""Check of a column's type, and MLflow's name of the type; other columns are strings."""


def dataset_input(table: pd.DataFrame, name: str, source: str, context: str, digest: str) -> DatasetInput:
    """Return a table as an input of a run.

    MLflow's own function would compute a digest and a profile for each run; here the file's known digest is used.

    Parameters
    ----------
    table : DataFrame
    name, source : str
        Name of the data set; its file, below the project's folder.
    context : {"training", "evaluation"}
    digest : str
        Digest of the file.

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
