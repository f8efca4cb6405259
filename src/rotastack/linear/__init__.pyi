# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.linear.diversity import DiversityRegularizedClassifier as DiversityRegularizedClassifier
from rotastack.linear.diversity import drm_problem as drm_problem
from rotastack.linear.exclusivity import ExclusivityRegularizedClassifier as ExclusivityRegularizedClassifier
from rotastack.linear.exclusivity import exrm_problem as exrm_problem
from rotastack.linear.primal_svm import PrimalSVMClassifier as PrimalSVMClassifier
from rotastack.linear.squared_l1 import prox_squared_l1 as prox_squared_l1
from rotastack.linear.squared_l1 import reweighted_squared_l1 as reweighted_squared_l1

__all__: list[str]
