"""The catalogue: short names of estimators, views and pruners.

A study names a class by a short name of this file, by the name of a public Rotastack class, or by a dotted path
(``sklearn.svm.SVC``). A short name stands for a class and a few fixed parameters; every other parameter has the
default of the class, except `scaling` of a Rotastack class: the pool scales the columns, and the class does not. In a
regression the same short name stands for the regressor. Looking up a name imports no class. Slices of a study hold
paths and parameters, so a new short name reruns no step. The traits about classes of other packages are in this file;
Rotastack's classes state their own traits (:func:`traits_of`).
"""

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rotastack.base.traits import Traits
from rotastack.errors import RotastackError, nearest
from rotastack.workflow.study.building import own_class
from rotastack.workflow.study.components import Component
from rotastack.workflow.study.costs import Cost, cost_of


class Entry(NamedTuple):
    """The path of a class and its fixed parameters; for other packages also silencing parameters and traits.

    The parameters `quiet` stop the class from printing. They apply however a study names the class.
    """

    path: str
    parameters: dict[str, Any] = {}
    quiet: dict[str, Any] = {}
    traits: Traits = Traits()

    @property
    def last(self) -> str:
        """The class, or that of a pipeline's last step."""
        return self.parameters["steps"][-1][1]["class"] if "steps" in self.parameters else self.path

    @property
    def known_traits(self) -> Traits:
        """The traits of the class, or of a pipeline's last step."""
        return traits_of(self.last)

    @property
    def cost(self) -> Cost | None:
        """The cost of the class, or of a pipeline's last step."""
        return cost_of(self.last)


def _spec(name: str, **parameters: Any) -> dict[str, Any]:
    return {"class": name, "parameters": parameters}


def _pipeline(*steps: tuple[str, dict[str, Any]]) -> Entry:
    return Entry("sklearn.pipeline.Pipeline", {"steps": [list(step) for step in steps]})


# CatBoost lists only parameters that were set, and a study's seed needs a listed ``random_state``
_CATBOOST = {"allow_writing_files": False, "verbose": False, "random_state": 0}
_HISTOGRAMS = Traits(trees=("max_iter",))
_CATBOOST_TRAITS = Traits(trees=("iterations",), n_trees=1000)
_SCALER = ("standardscaler", _spec("sklearn.preprocessing.StandardScaler"))
_IMPUTER = _spec("sklearn.impute.SimpleImputer", strategy="median", keep_empty_features=True)
_DUMMIES = _spec("sklearn.preprocessing.OneHotEncoder", handle_unknown="ignore", sparse_output=False)
_NUMBERS = _spec("sklearn.pipeline.Pipeline", steps=[["simpleimputer", _IMPUTER], list(_SCALER)])
# A pool's scaling would end at the training range, and no linear model could follow a trend.
_COLUMNS = (
    "columntransformer",
    _spec(
        "sklearn.compose.ColumnTransformer",
        transformers=[["dummies", _DUMMIES, _spec("rotastack.ensembles.rows.CategoryColumns")]],
        remainder=_NUMBERS,
    ),
)

