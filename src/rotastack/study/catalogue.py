"""The catalogue: short names of estimators, views and pruners, and how a study's names become objects.

A study names a class: by a short name of this file, by the name of one of our public classes, or by a dotted
path (``sklearn.svm.SVC``). A short name is a class and the parameters that make it what the name says;
every other parameter has the default of its class. Nothing is imported before a class is asked for.
"""

import ast
import importlib
import importlib.util
import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rotastack.errors import RotastackError, nearest

__all__ = [
    "DRAWN_VIEWS",
    "ESTIMATORS",
    "PRUNERS",
    "VIEWS",
    "Entry",
    "build",
    "find",
    "load_class",
    "modules_of",
    "nested_specs",
]


class Entry(NamedTuple):
    """A class by its path, and parameters that are fixed."""

    path: str
    parameters: dict[str, Any] = {}

    @property
    def module(self) -> str:
        """The module that holds the class."""
        return self.path.rpartition(".")[0]


def _spec(name: str, **parameters: Any) -> dict[str, Any]:
    return {"class": name, "parameters": parameters}


def _pipeline(*steps: tuple[str, dict[str, Any]]) -> Entry:
    return Entry("sklearn.pipeline.Pipeline", {"steps": [list(step) for step in steps]})


_SCALER = ("standardscaler", _spec("sklearn.preprocessing.StandardScaler"))

