"""Model files: written and read by skops, with a reviewed list of types."""

from pathlib import Path
from typing import Any

import skops.io

from rotastack.errors import RotastackError
from rotastack.files import replacing

__all__ = ["TRUSTED_TYPES", "dump_model", "load_model"]

# Plain containers of numbers and of types that skops trusts by itself; reviewed by hand.
TRUSTED_TYPES = [
    "builtins.range",
    "numpy.dtype",
    "rotastack.combine.least_squares.LeastSquaresPool",
    "rotastack.combine.log_linear.LogLinearPool",
    "rotastack.combine.pruning.drep.DREPPruner",
    "rotastack.combine.pruning.kappa.KappaPruner",
    "rotastack.combine.pruning.lp.LPPruner",
    "rotastack.combine.pruning.margin.MarginPruner",
    "rotastack.combine.pruning.mdm.MDMPruner",
    "rotastack.combine.pruning.meandm.MeanDMPruner",
    "rotastack.combine.pruning.orientation.OrientationPruner",
    "rotastack.combine.pruning.qmm.QMMPruner",
    "rotastack.combine.pruning.reduced_error.ReducedErrorPruner",
    "rotastack.combine.rotation_weights.RotationWeights",
    "rotastack.combine.stacking.Stacking",
    "rotastack.combine.voting.Voting",
    "rotastack.data.preprocessing.TablePreprocessor",
    "rotastack.ensembles.adaboost_m1.AdaBoostM1Classifier",
    "rotastack.ensembles.double_rotation_forest.DoubleRotationForestClassifier",
    "rotastack.ensembles.double_rotation_forest.DoubleRotationMarginForestClassifier",
    "rotastack.ensembles.gaussian_bayes.GaussianBayesClassifier",
    "rotastack.ensembles.gaussian_bayes._Member",
    "rotastack.ensembles.mixed_table.MixedTable",
    "rotastack.ensembles.multi_rotation_forest.MultiRotationForestClassifier",
    "rotastack.ensembles.multi_rotation_forest.MultiRotationForestRegressor",
    "rotastack.ensembles.nearest_neighbor.NearestNeighborClassifier",
    "rotastack.ensembles.nearest_neighbor._Member",
    "rotastack.ensembles.pool.Member",
    "rotastack.ensembles.pool.Pool",
    "rotastack.ensembles.pooled.PooledEnsembleClassifier",
    "rotastack.ensembles.pooled_regressor.PooledEnsembleRegressor",
    "rotastack.ensembles.pruned.PrunedEnsembleClassifier",
    "rotastack.ensembles.random_rotation_boosting.RandomRotationBoostingClassifier",
    "rotastack.ensembles.random_rotation_boosting.RandomRotationBoostingRegressor",
    "rotastack.ensembles.random_rotation_forest.RandomRotationForestClassifier",
    "rotastack.ensembles.random_rotation_forest.RandomRotationForestRegressor",
    "rotastack.ensembles.reduction_ensembles.DiffusionMapEnsembleClassifier",
    "rotastack.ensembles.reduction_ensembles.RandomProjectionEnsembleClassifier",
    "rotastack.ensembles.reduction_ensembles.RandomSubspaceEnsembleClassifier",
    "rotastack.ensembles.regularized_rotation_forest.RegularizedRotationForestClassifier",
    "rotastack.ensembles.rotastack.RotastackClassifier",
    "rotastack.ensembles.rotastack_regressor.RotastackRegressor",
    "rotastack.ensembles.rotation_forest.RotationForestClassifier",
    "rotastack.ensembles.shared_members.Members",
    "rotastack.ensembles.stacked_rotation.StackedRotationClassifier",
    "rotastack.ensembles.tree_families.TreeFamily",
    "rotastack.ensembles.voters.ListVoters",
    "rotastack.ensembles.voters.OwnVoters",
    "rotastack.learners.boosted_linear.MeanWeightClassifier",
    "rotastack.learners.fitting.AlignedClassifier",
    "rotastack.learners.fitting.FittedRegressor",
    "rotastack.learners.gaussian_process.MedianGaussianProcess",
    "rotastack.learners.nu_svm.FeasibleNuSVC",
    "rotastack.linear.diversity.DiversityRegularizedClassifier",
    "rotastack.linear.exclusivity.ExclusivityRegularizedClassifier",
    "rotastack.linear.primal_svm.PrimalSVMClassifier",
    "rotastack.trees.c45.C45Classifier",
    "rotastack.trees.extra.ExtraForestClassifier",
    "rotastack.trees.extra.ExtraForestRegressor",
    "rotastack.trees.forest.ForestClassifier",
    "rotastack.trees.forest.ForestRegressor",
    "rotastack.trees.grown.GrownTrees",
    "rotastack.trees.linear_views.LinearViews",
    "rotastack.trees.members.MemberForests",
    "rotastack.trees.tree.TreeClassifier",
    "rotastack.views.diffusion.DiffusionMap",
    "rotastack.views.discriminant.DiscriminantRotation",
    "rotastack.views.double.DoubleRotation",
    "rotastack.views.locality.LocalityDiscriminantAnalysis",
    "rotastack.views.multi_rotation.MultiRotation",
    "rotastack.views.principal.PrincipalRotation",
    "rotastack.views.projection.RandomProjection",
    "rotastack.views.randomized.RandomizedView",
    "rotastack.views.rotation.RandomRotation",
    "rotastack.views.scaling.MinMaxScaler01",
    "rotastack.views.scaling.QuantileScaler",
    "rotastack.views.scaling.RelativeRankScaler",
    "rotastack.views.subspace.RandomSubspace",
    "scipy.sparse._csr.csr_array",
    "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
    "xgboost.sklearn.XGBRegressor",
]


def dump_model(model: Any, path: str | Path) -> None:
    """Write a fitted model.

    Raises
    ------
    RotastackError
        It holds a type that nobody has reviewed.
    """
    with replacing(path) as temporary:
        skops.io.dump(model, temporary)
        unknown = set(skops.io.get_untrusted_types(file=temporary)) - set(TRUSTED_TYPES)
        if unknown:
            raise RotastackError(f"{path}: types not on the reviewed list: {', '.join(sorted(unknown))}")


def load_model(path: str | Path) -> Any:
    """Read a model written by :func:`dump_model`."""
    return skops.io.load(path, trusted=TRUSTED_TYPES)
