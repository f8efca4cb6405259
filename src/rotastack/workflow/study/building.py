"""Build estimators, views and combiners from the paths of their classes, and list the modules that they need.

A step imports the classes that its spec names. The plan adds their modules to the step's fingerprint.
"""

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rotastack.errors import RotastackError, extra_of, nearest
from rotastack.workflow.study.specs import AnyCombinerSpec, ClassSpec, MemberSpec, PoolSpec

_ROLES = (("fit", "predict"), ("fit", "transform"), ("get_params", "set_params"), ("split", "get_n_splits"))
"""Pairs of methods of the classes that a study may build: estimators, views, pruners, combiners, and their parameters."""


def load_class(path: str, where: str = "class") -> type:
    """Import a class by its dotted path: that of an estimator, a view or a combiner, or of one of their parameters."""
    top, (module_name, _, name) = path.partition(".")[0], path.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if importlib.util.find_spec(top) is None:
            extra = extra_of(top)
            own = "" if extra else f", or put {top}.py into the folder of the run"
            raise RotastackError(
                f"{where}: {path} needs the package {top}, which is not installed: pip install {extra or top!r}{own}"
            ) from None
        raise RotastackError(f"{where}: {path} cannot be imported: {error}{_nearest_module(module_name)}") from None
    except Exception as error:  # importing another package's module may raise any exception
        raise RotastackError(f"{where}: {path} cannot be imported: {' '.join(str(error).split())}") from None
    if not hasattr(module, name):
        known = [n for n in dir(module) if not n.startswith("_")]
        raise RotastackError(f"{where}: module {module_name} has no class {name!r}{nearest(name, known)}")
    found = getattr(module, name)
    if not inspect.isclass(found):
        raise RotastackError(f"{where}: {path} is not a class but {type(found).__name__}")
    has_role = any(all(callable(getattr(found, name, None)) for name in role) for role in _ROLES)
    if not has_role and found.__module__.partition(".")[0] not in ("rotastack", "sklearn"):
        raise RotastackError(f"{where}: {path} is neither estimator, view nor combiner; a study builds no other class")
    return found


def _nearest_module(name: str) -> str:
    """Return a hint at the existing module whose name is closest to a missing one, or an empty text."""
    package, _, last = name.rpartition(".")
    try:
        paths = importlib.import_module(package).__path__ if package else []
    except Exception:  # without the package there is no name to suggest
        return ""
    return nearest(last, [info.name for info in pkgutil.iter_modules(paths)])


def own_class(path: str) -> type:
    """Return a class of Rotastack; object for one of another package, or one that ``check_classes`` will report."""
    try:
        return load_class(path) if path.startswith("rotastack.") else object
    except RotastackError:
        return object


def parameter_names(cls: type) -> tuple[list[str], bool]:
    """Return the names of a class's parameters, and whether the class accepts others too (``**kwargs``)."""
    names: dict[str, None] = {}
    open_ended = False
    for ancestor in cls.__mro__:
        if "__init__" not in vars(ancestor) or ancestor is object:
            continue
        found = list(inspect.signature(vars(ancestor)["__init__"]).parameters.values())[1:]
        kinds = {p.kind for p in found}
        names.update(dict.fromkeys(p.name for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)))
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            break  # without **kwargs no parameter reaches the ancestors
        open_ended = True
    return list(names), open_ended


def build(path: str, parameters: Mapping[str, Any], *, n_jobs: int | None = None) -> Any:
    """Return an unfitted object of a class.

    Rotastack's own classes get ``scaling=None`` unless `parameters` set it, because the pool scales the columns. The key
    ``a__b`` sets parameter b of parameter a; a value ``{class: path, parameters: ...}``, also inside a list, is built into an
    object. Classes with the parameter ``n_jobs`` (CatBoost: ``thread_count``) get `n_jobs`, unless `parameters` set it.
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
        named = len(value) in (2, 3) and isinstance(value[0], str) and isinstance(value[1], Mapping)
        return tuple(made) if named else made  # a step of a pipeline is a tuple of name and object, and maybe columns
    return value


def described(value: Any, where: str) -> Any:
    """Return an estimator as ``{class: path, parameters: ...}``, of which :func:`build` makes another one; inverse of that.

    Parameters at their defaults are left out. A RotastackError names a value that no file could hold.
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        try:
            usual = type(value)().get_params(deep=False)
        except TypeError:  # a parameter has no default
            usual = {}
        given = value.get_params(deep=False).items()
        found = {key: described(of_key, where) for key, of_key in given if key not in usual or usual[key] is not of_key}
        return {"class": f"{type(value).__module__}.{type(value).__qualname__}", "parameters": found}
    if isinstance(value, list | tuple):
        return [described(part, where) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise RotastackError(f"{where}: {value!r} cannot be written into a study; pass a class's path, a text or a number")


def nested_specs(value: Any) -> Iterable[Mapping[str, Any]]:
    """Yield every ``{class: ..., parameters: ...}`` in a value, at any depth."""
    if isinstance(value, Mapping):
        if "class" in value:
            yield value
        for child in value.values():
            yield from nested_specs(child)
    elif isinstance(value, list):
        for child in value:
            yield from nested_specs(child)


REFITTED = {"member": "rotastack.ensembles.forests.regularized", "prune": "rotastack.ensembles.pruned"}
"""Kind of combiner -> module of the class of the final model, where that is not the pool's estimator."""


def make_estimator(pool: PoolSpec, n_jobs: int | None = None) -> Any:
    """Return the unfitted estimator of a pool."""
    return build(pool.estimator, pool.parameters, n_jobs=n_jobs)


def draws_bags(estimator: Any) -> bool:
    """Return whether an ensemble trains each member on a bag of rows, judged by its parameters."""
    parameters = estimator.get_params(deep=False)
    return bool(parameters.get("bootstrap", parameters.get("tree") == "forest"))


def make(spec: ClassSpec) -> Any:
    """Return the unfitted view, combiner or pruner of a spec."""
    return build(spec.class_, spec.parameters)


def is_trained(combiner: AnyCombinerSpec) -> bool:
    """Return whether a combiner is trained, on outputs for rows that the members were not trained on.

    The class of kind other has an attribute ``trained``; a class of Rotastack is built first.
    """
    if isinstance(combiner, MemberSpec) or combiner.kind != "other":
        return combiner.kind in ("stacking", "log_linear") or "scoring" in getattr(combiner, "parameters", {})
    is_own = combiner.class_.startswith("rotastack.")
    return bool(getattr(make(combiner) if is_own else load_class(combiner.class_), "trained", False))
