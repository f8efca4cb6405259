"""The types that a model file may hold; importing this module imports no skops, which takes a second."""

import sys
from collections.abc import Iterable, Sequence

from rotastack.errors import RotastackError

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
    {
        "base",
        "combine",
        "data",
        "diagnostics",
        "ensembles",
        "linear",
        "resampling",
        "trees",
        "views",
        "rotastack.ensembles.rows",
    }
)
"""Rotastack's packages and modules whose classes models may hold. The others run, write or log things."""

_NEVER = {*sys.stdlib_module_names, "__main__", "rotastack"}
"""Modules whose types no user can trust: Python's own run commands, and those of Rotastack are in the lists above."""


def check_trusted(modules: Sequence[str]) -> Sequence[str]:
    """Return the names of modules, after checking that a user can trust these."""
    for name in modules:
        if not all(map(str.isidentifier, name.split("."))) or name.partition(".")[0] in _NEVER:
            raise RotastackError(f"{name!r} cannot be trusted; name a module of your own, or of another package")
    return modules


def is_trusted(kind: str, modules: Iterable[str]) -> bool:
    """Return whether the module in a type's dotted name is a trusted one, or in a trusted package."""
    return any(f"{kind.rpartition('.')[0]}.".startswith(f"{name}.") for name in modules)


def how_to_trust(kinds: Iterable[str]) -> str:
    """Return a hint at the modules to trust for types, or an empty text if no user can trust these."""
    names = sorted({kind.partition(".")[0] for kind in kinds})
    if not _NEVER.isdisjoint(names):
        return ""
    key, options = ", ".join(names), " ".join(f"--trust {name}" for name in names)
    return f"; if you trust the code of {key}: add `trusted: [{key}]` to the study, or {options} to other commands"
