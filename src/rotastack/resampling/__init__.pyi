# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.resampling.folds import fold_groups as fold_groups
from rotastack.resampling.folds import nested_pairs as nested_pairs
from rotastack.resampling.rotations import rotation_groups as rotation_groups

__all__: list[str]
