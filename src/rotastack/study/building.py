"""From the path of a class and parameters to an object, and to the modules behind it.

Steps import what a slice names, and the plan adds the same modules to the step's fingerprint: an edit to one
estimator, view or combiner reruns what uses it and nothing else.
"""

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from rotastack.errors import RotastackError, extra_of, nearest

__all__ = [
    "REFITTED",
    "build",
    "combiner_modules",
    "draws_bags",
    "load_class",
    "make_combiner",
    "make_estimator",
    "make_view",
    "modules_of",
    "nested_specs",
    "parameter_names",
    "plain_types",
    "pool_modules",
]

_PLAIN = {bool, int, float, str, NoneType}


def load_class(path: str, where: str = "class") -> type:
    """Import a class by its dotted path.

    Raises
    ------
    RotastackError
        The package is not installed, has no such module or no such class, or the name is no class.
    """
    top, (module_name, _, name) = path.partition(".")[0], path.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if importlib.util.find_spec(top) is None:
            extra = extra_of(top)
            own = "" if extra else f", or {top}.py in the folder from which you run it"
            raise RotastackError(
                f"{where}: {path} needs the package {top}: pip install {extra or top!r}{own}"
            ) from None
        raise RotastackError(f"{where}: {path} cannot be imported: {error}{_nearest_module(module_name)}") from None
    except Exception as error:  # a module of others may raise anything
        raise RotastackError(f"{where}: {path} cannot be imported: {' '.join(str(error).split())}") from None
    if not hasattr(module, name):
        known = [n for n in dir(module) if not n.startswith("_")]
        raise RotastackError(f"{where}: module {module_name} has no class {name!r}{nearest(name, known)}")
    found = getattr(module, name)
    if not inspect.isclass(found):
        raise RotastackError(f"{where}: {path} is no class, but {type(found).__name__}")
    return found


def _nearest_module(name: str) -> str:
    """Return the module closest to one that is not there, as a question."""
    package, _, last = name.rpartition(".")
    try:
        paths = importlib.import_module(package).__path__ if package else []
    except Exception:  # nothing to offer
        return ""
    return nearest(last, [info.name for info in pkgutil.iter_modules(paths)])


def parameter_names(cls: type) -> tuple[list[str], bool]:
    """Return the parameters of a class, and whether it takes others as well (``**kwargs``)."""
    names: dict[str, None] = {}
    open_ended = False
    for ancestor in cls.__mro__:
        if "__init__" not in vars(ancestor) or ancestor is object:
            continue
        found = list(inspect.signature(vars(ancestor)["__init__"]).parameters.values())[1:]
        kinds = {p.kind for p in found}
        names.update(dict.fromkeys(p.name for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)))
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            break  # nothing is handed on to the ancestors
        open_ended = True
    return list(names), open_ended


def plain_types(cls: type) -> dict[str, tuple[type, ...]]:
    """Return the parameters of a class that are annotated with plain types only: bool, int, float, str, None."""
    found: dict[str, tuple[type, ...]] = {}
    for ancestor in reversed(cls.__mro__):
        try:
            hints = get_type_hints(vars(ancestor).get("__init__"))
        except Exception:  # annotations that only a type checker understands
            continue
        for name, hint in hints.items():
            union = get_origin(hint) in (Union, UnionType)
            found[name] = get_args(hint) if union else (hint,)
    return {name: types for name, types in found.items() if set(types) <= _PLAIN}


def build(path: str, parameters: Mapping[str, Any], *, n_jobs: int | None = None) -> Any:
    """Make an object, unfitted.

    Ours that scale columns by themselves leave it to the pool unless `parameters` have ``scaling``.

    Parameters
    ----------
    path : str
        Of the class: ``sklearn.svm.SVC``.
    parameters : mapping
        Named as the class names them; ``a__b`` is parameter b of parameter a. A mapping of the form
        ``{class: path, parameters: ...}`` is an object in turn, in lists, too.
    n_jobs : int, optional
        Threads, for classes that have this parameter, or CatBoost's ``thread_count``, where `parameters` do not set it.

    Examples
    --------
    >>> build("sklearn.ensemble.BaggingClassifier", {"estimator": {"class": "sklearn.svm.SVC", "parameters": {"C": 2}}})
    BaggingClassifier(estimator=SVC(C=2))
    """
    cls = load_class(path)
    known, _ = parameter_names(cls)
    usual: dict[str, Any] = {"scaling": None} if path.startswith("rotastack.") else {}
    if n_jobs is not None:
        usual |= {"n_jobs": n_jobs, "thread_count": n_jobs}
    given = {**{k: v for k, v in usual.items() if k in known}, **parameters}
    made = cls(**{k: _value(v) for k, v in given.items() if "__" not in k})
    deep = {k: _value(v) for k, v in given.items() if "__" in k}
    return made.set_params(**deep) if deep else made


def _value(value: Any) -> Any:
    if isinstance(value, Mapping) and "class" in value:
        return build(value["class"], value.get("parameters", {}))
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


def modules_of(path: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return the modules that :func:`build` imports, ours and foreign ones: for fingerprints."""
    found = {path.rpartition(".")[0]}
    for spec in nested_specs(dict(parameters)):
        found.add(spec["class"].rpartition(".")[0])
    return sorted(found)


REFITTED = {"member": "rotastack.ensembles.forests.regularized", "prune": "rotastack.ensembles.pruned"}
"""Kind of combiner -> module of the estimator that a model is, where this is not the pool's."""


def make_estimator(spec: Mapping[str, Any], n_jobs: int | None = None) -> Any:
    """Return the unfitted estimator of a pool or stacker."""
    return build(spec["estimator"], spec["parameters"], n_jobs=n_jobs)


def draws_bags(estimator: Any) -> bool:
    """Tell whether the members of an ensemble are trained on bags of its own, as far as its parameters tell."""
    parameters = estimator.get_params(deep=False)
    return bool(parameters.get("bootstrap", parameters.get("tree") == "forest"))


def make_view(spec: Mapping[str, Any] | None) -> Any:
    """Return the unfitted view of a pool, None for the identity."""
    return None if spec is None else build(spec["class"], spec["parameters"])


def make_combiner(spec: Mapping[str, Any]) -> Any:
    """Return an unfitted combiner; of kind prune, the pruner."""
    return build(spec["class"], spec["parameters"])


def pool_modules(pool: Mapping[str, Any]) -> list[str]:
    """Return the modules of a pool's estimator and view."""
    view = pool["view"]
    return [
        *modules_of(pool["estimator"], pool["parameters"]),
        *([] if view is None else modules_of(view["class"], view["parameters"])),
    ]


def combiner_modules(combiner: Mapping[str, Any]) -> list[str]:
    """Return the modules of a combiner, and of its level-1 estimator; of kind member there are none."""
    if combiner["kind"] == "member":
        return []
    found = modules_of(combiner["class"], combiner["parameters"])
    return ["rotastack.run.splits.pruned", *found] if combiner["kind"] == "prune" else found