ESTIMATORS: dict[str, Entry] = {
    "adaboost_m1": Entry("rotastack.ensembles.adaboost.AdaBoostM1Classifier"),
    "aeon_rotation_forest": Entry("aeon.classification.sklearn.RotationForestClassifier"),
    "bagging": Entry("sklearn.ensemble.BaggingClassifier"),
    "bagged_c45": Entry(
        "rotastack.trees.forest.ForestClassifier",
        {"criterion": "c45", "max_features": None, "min_samples_leaf": 2},
    ),
    "boosted": Entry("xgboost.XGBClassifier", {"n_jobs": 1, "verbosity": 0}),
    "c45": Entry("rotastack.trees.c45.C45Classifier"),
    "diffusion_map": Entry("rotastack.ensembles.pooled.reduction.DiffusionMapEnsembleClassifier"),
    "double_rotation_forest": Entry("rotastack.ensembles.forests.double.DoubleRotationForestClassifier"),
    "drm": Entry("rotastack.linear.diversity.DiversityRegularizedClassifier"),
    "exrm": Entry("rotastack.linear.exclusivity.ExclusivityRegularizedClassifier"),
    "exrm_nystroem": _pipeline(
        ("nystroem", _spec("sklearn.kernel_approximation.Nystroem")), ("exrm", _spec("exrm"))
    ),
    "extra_forest": Entry("rotastack.trees.extra.ExtraForestClassifier"),
    "forest": Entry("rotastack.trees.forest.ForestClassifier"),
    "gaussian_process": Entry("rotastack.ensembles.inducers.gaussian_process.MedianGaussianProcess"),
    # as R's gbm: stumps, half of the rows in each round, 10 rows in a leaf
    "gradient_boosting": Entry(
        "sklearn.ensemble.GradientBoostingClassifier",
        {"max_depth": 1, "subsample": 0.5, "min_samples_leaf": 10},
    ),
    "hist_gradient_boosting": Entry("sklearn.ensemble.HistGradientBoostingClassifier"),
    "lda": Entry("sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
    "logistic": _pipeline(
        _SCALER, ("logisticregression", _spec("sklearn.linear_model.LogisticRegression", max_iter=1000))
    ),
    "mean_weight": Entry("rotastack.linear.mean_weight.MeanWeightClassifier"),
    "multi_rotation_forest": Entry("rotastack.ensembles.forests.multi.MultiRotationForestClassifier"),
    "naive_bayes": Entry("sklearn.naive_bayes.GaussianNB"),
    "nearest_neighbor": Entry("rotastack.ensembles.inducers.nearest.NearestNeighborClassifier"),
    "nearest_neighbors": Entry("sklearn.neighbors.KNeighborsClassifier"),
    "nu_svm": Entry("rotastack.linear.nu_svm.FeasibleNuSVC"),
    "primal_svm": Entry("rotastack.linear.primal_svm.PrimalSVMClassifier"),
    "random_projection": Entry("rotastack.ensembles.pooled.reduction.RandomProjectionEnsembleClassifier"),
    "random_rotation_boosting": Entry("rotastack.ensembles.pooled.boosting.RandomRotationBoostingClassifier"),
    "random_rotation_forest": Entry("rotastack.ensembles.forests.random.RandomRotationForestClassifier"),
    "random_subspace": Entry("rotastack.ensembles.pooled.reduction.RandomSubspaceEnsembleClassifier"),
    "regularized_rotation_forest": Entry(
        "rotastack.ensembles.forests.weightings.RotationWeightingsClassifier"
    ),
    "rotastack": Entry("rotastack.ensembles.flagship.classifier.RotastackClassifier"),
    "rotation_forest": Entry("rotastack.ensembles.forests.rotation.RotationForestClassifier"),
    "sklearn_forest": Entry("sklearn.ensemble.RandomForestClassifier"),
    "stacked_rotation": Entry("rotastack.ensembles.pooled.stacked.StackedRotationClassifier"),
    # as R's e1071: kernel exp(-|x - x'|^2 / p) on standardised columns
    "svm": _pipeline(_SCALER, ("svc", _spec("sklearn.svm.SVC", gamma="auto"))),
    "tree": Entry("rotastack.trees.tree.TreeClassifier"),
    # as R's rpart: its cp is a share of the root's wrong weight; 0.005 is a hundredth of the Gini impurity of two equal classes
    "tree_cart": Entry(
        "rotastack.trees.tree.TreeClassifier",
        {"min_samples_split": 20, "min_samples_leaf": 7, "ccp_alpha": 0.005},
    ),
    "tree_full": Entry("rotastack.trees.tree.TreeClassifier", {"criterion": "entropy"}),
    "tree_stump": Entry("rotastack.trees.tree.TreeClassifier", {"max_depth": 1}),
}
"""Short name -> class of a classifier, and fixed parameters."""

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

DRAWN_VIEWS = ("rotastack.views.rotation.RandomRotation",)
"""Views that depend on a seed and the number of columns alone: nested cross-validation draws them before any training."""

PRUNERS: dict[str, Entry] = {
    "drep": Entry("rotastack.combine.pruning.drep.DREPPruner"),
    "kappa": Entry("rotastack.combine.pruning.kappa.KappaPruner"),
    "lasso": Entry("rotastack.combine.pruning.margin.MarginPruner", {"size": "nonzero"}),
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
_EXTRAS = {"aeon": "rotastack[bench]", "lightgbm": "rotastack[bench]", "ydf": "rotastack[bench]"}
_PUBLIC = ("", "combine", "combine.pruning", "ensembles", "linear", "trees", "views")
_LEFT_TO_THE_POOL = {"scaling": None}
_QUIET = {
    "catboost": {"allow_writing_files": False, "verbose": False},
    "lightgbm": {"verbosity": -1},
    "xgboost": {"verbosity": 0},
}


@cache
def _public() -> dict[str, str]:
    """Return our public classes, name -> module: what the ``__init__.py`` files hand on, read without importing."""
    root = Path(__file__).resolve().parents[1]
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
    """Return the class that a study names, and the parameters that its short name fixes; nothing is imported.

    Parameters
    ----------
    name : str
        A short name, one of our public classes, or a dotted path.
    among : mapping
        The short names that are allowed here.
    where : str
        What the message calls the place.

    Raises
    ------
    RotastackError
        No such name; the nearest is offered. That a dotted path leads to a class is seen by :func:`load_class`.

    Examples
    --------
    >>> find("tree_stump").parameters, find("RotationForestClassifier").module
    ({'max_depth': 1}, 'rotastack.ensembles.forests.rotation')
    """
    if name in among:
        return among[name]
    if name in _public():
        return Entry(f"{_public()[name]}.{name}")
    package, _, last = name.rpartition(".")
    if package and all(part.isidentifier() for part in name.split(".")):
        own = package == "rotastack" or package.startswith("rotastack.")
        return Entry(f"{_public()[last]}.{last}" if own and last in _public() else name)
    known = [*among, *_public()]
    raise RotastackError(
        f"{where}: {name!r} is unknown{nearest(name, known)}; it is a short name ({', '.join(among)}), one of our public "
        "classes, or a dotted path such as sklearn.svm.SVC"
    )


def load_class(entry: Entry, where: str = "class") -> type:
    """Import a class.

    Raises
    ------
    RotastackError
        The package is not installed, has no such module or no such class, or the name is no class.
    """
    top = entry.path.partition(".")[0]
    try:
        module = importlib.import_module(entry.module)
    except ModuleNotFoundError as error:
        if importlib.util.find_spec(top) is None:
            raise RotastackError(
                f"{where}: {entry.path} needs the package {top}: pip install {_EXTRAS.get(top, top)!r}"
            ) from None
        raise RotastackError(f"{where}: {entry.path} cannot be imported: {error}") from None
    except ImportError as error:
        raise RotastackError(
            f"{where}: {entry.path} cannot be imported: {' '.join(str(error).split())}"
        ) from None
    name = entry.path.rpartition(".")[2]
    if not hasattr(module, name):
        known = [n for n in dir(module) if not n.startswith("_")]
        raise RotastackError(f"{where}: module {entry.module} has no class {name!r}{nearest(name, known)}")
    found = getattr(module, name)
    if not inspect.isclass(found):
        raise RotastackError(f"{where}: {entry.path} is no class, but {type(found).__name__}")
    return found


def parameter_names(cls: type) -> tuple[list[str], bool]:
    """Return the parameters of a class, and whether it takes others as well (``**kwargs``)."""
    names: dict[str, None] = {}
    open_ended = False
    for ancestor in cls.__mro__:
        if "__init__" not in vars(ancestor) or ancestor is object:
            continue
        found = list(inspect.signature(ancestor.__init__).parameters.values())[1:]
        kinds = {p.kind for p in found}
        names.update(dict.fromkeys(p.name for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)))
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            break  # nothing is handed on to the ancestors
        open_ended = True
    return list(names), open_ended


def build(name: str, parameters: Mapping[str, Any] | None = None, *, n_jobs: int | None = None) -> Any:
    """Make the object that a study names, unfitted.

    Ours that scale columns by themselves leave it to the pool unless `parameters` have ``scaling``; libraries
    that print while they train are told to be quiet unless `parameters` say otherwise.

    Parameters
    ----------
    name : str
        As in :func:`find`.
    parameters : mapping
        Named as the class names them; ``a__b`` is parameter b of parameter a. A mapping of the form
        ``{class: ..., parameters: ...}`` is an object in turn, in lists, too.
    n_jobs : int, optional
        Threads, for classes that have this parameter, where neither name nor `parameters` set it.

    Examples
    --------
    >>> build("rotation_forest", {"n_estimators": 5, "estimator": {"class": "tree_stump"}}).estimator.max_depth
    1
    """
    entry = find(name)
    cls = load_class(entry)
    given = {**entry.parameters, **(parameters or {})}
    known, _ = parameter_names(cls)
    usual: dict[str, Any] = dict(_QUIET.get(entry.path.partition(".")[0], {}))
    if entry.path.startswith("rotastack."):
        usual |= _LEFT_TO_THE_POOL
    if n_jobs is not None:
        usual["n_jobs"] = n_jobs
    given = {**{k: v for k, v in usual.items() if k in known}, **given}
    made = cls(**{k: _value(v) for k, v in given.items() if "__" not in k})
    deep = {k: _value(v) for k, v in given.items() if "__" in k}
    return made.set_params(**deep) if deep else made


def _value(value: Any) -> Any:
    if isinstance(value, Mapping) and "class" in value:
        return build(value["class"], value.get("parameters"))
    if isinstance(value, list):
        made = [_value(v) for v in value]
        named = len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], Mapping)
        return tuple(made) if named else made  # a step of a pipeline
    return value


def nested_specs(value: Any) -> Iterable[Mapping[str, Any]]:
    """Yield every ``{class: ..., parameters: ...}`` in a value, whatever its depth."""
    if isinstance(value, Mapping):
        if "class" in value:
            yield value
        for child in value.values():
            yield from nested_specs(child)
    elif isinstance(value, list):
        for child in value:
            yield from nested_specs(child)


def modules_of(name: str, parameters: Mapping[str, Any] | None = None) -> list[str]:
    """Return the modules that :func:`build` would import, ours and foreign ones: for fingerprints."""
    entry = find(name)
    found = {entry.module}
    for spec in nested_specs({**entry.parameters, **(parameters or {})}):
        found.update(modules_of(spec["class"], spec.get("parameters")))
    return sorted(found)
