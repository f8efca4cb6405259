"""refit: train the chosen method of a data set on all rows, as a model for predictions."""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from rotastack.base.fitting import set_up_columns, takes_groups
from rotastack.base.outputs import positive_class
from rotastack.base.preprocessing import TablePreprocessor, describe_columns
from rotastack.data.artifacts import read_frame
from rotastack.data.divisions import READ, division_numbers
from rotastack.data.loading import columns_by_kind
from rotastack.data.raw import read_raw
from rotastack.data.target import check_target, typed_labels
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.ensembles.pooled.regressor import PooledEnsembleRegressor
from rotastack.ensembles.rows import takes_tables, with_categories
from rotastack.errors import RotastackError
from rotastack.files import read_json, replacing
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.stats.metrics import DECIDED, METRICS, PRIMARY
from rotastack.workflow.judge.results import TIE_BREAK, cells_and_tests, choose
from rotastack.workflow.run.job import Job, Outcome
from rotastack.workflow.run.watching import done_watched
from rotastack.workflow.study.building import REFITTED, draws_bags, make, make_estimator
from rotastack.workflow.study.specs import (
    AnyCombinerSpec,
    CombinerSpec,
    MemberSpec,
    MethodSpec,
    PoolSpec,
    PrunerSpec,
    RefitSpec,
)
from rotastack.workflow.tracking.model_files import dump_model, estimator_of

ENSEMBLES = {"classification": PooledEnsembleClassifier, "regression": PooledEnsembleRegressor}
LAST_STEPS = {"classification": "classifier", "regression": "regressor"}
"""Task -> name of the model's last step."""


def refit(spec: RefitSpec, label: str, raw: pd.DataFrame, scored: Mapping[str, Any], n_jobs: int = 1) -> Pipeline:
    """Return a method trained on all rows: a pipeline from raw table to label or number.

    `scored` are the numbers of the scoring step: a saved model widens its intervals by those that were tested.
    """
    dataset, method = spec.dataset, spec.methods[label]
    features = raw.drop(columns="target")
    kinds = columns_by_kind(list(features.columns), spec.kinds, dataset)
    kinds |= {c: "id" for key, c in spec.divided_by.items() if key not in READ and c in features}
    target = _target(spec, raw)
    *before, estimator = _estimators(spec, method, TablePreprocessor(kinds), features)
    seed = integer_seed(child(root_sequence(spec.seed), "refit", dataset, label))
    parameters = estimator.get_params()
    estimator.set_params(**{k: v for k, v in {"random_state": seed, "n_jobs": n_jobs}.items() if k in parameters})
    decides = _thresholded(estimator, target, spec.threshold)
    names = (*("table", "frame")[: len(before)], LAST_STEPS[spec.task])
    groups = _groups(spec, estimator, features)
    with config_context(enable_metadata_routing=bool(groups)):
        model = Pipeline(list(zip(names, (*before, decides), strict=True))).fit(features, target, **groups)
    if (tested := scored.get("intervals", {}).get(label)) is not None:
        model.tested_intervals_ = tested
    if "n_jobs" in parameters:
        estimator_of(model).set_params(n_jobs=None)
    return model


def run(job: Job) -> None:
    """Read inputs ``raw``, ``scores``, ``rows`` and the record ``scored``, write output ``model``.

    If no method can be refitted, because all or the chosen one failed, the model file is empty and the record has the
    reason. A separate process trains what may crash or has a limit of time.
    """
    spec = job.spec(RefitSpec)
    with job.recorded() as record:
        scores, _ = read_frame(job.input("scores"))
        label, outcome, scored = spec.refit, Outcome(), read_json(job.input("scored"))["metrics"]
        if label == "best":
            label = chosen(spec, scores, scored, *read_frame(job.input("rows")))
        if label is None:
            outcome.fail("no method succeeded on this data set")
        else:
            method, raw = spec.methods[label], read_raw(job.input("raw"))
            limit = (method.pool.training_limit or 0) * (spec.folds + 1)  # a stacker also trains the pool on each fold
            with outcome.may_fail():
                work = partial(_refitted, spec, job, label, raw, scores[scores["method"] == label], scored)
                record.metrics = done_watched(work, method.content(), limit)
        record.status, record.message = outcome.status, outcome.message
        if outcome.status != "ok":
            with replacing(job.output("model")) as temporary:
                temporary.touch()


