"""Tables in Parquet files, with facts in the metadata."""

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from rotastack.files import unsealed, write_sealed


def write_frame(path: str | Path, frame: pd.DataFrame, about: dict[str, Any] | None = None) -> None:
    """Write a table as Parquet, with `about` as JSON in the metadata of the file."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if about is not None:
        table = table.replace_schema_metadata(
            {**(table.schema.metadata or {}), b"rotastack": json.dumps(about, sort_keys=True).encode()}
        )
    buffer = io.BytesIO()
    pq.write_table(table, buffer, write_page_checksum=True)  # for damage that hits the checksum of the file, too
    write_sealed(path, buffer.getvalue())


def read_frame(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a table and the JSON of its metadata; a RotastackError if the file is damaged."""
    with unsealed(path, may_lack=True):  # a mirror folder may have files of other programs
        table = pq.read_table(path, page_checksum_verification=True)
        return table.to_pandas(), json.loads((table.schema.metadata or {}).get(b"rotastack", b"{}"))
