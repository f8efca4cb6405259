# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.combine.pruning.pruner import OrderingPruner as OrderingPruner
from rotastack.combine.pruning.drep import DREPPruner as DREPPruner
from rotastack.combine.pruning.kappa import KappaPruner as KappaPruner
from rotastack.combine.pruning.lp import LPPruner as LPPruner
from rotastack.combine.pruning.lp import lp_problem as lp_problem
from rotastack.combine.pruning.margin import MarginPruner as MarginPruner
from rotastack.combine.pruning.mdm import MDMPruner as MDMPruner
from rotastack.combine.pruning.meandm import MeanDMPruner as MeanDMPruner
from rotastack.combine.pruning.orientation import OrientationPruner as OrientationPruner
from rotastack.combine.pruning.qmm import QMMPruner as QMMPruner
from rotastack.combine.pruning.qmm import qmm_problem as qmm_problem
from rotastack.combine.pruning.reduced_error import ReducedErrorPruner as ReducedErrorPruner
from rotastack.combine.pruning.vote_table import ordered_curve as ordered_curve

__all__: list[str]