ESTIMATORS: dict[str, Entry] = {
    "adaboost_m1": Entry("rotastack.ensembles.adaboost.AdaBoostM1Classifier"),
    "aeon_rotation_forest": Entry("aeon.classification.sklearn.RotationForestClassifier", traits=Traits(rotates=True)),
    "bagging": Entry("sklearn.ensemble.BaggingClassifier"),
    "bagged_c45": Entry(
        "rotastack.trees.forest.ForestClassifier", {"criterion": "c45", "max_features": None, "min_samples_leaf": 2}
    ),
    "boosted": Entry("xgboost.XGBClassifier", {"n_jobs": 1}, {"verbosity": 0}),
    "boosted_trees": Entry("rotastack.trees.boosted.BoostedTreesClassifier"),
    "c45": Entry("rotastack.trees.c45.C45Classifier"),
    "catboost": Entry("catboost.CatBoostClassifier", {"thread_count": 1}, _CATBOOST, _CATBOOST_TRAITS),
    "diffusion_map": Entry("rotastack.ensembles.pooled.reduction.DiffusionMapEnsembleClassifier"),
    "double_rotation_forest": Entry("rotastack.ensembles.forests.double.DoubleRotationForestClassifier"),
    "drm": Entry("rotastack.linear.diversity.DiversityRegularizedClassifier"),
    "exrm": Entry("rotastack.linear.exclusivity.ExclusivityRegularizedClassifier"),
    "exrm_nystroem": _pipeline(("nystroem", _spec("sklearn.kernel_approximation.Nystroem")), ("exrm", _spec("exrm"))),
    "extra_forest": Entry("rotastack.trees.extra.ExtraForestClassifier"),
    "forest": Entry("rotastack.trees.forest.ForestClassifier"),
    "gaussian_process": Entry("rotastack.ensembles.inducers.gaussian_process.QuantileGaussianProcess"),
    # as R's gbm: stumps, half of the rows in each round, 10 rows in a leaf
    "gradient_boosting": Entry(
        "sklearn.ensemble.GradientBoostingClassifier", {"max_depth": 1, "subsample": 0.5, "min_samples_leaf": 10}
    ),
    "hist_gradient_boosting": Entry("sklearn.ensemble.HistGradientBoostingClassifier", traits=_HISTOGRAMS),
    "lda": Entry("sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
    "lightgbm": Entry("lightgbm.LGBMClassifier", {"n_jobs": 1}, {"verbosity": -1}),
    "logistic": _pipeline(
        _SCALER, ("logisticregression", _spec("sklearn.linear_model.LogisticRegression", max_iter=1000))
    ),
    "logistic_regression": _pipeline(
        _COLUMNS, ("logisticregression", _spec("sklearn.linear_model.LogisticRegression", max_iter=1000))
    ),
    "mean_weight": Entry("rotastack.linear.mean_weight.MeanWeightClassifier", {"estimator": _spec("primal_svm")}),
    "multi_rotation_forest": Entry("rotastack.ensembles.forests.multi.MultiRotationForestClassifier"),
    "naive_bayes": Entry("sklearn.naive_bayes.GaussianNB"),
    "naive_bayes_weka": Entry("rotastack.ensembles.inducers.bayes.PrecisionBayesClassifier"),
    "nearest_neighbor": Entry("sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 1}),
    "nearest_neighbors": Entry("sklearn.neighbors.KNeighborsClassifier"),
    "nu_svm": Entry("rotastack.linear.nu_svm.FeasibleNuSVC"),
    "primal_svm": Entry("rotastack.linear.primal_svm.PrimalSVMClassifier"),
    "random_projection": Entry("rotastack.ensembles.pooled.reduction.RandomProjectionEnsembleClassifier"),
    "random_rotation_boosting": Entry("rotastack.ensembles.pooled.boosting.RandomRotationBoostingClassifier"),
    "random_rotation_forest": Entry("rotastack.ensembles.forests.random.RandomRotationForestClassifier"),
    "random_subspace": Entry("rotastack.ensembles.pooled.reduction.RandomSubspaceEnsembleClassifier"),
    "regularized_rotation_forest": Entry("rotastack.ensembles.forests.weightings.RotationWeightingsClassifier"),
    "rotastack": Entry("rotastack.ensembles.flagship.classifier.RotastackClassifier"),
    "rotation_forest": Entry("rotastack.ensembles.forests.rotation.RotationForestClassifier"),
    "sklearn_forest": Entry("sklearn.ensemble.RandomForestClassifier"),
    "stacked_rotation": Entry("rotastack.ensembles.pooled.stacked.StackedRotationClassifier"),
    # as R's e1071: kernel exp(-|x - x'|^2 / p) on standardised columns
    "svm": _pipeline(_SCALER, ("svc", _spec("sklearn.svm.SVC", gamma="auto"))),
    "tree": Entry("rotastack.trees.tree.TreeClassifier"),
    # as R's rpart with its cp of 1 %, but of the Gini impurity of two equal classes, 0.5, instead of the root's errors
    "tree_cart": Entry(
        "rotastack.trees.tree.TreeClassifier", {"min_samples_split": 20, "min_samples_leaf": 7, "ccp_alpha": 0.005}
    ),
    "tree_full": Entry("rotastack.trees.tree.TreeClassifier", {"criterion": "entropy"}),
    "tree_stump": Entry("rotastack.trees.tree.TreeClassifier", {"max_depth": 1}),
}
"""Short name -> class of a classifier, and fixed parameters."""

REGRESSORS: dict[str, Entry] = {
    "bagging": Entry("sklearn.ensemble.BaggingRegressor"),
    "boosted": Entry("xgboost.XGBRegressor", {"n_jobs": 1}, {"verbosity": 0}),
    "boosted_trees": Entry("rotastack.trees.boosted.BoostedTreesRegressor"),
    "catboost": Entry("catboost.CatBoostRegressor", {"thread_count": 1}, _CATBOOST, _CATBOOST_TRAITS),
    "extra_forest": Entry("rotastack.trees.extra.ExtraForestRegressor"),
    "forest": Entry("rotastack.trees.forest.ForestRegressor"),
    "gradient_boosting": Entry(
        "sklearn.ensemble.GradientBoostingRegressor", {"max_depth": 1, "subsample": 0.5, "min_samples_leaf": 10}
    ),
    "hist_gradient_boosting": Entry("sklearn.ensemble.HistGradientBoostingRegressor", traits=_HISTOGRAMS),
    "lightgbm": Entry("lightgbm.LGBMRegressor", {"n_jobs": 1}, {"verbosity": -1}),
    "linear": Entry("sklearn.linear_model.LinearRegression"),
    "multi_rotation_forest": Entry("rotastack.ensembles.forests.multi.MultiRotationForestRegressor"),
    "nearest_neighbors": Entry("sklearn.neighbors.KNeighborsRegressor"),
    "random_rotation_boosting": Entry("rotastack.ensembles.pooled.boosting.RandomRotationBoostingRegressor"),
    "random_rotation_forest": Entry("rotastack.ensembles.forests.random.RandomRotationForestRegressor"),
    "ridge": _pipeline(_COLUMNS, ("ridge", _spec("sklearn.linear_model.Ridge"))),
    "rotastack": Entry("rotastack.ensembles.flagship.regressor.RotastackRegressor"),
    "sklearn_forest": Entry("sklearn.ensemble.RandomForestRegressor"),
    "svm": _pipeline(_SCALER, ("svr", _spec("sklearn.svm.SVR", gamma="auto"))),
    "tree": Entry("rotastack.trees.tree.TreeRegressor"),
    "tree_stump": Entry("rotastack.trees.tree.TreeRegressor", {"max_depth": 1}),
}
"""Short name -> class of a regressor, and fixed parameters; used where the study's task is regression."""

VIEWS: dict[str, Entry] = {
    "diffusion": Entry("rotastack.views.diffusion.DiffusionMap"),
    "discriminant": Entry("rotastack.views.discriminant.DiscriminantRotation"),
    "double": Entry("rotastack.views.double.DoubleRotation"),
    "locality": Entry("rotastack.views.locality.LocalityDiscriminantAnalysis"),
    "multi_rotation": Entry("rotastack.views.multi_rotation.MultiRotation"),
    "principal": Entry("rotastack.views.principal.PrincipalRotation"),
    "projection": Entry("rotastack.views.projection.RandomProjection"),
    "rotation": Entry("rotastack.views.rotation.RandomRotation"),
    "subspace": Entry("rotastack.views.subspace.RandomSubspace"),
}
"""Short name -> class of a view, and fixed parameters."""

PRUNERS: dict[str, Entry] = {
    "drep": Entry("rotastack.combine.pruning.drep.DREPPruner"),
    "kappa": Entry("rotastack.combine.pruning.kappa.KappaPruner"),
    "lasso": Entry("rotastack.combine.pruning.margin.MarginPruner", {"n_select": "nonzero"}),
    "lp": Entry("rotastack.combine.pruning.lp.LPPruner"),
    "margin": Entry("rotastack.combine.pruning.margin.MarginPruner"),
    "mdm": Entry("rotastack.combine.pruning.mdm.MDMPruner"),
    "meandm": Entry("rotastack.combine.pruning.meandm.MeanDMPruner"),
    "none": Entry("rotastack.combine.pruning.all_members.AllMembers"),
    "orientation": Entry("rotastack.combine.pruning.orientation.OrientationPruner"),
    "qmm": Entry("rotastack.combine.pruning.qmm.QMMPruner"),
    "reduced_error": Entry("rotastack.combine.pruning.reduced_error.ReducedErrorPruner"),
}
"""Short name -> class of a pruner, and fixed parameters."""

_SHORT = {**ESTIMATORS, **VIEWS, **PRUNERS}
_BY_PATH = {entry.path: entry for entry in (*ESTIMATORS.values(), *REGRESSORS.values())}
_SINGLE = dict.fromkeys(("sklearn.linear_model.LogisticRegression", "sklearn.linear_model.Ridge"), Traits(n_trees=1))
_PUBLIC = ("", "combine", "combine.pruning", "trees", "views")


@cache
def public_modules() -> dict[str, str]:
    """Return Rotastack's public classes, name -> module, read from the ``__init__.py`` files without an import."""
    root = Path(__file__).resolve().parents[2]
    found: dict[str, str] = {}
    for package in _PUBLIC:
        prefix = f"rotastack.{package}".rstrip(".")
        source = root.joinpath(*package.split("."), "__init__.py") if package else root / "__init__.py"
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "submod_attrs":
                for module, names in ast.literal_eval(node.value).items():
                    found.update(dict.fromkeys(names, f"{prefix}.{module}"))
    return found


def find(name: str, among: Mapping[str, Entry] = _SHORT, where: str = "class") -> Entry:
    """Return the catalogue entry of the class that a study names, without importing the class."""
    if name in among:
        return among[name]
    if name in public_modules():
        return Entry(f"{public_modules()[name]}.{name}")
    package, _, last = name.rpartition(".")
    if package and all(part.isidentifier() for part in name.split(".")):
        own = package == "rotastack" or package.startswith("rotastack.")
        return Entry(f"{public_modules()[last]}.{last}" if own and last in public_modules() else name)
    packages = {entry.path.split(".")[1] for entry in among.values() if entry.path.startswith("rotastack.")}
    ours = [n for n, module in public_modules().items() if not packages or module.split(".")[1] in packages]
    short = f"a short name ({', '.join(among)}), " if among else ""
    raise RotastackError(
        f"{where}: {name!r} is unknown{nearest(name, [*among, *ours])}; allowed: {short}a public Rotastack "
        "class, or a dotted path such as sklearn.svm.SVC"
    )


@cache
def traits_of(path: str) -> Traits:
    """Return the traits of a class that are known before training; a Rotastack class is imported to read them."""
    return getattr(own_class(path), "study_traits", _SINGLE.get(path, _BY_PATH.get(path, Entry(path)).traits))


@cache
def defaults_of(path: str) -> dict[str, Any]:
    """Return parameter -> default of a Rotastack class; an empty mapping for a class of another package."""
    return {name: found.default for name, found in inspect.signature(own_class(path)).parameters.items()}


def quiet_parameters(path: str) -> dict[str, Any]:
    """Return the parameters that stop a class from printing."""
    return _BY_PATH.get(path, Entry(path)).quiet


def resolved(
    name: str,
    parameters: Mapping[str, Any],
    among: Mapping[str, Entry] = _SHORT,
    estimators: Mapping[str, Entry] = ESTIMATORS,
    where: str = "class",
    key: str = "",
) -> dict[str, Any]:
    """Return the path and the parameters of a class, with fixed and silencing ones, and no short name at any depth.

    Short names among the parameters are those of views, of pruners, and of `estimators` (classifiers or regressors).
    Errors name the place `where`, which has the class as its `key`.
    """
    entry = find(name, among, where + key)
    short = {**estimators, **VIEWS, **PRUNERS}
    given = {**quiet_parameters(entry.path), **entry.parameters, **parameters}
    merged = {k: _resolved_value(v, short, estimators, f"{where}.parameters.{k}") for k, v in given.items()}
    return {"class": entry.path, "parameters": dict(sorted(merged.items()))}


def _resolved_value(value: Any, short: Mapping[str, Entry], estimators: Mapping[str, Entry], where: str) -> Any:
    if isinstance(value, Mapping) and "class" in value:
        inner = Component.read(value, where)
        return resolved(inner.class_, inner.parameters, short, estimators, where)
    return [_resolved_value(v, short, estimators, where) for v in value] if isinstance(value, list) else value
