# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.linear.diversity import drm_problem as drm_problem
from rotastack.linear.exclusivity import exrm_problem as exrm_problem

__all__: list[str]
