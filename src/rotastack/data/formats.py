"""The file formats that tables are read from."""

__all__ = ["FORMATS"]

FORMATS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".arff")
