"""What of a study does not fit together, found before anything runs."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rotastack.errors import RotastackError, nearest
from rotastack.learners.registry import check_learner, learner_parameters
from rotastack.study.components import PRUNERS, TRAINED
from rotastack.study.names import member_names, slug

if TYPE_CHECKING:
    from rotastack.study.config import Study

__all__ = ["check_study"]

_VOTING_TREES = (
    "adaboost_m1",
    "bagging",
    "double_rotation_forest",
    "extra_forest",
    "forest",
    "multi_rotation_forest",
    "random_rotation_forest",
    "rotation_forest",
)
_MEAN_OF_MEMBERS = ("diffusion_map", "random_projection", "random_subspace", "rotated_linear")
_MEMBERS = ("n_estimators", "n_rotations", "n_trees")
_OF_COMBINER = {
    "vote": ("voting",), "stacking": ("learner",), "log_linear": ("ridge",), "weights": ("weighting", "h"), "member": ("member",),
    "prune": ("pruner", "selection", "first", *dict.fromkeys(k for p in PRUNERS.values() for k in p[3])),
}  # fmt: skip


def check_study(study: "Study", where: str) -> None:
    """Refuse what would only fail when it is trained, after hours perhaps.

    Raises
    ------
    RotastackError
        The first thing that is wrong, with its key and what is allowed.
    """
    _check_training_rows(study, where)
    for name, pool in study.pools.items():
        check_learner(pool["learner"], f"{where}: pools.{name}.learner")
        _check_pool(study, pool, f"{where}: pools.{name}")
        if study.is_holdout and pool["view"] != "identity":
            raise RotastackError(
                f"{where}: pools.{name}.view: with random splits a learner that rotates does so itself, "
                "such as random_rotation_forest"
            )
        for dataset in pool["repeats"]:
            if dataset not in study.datasets:
                raise RotastackError(
                    f"{where}: pools.{name}.repeats: {dataset!r} is not a data set of this study"
                    f"{nearest(dataset, list(study.datasets))}"
                )
    labels = list(study.methods)
    slugs = [slug(label) for label in labels]
    for label, method in study.methods.items():
        if slugs.count(slug(label)) > 1:
            raise RotastackError(f"{where}: methods: {label!r} and another label differ in punctuation only")
        if method["pool"] not in study.pools:
            raise RotastackError(
                f"{where}: methods.{label}.pool: pool {method['pool']!r} is unknown"
                f"{nearest(method['pool'], list(study.pools))}; there are {', '.join(study.pools)}"
            )
        _check_combiner(study, method, f"{where}: methods.{label}.combiner")
    for pair in study.content["evaluation"]["pairs"]:
        for label in pair:
            if label not in labels:
                raise RotastackError(
                    f"{where}: evaluation.pairs: {label!r} is not a method{nearest(label, labels)}"
                )
    for label in study.content["evaluation"]["shown"]:
        if label not in labels:
            raise RotastackError(
                f"{where}: evaluation.shown: {label!r} is not a method{nearest(label, labels)}"
            )
    for claim in study.content["evaluation"]["claims"]:
        for key in ("of", "than"):
            if claim[key] not in labels:
                raise RotastackError(
                    f"{where}: evaluation.claims.{key}: {claim[key]!r} is not a method{nearest(claim[key], labels)}"
                )
    for k, sweep in enumerate(study.content["evaluation"]["sweeps"]):
        _check_sweep(sweep, labels, f"{where}: evaluation.sweeps.{k}")
    for name, group in study.content["evaluation"]["groups"].items():
        _check_group(study, group["methods"], f"{where}: evaluation.groups.{name}")
    control = study.content["evaluation"]["control"]
    refit = study.content["model"]["refit"]
    for key, value, extra in [
        ("evaluation.control", control, []),
        ("model.refit", refit, ["best", "none"]),
    ]:
        if value is not None and value not in labels + extra:
            raise RotastackError(
                f"{where}: {key}: {value!r} is not a method{nearest(value, labels + extra)}; "
                f"there are {', '.join(extra + labels)}"
            )
        if value in study.optimistic:
            raise RotastackError(f"{where}: {key}: {value!r} chooses members by the test rows")


def _check_training_rows(study: "Study", where: str) -> None:
    train = study.content["protocol"].get("train", 0.5)
    if train < 1:
        return
    if not isinstance(train, int):
        raise RotastackError(
            f"{where}: protocol.train: {train} is neither a share below 1 nor a whole number of rows"
        )
    for name, entry in study.datasets.items():
        if entry.get("rows", train + 1) <= train:
            raise RotastackError(
                f"{where}: protocol.train: {name} has {entry['rows']} rows; {train} to train on leave none to test"
            )


def _check_group(study: "Study", methods: dict[str, str], where: str) -> None:
    for label, method in methods.items():
        if method not in study.methods:
            raise RotastackError(
                f"{where}.methods.{label}: {method!r} is not a method{nearest(method, list(study.methods))}"
            )
        if list(methods.values()).count(method) > 1:
            raise RotastackError(f"{where}.methods.{label}: {method!r} stands twice in the group")
        if method in study.optimistic:
            raise RotastackError(f"{where}.methods.{label}: {method!r} chooses members by the test rows")


def _check_sweep(sweep: dict[str, Any], labels: list[str], where: str) -> None:
    values = sweep["values"]
    if any(b <= a for a, b in pairwise(values)) or (sweep.get("log") and values[0] <= 0):
        raise RotastackError(
            f"{where}.values: {values} must rise{' from more than 0' if sweep.get('log') else ''}"
        )
    for name, line in sweep["lines"].items():
        if len(line) not in (1, len(values)):
            raise RotastackError(
                f"{where}.lines.{name}: {len(line)} methods for {len(values)} values; a method each is wanted, or one alone"
            )
        for label in line:
            if label not in labels:
                raise RotastackError(
                    f"{where}.lines.{name}: {label!r} is not a method{nearest(label, labels)}"
                )


def _check_pool(study: "Study", pool: dict[str, Any], where: str) -> None:
    """Check what only fails when it is trained, after hours perhaps."""
    learner = pool["learner"]
    kind, trees = learner["kind"], learner.get("n_trees")
    special = [pool[k] for k in ("diversity", "training_error", "repeats", "sizes")] + [
        *pool["noise"].values()
    ]
    if not study.is_holdout and any(special):
        raise RotastackError(
            f"{where}: diversity, training_error, repeats, sizes and noise go with random splits only "
            "(protocol.kind: holdout or crossval)"
        )
    if pool["sizes"]:
        _check_sizes(pool, where)
    if pool["diversity"] and kind not in _VOTING_TREES:
        raise RotastackError(
            f"{where}.diversity: {kind} has no trees that vote; {', '.join(_VOTING_TREES)} have"
        )
    if pool["diversity"] and kind in ("bagging", "rotation_forest") and learner.get("base", "j48") != "j48":
        raise RotastackError(f"{where}.diversity: {kind} has trees that vote with base j48 only")
    if kind in ("adaboost_m1", "rotation_forest") and "tree" in learner and "base" in learner:
        raise RotastackError(f"{where}.learner: tree and base exclude each other")
    if kind == "adaboost_m1" and learner.get("base") == "nn" and not learner.get("resample"):
        raise RotastackError(f"{where}.learner: base nn takes no weights of rows; it needs resample: true")
    if kind == "regularized_rotation_forest":
        trees, R, U = trees or 500, learner.get("n_rotations", 25), learner.get("micro_forest_size", 10)
        if trees < R * U:
            raise RotastackError(
                f"{where}.learner: micro_forest_size times n_rotations ({U} x {R}) is more than n_trees ({trees})"
            )
    if kind == "exrm" and learner.get("tol") == "paper" and learner.get("solver") != "alm":
        raise RotastackError(f"{where}.learner.tol: 'paper' goes with solver: alm")
    if kind == "random_rotation_forest":
        each = learner.get("n_trees_per_rotation", 1)
        if (trees or 100) % each:
            raise RotastackError(
                f"{where}.learner: n_trees ({trees or 100}) must be a multiple of n_trees_per_rotation ({each})"
            )
        if learner.get("drop_worst") and learner.get("tree") == "extra":
            raise RotastackError(
                f"{where}.learner: drop_worst needs trees of kind forest, with out-of-bag rows"
            )


def _check_sizes(pool: dict[str, Any], where: str) -> None:
    learner, sizes = pool["learner"], pool["sizes"]
    members = next((v for k in _MEMBERS if (v := learner.get(k)) is not None), None)
    rotated = learner["kind"] == "rotation_forest" and learner.get("base", "j48") != "j48"
    if learner["kind"] not in _MEAN_OF_MEMBERS and not rotated:
        raise RotastackError(
            f"{where}.sizes: {learner['kind']} has no members whose mean decides; {', '.join(_MEAN_OF_MEMBERS)} have"
        )
    if members is None or max(sizes) > members:
        key = next(k for k in _MEMBERS if k in learner_parameters(learner["kind"]))
        have = f"says nothing of its number; give it {key}" if members is None else f"has {members}"
        raise RotastackError(f"{where}.sizes: {max(sizes)} members are wanted; the learner {have}")


def _check_combiner(study: "Study", method: dict[str, Any], where: str) -> None:
    combiner = method["combiner"]
    kind = combiner["kind"]
    for key in combiner:
        if key != "kind" and key not in _OF_COMBINER[kind]:
            raise RotastackError(f"{where}: {key!r} does not go with kind {kind!r}")
    if kind != "member" and study.pools[method["pool"]]["sizes"]:
        raise RotastackError(f"{where}: its pool has sizes; combiner member takes one of them")
    if kind == "member":
        if not study.is_holdout:
            raise RotastackError(f"{where}: member needs random splits (protocol.kind: holdout or crossval)")
        known = [name for name in member_names(study.pools[method["pool"]]) if name != "all"]
        if combiner.get("member") not in known:
            raise RotastackError(
                f"{where}.member: {combiner.get('member')!r} is not a member of its pool; "
                f"there are {', '.join(known) or 'none with a name'}"
            )
    elif kind == "weights":
        if study.is_holdout or study.pools[method["pool"]]["view"] != "rotation":
            raise RotastackError(
                f"{where}: weights need a pool on rotations in nested cross-validation; with random splits "
                "use learner regularized_rotation_forest and combiner member"
            )
        combiner.setdefault("weighting", "exp")
        combiner.setdefault("h", None)
        learner = study.pools[method["pool"]]["learner"]["kind"]
        if learner not in ("forest", "sklearn_forest"):
            raise RotastackError(
                f"{where}: weights need the learner forest, which knows its out-of-bag error"
            )
        h, top = combiner["h"], study.content["protocol"]["rotations"]
        least = {"cut": 1, "exp": 0.1}.get(combiner["weighting"])
        if h is not None and (least is None or not least <= h <= top or (least == 1 and h != int(h))):
            allowed = (
                "null"
                if least is None
                else f"{'a whole number ' if least == 1 else ''}from {least} to {top}, or null"
            )
            raise RotastackError(
                f"{where}.h: {h} does not go with {combiner['weighting']}; it must be {allowed}"
            )
    elif kind == "prune":
        _check_pruner(study, method, where)
    elif kind in TRAINED:
        if study.is_holdout:
            raise RotastackError(f"{where}: {kind} needs nested cross-validation, not random splits")
        if kind == "stacking":
            check_learner(combiner.setdefault("learner", {"kind": "forest"}), f"{where}.learner")
    else:
        combiner.setdefault("voting", "soft")


def _check_pruner(study: "Study", method: dict[str, Any], where: str) -> None:
    combiner, pool = method["combiner"], study.pools[method["pool"]]
    learner = pool["learner"]
    if not study.is_holdout:
        raise RotastackError(f"{where}: prune needs splits (protocol.kind: holdout or crossval)")
    if learner["kind"] not in _VOTING_TREES:
        raise RotastackError(
            f"{where}: {learner['kind']} has no members that vote; {', '.join(_VOTING_TREES)} have"
        )
    name = combiner.setdefault("pruner", "margin")
    known = ("vote",) if name == "none" else PRUNERS[name][3]
    for key in combiner:
        if key not in ("kind", "pruner", "selection", "first", *known):
            raise RotastackError(
                f"{where}: {key!r} does not go with pruner {name!r}; it takes {', '.join(known) or 'nothing'}"
            )
    bagged = learner["kind"] in ("forest", "bagging") or learner.get("bootstrap", False)
    bagged |= learner["kind"] == "random_rotation_forest" and learner.get("tree", "forest") == "forest"
    combiner.setdefault("selection", "oob" if bagged else "train")
    if combiner["selection"] == "oob" and not bagged:
        raise RotastackError(
            f"{where}.selection: the members of {learner['kind']} have no out-of-bag rows here"
        )
    size, first = combiner.get("n_select"), combiner.get("first") or learner.get("n_trees", 100)
    if isinstance(size, int) and size > first:
        raise RotastackError(f"{where}.n_select: {size} members are wanted of {first}")
    if combiner.get("first", 0) > learner.get("n_trees", 100):
        raise RotastackError(
            f"{where}.first: the pool has {learner.get('n_trees', 100)} members, not {combiner['first']}"
        )