def _refitted(
    spec: RefitSpec, job: Job, label: str, raw: pd.DataFrame, scores: pd.DataFrame, scored: Mapping[str, Any]
) -> dict[str, Any]:
    """Train and write the model; return its metrics."""
    model, target = refit(spec, label, raw, scored, job.threads), _target(spec, raw)
    model.measured_ = _measured(spec, scores, target, getattr(model, "tested_intervals_", {}))
    dump_model(model, job.output("model"), spec.trusted)
    predicted, metrics = model.predict(raw.drop(columns="target")), dict[str, Any](method=label)
    if spec.task == "regression":
        error = np.sqrt(np.mean((target - predicted) ** 2))
    else:
        error = np.mean(np.ravel(predicted) != target)  # some estimators predict a column
    if spec.threshold is not None:
        metrics |= {"threshold": spec.threshold, "decides_for": str(model[-1].pos_label)}
    return metrics | {
        "ranges": {str(column): ends for column, ends in model[0].ranges_.items()},
        f"cross_validated_{spec.score}": float(scores[spec.score].mean()),
        f"training_{PRIMARY[spec.task]}": float(error),
        "model_bytes": job.output("model").stat().st_size,
        **_out_of_bag(estimator_of(model), spec.task),
        **({"intervals": model.tested_intervals_} if hasattr(model, "tested_intervals_") else {}),
    }


def _target(spec: RefitSpec, raw: pd.DataFrame) -> NDArray:
    """Return the numbers of a regression, or labels of the type that the raw table gives them."""
    numbers = check_target(raw["target"], spec.dataset, spec.task).to_numpy()
    return typed_labels(raw["target"]) if spec.task == "classification" else numbers


def _measured(spec: RefitSpec, cells: pd.DataFrame, target: NDArray, intervals: dict[str, float]) -> dict[str, Any]:
    """Return the study's score, the scores of held-out rows for comparison with new rows, and the rarer class, the positive one."""
    means = cells.filter(list(METRICS[spec.task])).mean().dropna()
    unlike = DECIDED * (spec.threshold is not None)  # the study decides without the model's threshold
    unlike += ("pinball", "interval_coverage") * (intervals.get("times", 1) > 1)  # of intervals before the widening
    found = {"score": spec.score, "scores": means.drop(list(unlike), errors="ignore").to_dict()}
    if spec.task == "classification":
        classes, codes = np.unique(target.astype(str), return_inverse=True)
        found["positive"] = str(classes[positive_class(codes)])
    return found


def _groups(spec: RefitSpec, estimator: Any, features: pd.DataFrame) -> dict[str, NDArray[np.intp]]:
    """Return the study's groups of rows, if there are any and the estimator takes them."""
    column = spec.divided_by.get("groups")
    if column is None or not takes_groups(estimator):
        return {}
    return {"groups": division_numbers(features, column, "groups", spec.dataset)}


def chosen(
    spec: RefitSpec, scores: pd.DataFrame, scored: Mapping[str, Any], influences: pd.DataFrame, about: Mapping[str, Any]
) -> str | None:
    """Return the method that the verdict on this data set chooses, by the results of the scoring step; None if all failed."""
    scores = scores[scores["method"].isin(list(spec.methods))]
    breaker = scores.groupby("method")[TIE_BREAK[spec.task]].mean().dropna().to_dict()
    _, test = cells_and_tests(scores, spec, influences, about)
    choice = choose(test.means, breaker, scored["fit_processor_seconds"], test)
    return None if choice is None else choice.method


def _thresholded(estimator: Any, target: NDArray, threshold: float | None) -> Any:
    """Return the estimator, or a classifier that decides for the rarer of two classes from `threshold` on."""
    if threshold is None:
        return estimator
    classes, codes = np.unique(target, return_inverse=True)
    if len(classes) != 2:
        raise RotastackError(f"model.threshold needs a target of two classes; the target has {len(classes)}")
    positive = classes[positive_class(codes)]
    return FixedThresholdClassifier(estimator, threshold=threshold, pos_label=positive, response_method="predict_proba")


