# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.views.diffusion import DiffusionMap as DiffusionMap
from rotastack.views.discriminant import DiscriminantRotation as DiscriminantRotation
from rotastack.views.double import DoubleRotation as DoubleRotation
from rotastack.views.locality import LocalityDiscriminantAnalysis as LocalityDiscriminantAnalysis
from rotastack.views.multi_rotation import MultiRotation as MultiRotation
from rotastack.views.principal import PrincipalRotation as PrincipalRotation
from rotastack.views.projection import RandomProjection as RandomProjection
from rotastack.views.randomized import RandomizedView as RandomizedView
from rotastack.views.rotation import RandomRotation as RandomRotation
from rotastack.views.subspace import RandomSubspace as RandomSubspace
from rotastack.views.scaling import MinMaxScaler01 as MinMaxScaler01
from rotastack.views.scaling import QuantileScaler as QuantileScaler
from rotastack.views.scaling import RelativeRankScaler as RelativeRankScaler

__all__: list[str]
