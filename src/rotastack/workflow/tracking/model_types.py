"""The types that a model file may hold; importing this list imports no skops, which takes a second."""

__all__ = ["OURS", "REVIEWED_TYPES"]

REVIEWED_TYPES = frozenset(
    {
        "builtins.range",
        "catboost.core.CatBoostClassifier",
        "catboost.core.CatBoostRegressor",
        "collections.OrderedDict",
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "lightgbm.sklearn.LGBMRegressor",
        "numpy.dtype",
        "scipy.sparse._csr.csr_array",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.calibration._TemperatureScaling",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.tree._tree.Tree",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
        "xgboost.sklearn.XGBRegressor",
    }
)
"""Types of other packages in models, reviewed by hand: loading them runs no code from the file.

Review and add a type here when ``dump_model`` refuses it.
"""

OURS = frozenset(
    {"base", "combine", "data", "diagnostics", "ensembles", "linear", "resampling", "trees", "views",
     "rotastack.ensembles.rows"}
)  # fmt: skip
"""Rotastack's packages and modules whose classes models may hold. The others run, write or log things."""
