# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.data.loading import load_dataset as load_dataset
from rotastack.base.preprocessing import TablePreprocessor as TablePreprocessor
from rotastack.data.tables import read_table as read_table

__all__: list[str]
