"""Text files of the UCI repository, or of any other web address."""

import io
import tempfile
from pathlib import Path

from rotastack.data.net import check, download, errors_named
from rotastack.data.packed import unpacked
from rotastack.data.sources.source import Source
from rotastack.errors import RotastackError


class UciSource(Source):
    """Files of delimited text without a header.

    The value is a mapping: ``urls`` (list), ``target`` (number of the class column; negative numbers count from the
    end), ``drop`` (column numbers), ``separator`` ("," or "whitespace"), ``skip_rows``, ``target_by_rows`` (labels of
    equal blocks of rows) and ``join`` ("rows", or "columns" to put files side by side).
    """

    key = "urls"

    network = True

    def load(self):
        import numpy as np
        import pandas as pd

        parts = []
        with tempfile.TemporaryDirectory() as folder:
            for number, url in enumerate(self.value["urls"]):
                with errors_named(f"{self.where}: {url}"):
                    parts.append(self._parse(unpacked(download(url, Path(folder, str(number))))))
        table = pd.concat(parts, axis=1 if self.value.get("join") == "columns" else 0, ignore_index=True)
        if "target_by_rows" in self.value:
            rule = self.value["target_by_rows"]
            table[table.shape[1]] = np.repeat(rule["labels"], rule["rows_per_class"])[: len(table)]
        target = self.value.get("target", -1) % table.shape[1]
        features = table.drop(columns=[target, *self.value.get("drop", [])])
        names = self.columns or [f"x{j + 1}" for j in range(features.shape[1])]
        if len(names) != features.shape[1]:
            raise RotastackError(
                f"{self.where}: the file has {features.shape[1]} feature columns, expected {len(names)}"
            )
        return features.set_axis(names, axis=1).assign(target=table[target].astype(str).str.strip())

    def probe(self) -> None:
        for url in self.value["urls"]:
            check(url, f"{self.where}: {url}")

    def _parse(self, body: bytes):
        import pandas as pd

        separator = self.value.get("separator", ",")
        return pd.read_csv(
            io.BytesIO(body),
            header=None,
            sep=r"\s+" if separator == "whitespace" else separator,
            na_values=["?"],
            skiprows=self.value.get("skip_rows", 0),
            skipinitialspace=True,
        )
