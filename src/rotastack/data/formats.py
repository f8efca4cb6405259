"""File formats of tables."""

_TEXTS = (".csv", ".tsv", ".jsonl", ".ndjson", ".arff")

FORMATS = (*(text + packed for text in _TEXTS for packed in ("", ".gz")), ".parquet", ".xlsx")
"""Endings of the names of files that can be read."""


def format_of(name: str) -> str | None:
    """Return the ending of a file name, without ``.gz``; None if the ending is not in `FORMATS`.

    Examples
    --------
    >>> format_of("Customers.CSV.gz"), format_of("notes.txt")
    ('.csv', None)
    """
    for ending in FORMATS:
        if name.lower().endswith(ending):
            return ending.removesuffix(".gz")
    return None
