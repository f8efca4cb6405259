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
    "rotastack.combine.least_squares.LeastSquaresWeights",
    "rotastack.combine.log_linear.LogLinearWeights",
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
    "rotastack.ensembles.adaboost.AdaBoostM1Classifier",
    "rotastack.ensembles.forests.double.DoubleRotationForestClassifier",
    "rotastack.ensembles.forests.double.DoubleRotationMarginForestClassifier",
    "rotastack.ensembles.inducers.bayes.GaussianBayesClassifier",
    "rotastack.ensembles.inducers.bayes._Member",
    "rotastack.ensembles.flagship.mixed_table.MixedTable",
    "rotastack.ensembles.forests.multi.MultiRotationForestClassifier",
    "rotastack.ensembles.forests.multi.MultiRotationForestRegressor",
    "rotastack.ensembles.inducers.nearest.NearestNeighborClassifier",
    "rotastack.ensembles.inducers.nearest._Member",
    "rotastack.ensembles.pooled.pool.Member",
    "rotastack.ensembles.pooled.pool.Pool",
    "rotastack.ensembles.pooled.classifier.PooledEnsembleClassifier",
    "rotastack.ensembles.pooled.regressor.PooledEnsembleRegressor",
    "rotastack.ensembles.pruned.PrunedEnsembleClassifier",
    "rotastack.ensembles.pooled.boosting.RandomRotationBoostingClassifier",
    "rotastack.ensembles.pooled.boosting.RandomRotationBoostingRegressor",
    "rotastack.ensembles.forests.random.RandomRotationForestClassifier",
    "rotastack.ensembles.forests.random.RandomRotationForestRegressor",
    "rotastack.ensembles.pooled.reduction.DiffusionMapEnsembleClassifier",
    "rotastack.ensembles.pooled.reduction.RandomProjectionEnsembleClassifier",
    "rotastack.ensembles.pooled.reduction.RandomSubspaceEnsembleClassifier",
    "rotastack.ensembles.forests.regularized.RegularizedRotationForestClassifier",
    "rotastack.ensembles.flagship.classifier.RotastackClassifier",
    "rotastack.ensembles.flagship.regressor.RotastackRegressor",
    "rotastack.ensembles.forests.rotation.RotationForestClassifier",
    "rotastack.ensembles.inducers.base.Members",
    "rotastack.ensembles.pooled.stacked.StackedRotationClassifier",
    "rotastack.ensembles.flagship.families.TreeFamily",
    "rotastack.ensembles.voters.ListVoters",
    "rotastack.ensembles.voters.OwnVoters",
    "rotastack.linear.mean_weight.MeanWeightClassifier",
    "rotastack.base.fitting.AlignedClassifier",
    "rotastack.base.fitting.FittedRegressor",
    "rotastack.ensembles.inducers.gaussian_process.MedianGaussianProcess",
    "rotastack.linear.nu_svm.FeasibleNuSVC",
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