def _out_of_bag(estimator: Any, task: str) -> dict[str, float]:
    """Return the out-of-bag error of a fitted estimator, or else the mean of its single members' errors."""
    score = getattr(estimator, "oob_score_", None)
    if score is not None and np.ndim(score) == 0 and np.isfinite(score):
        return {"oob_error": 1 - float(score)} if task == "classification" else {"oob_r2": float(score)}
    members = getattr(getattr(estimator, "pool_", None), "members", [])
    errors = [m.oob_error for m in members if np.isfinite(m.oob_error)]
    if not errors:
        return {}
    if task == "regression":  # the members have mean squared errors
        errors = [float(np.sqrt(error)) for error in errors]
    return {f"oob_{PRIMARY[task]}{'' if len(members) == 1 else '_of_members'}": float(np.mean(errors))}


def _estimators(spec: RefitSpec, method: MethodSpec, preprocessor: TablePreprocessor, features: Any) -> list[Any]:
    """Return the preprocessor, and last the estimator with the views, combiner and folds of the workflow's method.

    A step between them may convert the table. An estimator that takes tables gets categories and missing values as
    they are, unless it has a view or a combiner that is trained. Other estimators get a dummy for each category, also
    where the study had one fewer: new rows may have new categories.
    """
    pool, combiner = method.pool, method.combiner
    estimator = _member(make_estimator(pool), pool, combiner)
    decision = make(combiner) if isinstance(combiner, CombinerSpec) else None
    voted = combiner.kind in ("vote", "member", "prune") and not getattr(decision, "trained", False)
    as_table = pool.view is None and voted and takes_tables(estimator)
    describe_columns(preprocessor.set_params(encoding="codes" if as_table else "onehot"), features)
    others = np.flatnonzero(preprocessor.categorical_).tolist()
    if as_table:
        frame, estimator = with_categories(estimator, others)
        if isinstance(combiner, PrunerSpec):
            estimator = _pruned(estimator, combiner)
        return [step for step in (preprocessor, frame, estimator) if step is not None]
    if isinstance(combiner, PrunerSpec):
        estimator = _pruned(set_up_columns(estimator, len(preprocessor.numeric_), len(others)), combiner)
    view, n_members = None, 1
    if pool.view is not None:
        n_members = spec.rotations
        view = [("identity", None, 1), ("view", make(pool.view), n_members - 1)]
    if decision is not None and getattr(decision, "over_groups", False):
        decision = decision.set_params(group_size=n_members)
        view, n_members = view and view * spec.rotation_groups, n_members * spec.rotation_groups
    pooled = ENSEMBLES[spec.task](
        view, estimator, decision, n_members, scaling=pool.scaling, categorical_features=others, cv=spec.folds
    )
    return [preprocessor, pooled]


def _member(estimator: Any, pool: PoolSpec, combiner: AnyCombinerSpec) -> Any:
    """Return the estimator, or if it has several outputs, an estimator with the output that the combiner chooses."""
    if not isinstance(combiner, MemberSpec):
        return estimator
    if pool.ensemble_sizes:
        return estimator.set_params(n_estimators=int(combiner.member))
    parameters = {k: v for k, v in estimator.get_params(deep=False).items() if k != "weightings"}
    of_member = import_module(REFITTED["member"]).RegularizedRotationForestClassifier
    return of_member(weighting=combiner.member, **parameters)


def _pruned(estimator: Any, combiner: PrunerSpec) -> Any:
    """Return the ensemble with its pruner."""
    if combiner.first:
        estimator.set_params(n_estimators=combiner.first)
    # A comparison may select members by test rows; here they can only be selected by training rows.
    selection = {"oob": "oob", None: "oob" if draws_bags(estimator) else "train"}
    pruned = import_module(REFITTED["prune"]).PrunedEnsembleClassifier
    return pruned(estimator, make(combiner), selection.get(combiner.selection, "train"))
