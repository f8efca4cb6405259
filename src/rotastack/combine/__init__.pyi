# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.combine.best_groups import BestGroups as BestGroups
from rotastack.combine.least_squares import LeastSquaresWeights as LeastSquaresWeights
from rotastack.combine.log_linear import LogLinearWeights as LogLinearWeights
from rotastack.combine.rotation_weights import RotationWeights as RotationWeights
from rotastack.combine.stacking import Stacking as Stacking
from rotastack.combine.voting import Voting as Voting

__all__: list[str]
