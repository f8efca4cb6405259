"""The file formats that tables are read from."""

__all__ = ["FORMATS", "format_of", "is_address"]

_TEXTS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".arff")

FORMATS = (*(text + packed for text in _TEXTS for packed in ("", ".gz")), ".parquet", ".feather", ".xlsx")
"""Endings of file names."""


def format_of(name: str) -> str | None:
    """Return the ending of `FORMATS` that a file's name has, without ``.gz``; None if it has none.

    Examples
    --------
    >>> format_of("Customers.CSV.gz"), format_of("notes.txt")
    ('.csv', None)
    """
    for ending in FORMATS:
        if name.lower().endswith(ending):
            return ending.removesuffix(".gz")
    return None


def is_address(path: object) -> bool:
    """Tell whether a path is an address of the web."""
    return str(path).startswith(("https://", "http://"))
