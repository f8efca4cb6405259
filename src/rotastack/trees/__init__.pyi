# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.trees.boosted import BoostedTreesClassifier as BoostedTreesClassifier
from rotastack.trees.boosted import BoostedTreesRegressor as BoostedTreesRegressor
from rotastack.trees.c45 import C45Classifier as C45Classifier
from rotastack.trees.extra import ExtraForestClassifier as ExtraForestClassifier
from rotastack.trees.extra import ExtraForestRegressor as ExtraForestRegressor
from rotastack.trees.forest import ForestClassifier as ForestClassifier
from rotastack.trees.forest import ForestRegressor as ForestRegressor
from rotastack.trees.grown import GrownTrees as GrownTrees
from rotastack.trees.growing import TrainingRows as TrainingRows
from rotastack.trees.growing import TreeGroup as TreeGroup
from rotastack.trees.growing import TreeOptions as TreeOptions
from rotastack.trees.growing import grow_forest as grow_forest
from rotastack.trees.linear_views import LinearViews as LinearViews
from rotastack.trees.tree import TreeClassifier as TreeClassifier
from rotastack.trees.tree import TreeRegressor as TreeRegressor

__all__: list[str]
