"""Tables of the evidence pages, from results that are kept in the repository: ``python benchmarks/make_tables.py``."""
