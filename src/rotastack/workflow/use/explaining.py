"""Explain a saved model by the columns of its raw table: their importances and partial dependence."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import rankdata, ttest_1samp
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import r_regression
from sklearn.model_selection import FixedThresholdClassifier, GroupShuffleSplit, train_test_split
from sklearn.pipeline import Pipeline

from rotastack.base.categories import category_numbers
from rotastack.base.columns import date_numbers, numbers_of
from rotastack.base.outputs import positive_class
from rotastack.base.traits import TaskName, Traits
from rotastack.data.copies import copies_of
from rotastack.data.divisions import division_numbers, united
from rotastack.data.raw import read_raw
from rotastack.data.target import check_target, typed_labels
from rotastack.ensembles.flagship.importances import encoded_once, permutation_importances, sampled_rows, scored
from rotastack.errors import RotastackError
from rotastack.files import read_json
from rotastack.stats.metrics import DECIDED, NAMES, higher_is_better, score_named
from rotastack.stats.scores import score_numbers, score_probabilities
from rotastack.stats.wilcoxon import holm
from rotastack.workflow.judge.words import listed
from rotastack.workflow.study.costs import (
    MOST_ROWS,
    N_REPEATS,
    N_SHOWN,
    N_VALUES,
    PREDICTED_ROWS,
    USUAL_COST,
    Cost,
    cost_of,
)
from rotastack.workflow.tracking.model_files import estimator_of
from rotastack.workflow.use.explanation import families_of, in_words
from rotastack.workflow.use.saved_model import saved_model

SEED = 0
TOGETHER = 0.5  # rank correlation from which columns are shuffled together
SPANS = 6  # spans of the test rows' time; with more of them errors in neighbouring spans go together
N_CATEGORIES = 12  # values of any other column
_SHOWN = {"error": "accuracy", "rmse": "R²", "pinball": "R²"}
"""Score -> the score that is shown instead, of which higher is better."""


Split = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Training rows and test rows."""


def explain(
    pipeline: Any, features: pd.DataFrame, target: NDArray, score: str, divided_by: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the explanation of a study's model on the raw table that it was trained on, as a mapping for JSON.

    The importance of a column is the loss of the score if the column is shuffled: of accuracy for the error, of R² for
    RMSE and pinball loss. Correlated columns are shuffled :func:`together`. Of more than 1000 rows a sample counts, in which rare classes keep their rows: scores are
    weighted to the original shares of the classes, tests are not. If the study divides rows by columns (`divided_by`),
    the model is judged on other groups, on the last third of the time, or on the test rows of a given split.
    """
    reader, model = pipeline.named_steps["table"], estimator_of(pipeline)
    split, units = _divided(features, divided_by or {}, copies_of(features, reader.kinds_))
    features = features[reader.needed_]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers = np.asarray(pipeline[:1].transform(features))
        held, test, weights = _held_out(pipeline, numbers, target, split, units)
        scorer = _scorer(pipeline, score, target)
        columns = dict(zip(features.columns, reader.parts_, strict=True))
        cost, n_members = _cost(model)
        most, n_drawn, _ = cost.explanation(n_members, *numbers.shape)
        shuffled, chosen_by = _shuffled_columns(model, numbers, columns, target, most)
        sets = together(numbers, {c: columns[c] for c in shuffled})
        parts = [np.concatenate([columns[c] for c in own]) for own in sets]
        answers, constant = target[test], (DummyRegressor() if is_regressor(pipeline) else DummyClassifier())
        tested, new, tested_parts = encoded_once(held, numbers[test], parts)
        scores = [
            scorer(judged, new, answers, weights)
            for judged in (tested, constant.fit(new, answers, sample_weight=weights))
        ]
        how, rows, found = _out_of_bag(model, numbers, target, scorer, parts, split) or (
            "held out",
            test,
            permutation_importances(
                new,
                lambda table: scorer(tested, table, answers, weights),
                tested_parts,
                N_REPEATS,
                np.random.default_rng(SEED),
                weights,
            ),
        )
        p, n_units = _p_values(tested, new, answers, tested_parts, units[test], len(columns))
        order = np.argsort(-found.importances_mean, kind="stable")
        importances = [
            {
                "column": listed([*map(str, sets[j])], 5) + " together" * (len(sets[j]) > 1),
                "columns": len(sets[j]),
                "loss": float(found.importances_mean[j]),
                "sd": float(found.importances_std[j]),
                "p": p[j],
            }
            for j in order
        ]
        mattering = [sets[j] for j in order if found.importances_mean[j] > 0 and scores[0] > scores[1]]
        top = [column for own in mattering for column in own if column not in reader.texts_]
        dependence = [_dependence(pipeline, features, target, column) for column in top[:n_drawn]]
    sign = _sign(score)
    content = {
        "how": how,
        "rows": len(rows),
        "scoring": _SHOWN.get(score, NAMES[score]),
        "task": "regression" if is_regressor(pipeline) else "classification",
        "score": sign * float(found.score),
        "importances": importances,
        "families": families_of(model),
        "dependence": dependence,
        "chosen_by": chosen_by,
        "tested": {"columns": len(columns), "rows": len(test), "units": n_units, "scores": [sign * s for s in scores]},
    }
    return {**content, "words": in_words(content, sign)}


def _cost(model: Any) -> tuple[Cost, int]:
    """Return the cost and the number of members of a model, or of its estimator if the cost of the model's class is unknown."""
    traits, inner = getattr(model, "study_traits", Traits()), getattr(model, "estimator", None)
    counts = [getattr(model, name, None) for name in traits.trees or ("n_estimators",)]
    cost, n_members = cost_of(f"{type(model).__module__}.{type(model).__qualname__}"), traits.families or 1
    if cost is None and isinstance(inner, BaseEstimator):
        cost, n_members = _cost(inner)
    return cost or USUAL_COST, n_members * prod(n for n in counts if isinstance(n, int))


def _shuffled_columns(
    model: Any, numbers: NDArray, parts: Mapping[Any, NDArray[np.intp]], target: NDArray, most: int
) -> tuple[list[Any], str]:
    """Return the columns to shuffle, at most `most`, and words on their choice; no words if all are shuffled."""
    if len(parts) <= most:
        return list(parts), ""
    shares, words = np.asarray(getattr(model, "feature_importances_", ())), "the largest share in the model"
    if shares.shape == numbers.shape[1:]:
        strongest = {column: np.sum(shares[own]) for column, own in parts.items()}
    else:
        words = "the highest correlation to the target"
        filled = np.where(np.isnan(numbers), np.nan_to_num(np.nanmean(numbers, axis=0)), numbers)
        answers = [target] if is_regressor(model) else [(target == name).astype(float) for name in np.unique(target)]
        strength = np.max([np.abs(r_regression(filled, y)) for y in answers], axis=0)
        strongest = {column: strength[own].max() for column, own in parts.items()}
    kept = set(sorted(parts, key=lambda column: -strongest[column])[:most])
    return [column for column in parts if column in kept], words


def together(numbers: NDArray, parts: Mapping[Any, NDArray[np.intp]]) -> list[list[Any]]:
    """Return sets of columns that are shuffled together, from the encoded rows and the encoded `parts` of each column.

    One of several columns that correlate, shuffled alone, would make rows that the data do not have, and errors of the
    model there say nothing of the column. So all pairs of columns in a set have a rank correlation of `TOGETHER` or more,
    that of their most similar parts (complete linkage).
    """
    if len(parts) < 2:
        return [[column] for column in parts]
    order = np.concatenate([*parts.values()])
    ranks = rankdata(numbers[:, order], axis=0, nan_policy="omit")
    with np.errstate(invalid="ignore", divide="ignore"):  # of constant columns
        similar = np.abs(np.nan_to_num(np.corrcoef(np.nan_to_num(ranks - np.nanmean(ranks, axis=0)), rowvar=False)))
    edges = np.cumsum([0, *map(len, parts.values())])[:-1]
    for axis in (0, 1):
        similar = np.maximum.reduceat(similar, edges, axis=axis)
    distances = 1 - similar[np.triu_indices(len(parts), 1)]
    of_set = fcluster(linkage(distances, "complete"), 1 - TOGETHER, "distance")
    return [[c for c, k in zip(parts, of_set, strict=True) if k == mine] for mine in dict.fromkeys(of_set)]


def explain_saved(
    path: Path, raw: Path, study: str, dataset: str, score: str | None = None, trusted: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the explanation of the model in a study's file, with the names of study, data set and method."""
    pipeline = saved_model(path, f"{study}/{dataset}", trusted).pipeline
    if not raw.is_file():
        raise RotastackError(f"{raw}: the training table of the model is missing; run the study again")
    table = read_raw(raw)
    task: TaskName = "regression" if is_regressor(pipeline) else "classification"
    refit = read_json(path.with_name("refit.run.json"))
    try:
        score = score_named(score or refit["parameters"]["score"], task)
    except ValueError as error:
        raise RotastackError(f"--score: {error}") from None
    names = {"study": study, "dataset": dataset, "method": refit["metrics"]["method"]}
    divided_by = refit["parameters"].get("divided_by")
    y = table["target"]
    labels = check_target(y, dataset, task).to_numpy() if task == "regression" else typed_labels(y)
    return {**names, **explain(pipeline, table.drop(columns="target"), labels, score, divided_by=divided_by)}


def _sign(score: str) -> int:
    """Return 1 if the score that is shown for `score` is better when higher, else -1."""
    return 1 if score in _SHOWN or higher_is_better(score) else -1


def _scorer(pipeline: Any, score: str, target: NDArray) -> Callable[..., float]:
    """Return a scorer of fitted estimators in the form of scikit-learn's: called with (model, X, y, sample_weight), higher is better.

    The model's threshold applies to the decisions for error, balanced accuracy and F1, not to scores of probabilities.
    """
    classes, codes = np.unique(target, return_inverse=True)
    positive = positive_class(codes)
    threshold = pipeline[-1].threshold if isinstance(pipeline[-1], FixedThresholdClassifier) else None

    def scorer(model: Any, X: Any, y: NDArray, sample_weight: NDArray[np.float64] | None = None) -> float:
        if is_regressor(pipeline):
            predicted = np.asarray(model.predict(X), dtype=float)
            found = score_numbers(y, np.stack([predicted, predicted, predicted], axis=1))
        else:
            shares = _probabilities(model, X, classes)
            if threshold is not None and score in DECIDED:
                shares = np.eye(2)[np.where(shares[:, positive] >= threshold, positive, 1 - positive)]
            found = score_probabilities(np.searchsorted(classes, y), shares, positive, sample_weight)
        if score in _SHOWN:
            return 1 - found["error"] if score == "error" else found["r2"]
        return _sign(score) * found[score]

    return scorer


def _probabilities(model: Any, X: Any, classes: NDArray) -> NDArray:
    """Return probabilities (n, classes); those of a model without any are 0 and 1."""
    if not hasattr(model, "predict_proba"):
        return (np.asarray(model.predict(X))[:, None] == classes).astype(float)
    found = np.zeros((len(X), len(classes)))  # a class may be without training rows, or without test rows
    known = np.isin(model.classes_, classes)
    found[:, np.isin(classes, model.classes_)] = np.asarray(model.predict_proba(X), dtype=float)[:, known]
    return found


def _divided(
    features: pd.DataFrame, divided_by: Mapping[str, str], copies: NDArray[np.intp] | None
) -> tuple[Split | None, NDArray[np.intp]]:
    """Return training and test rows, if not at random, and the number of the group of each row.

    The rows are divided by a study's groups, time or first given split, or by their copies. Errors in rows of a group
    may go together; a group is also a row with its copies, or a span of the test rows' time.
    """
    units = np.arange(len(features)) if copies is None else copies
    for key, column in divided_by.items():
        numbers = division_numbers(features, column, key, "explain")
        if key.startswith("split"):
            test = numbers == numbers.max()
            return (np.flatnonzero((numbers >= -1) & ~test), np.flatnonzero(test)), units
        if key == "time":
            late = numbers >= np.quantile(numbers, 2 / 3)
            first, end = numbers[late].min(), numbers.max() + 1
            return (np.flatnonzero(~late), np.flatnonzero(late)), SPANS * (numbers - first) // (end - first)
        copies = units = united(numbers, units)
    if copies is None:
        return None, units
    splitter = GroupShuffleSplit(1, test_size=1 / 3, random_state=SEED)
    return next(splitter.split(features, groups=copies)), units


def _held_out(
    pipeline: Any, numbers: NDArray, target: NDArray, split: Split | None, units: NDArray[np.intp]
) -> tuple[Any, NDArray[np.intp], NDArray[np.float64] | None]:
    """Return the method trained again on the `split`'s training rows, or on two thirds of the rows; test rows and weights.

    The rows are `numbers`, by the model's own reader: one that is fitted to fewer rows may lack the column of a rare category.
    """
    counts = np.unique(target, return_counts=True)[1]
    by_class = not is_regressor(pipeline) and counts.min() > 2
    train, test = split or train_test_split(
        np.arange(len(numbers)), test_size=1 / 3, random_state=SEED, stratify=target if by_class else None
    )
    (name, last), model = pipeline.steps[-1], estimator_of(pipeline)
    plain = Pipeline([*pipeline.steps[1:-1], (name, last if last is model else last.estimator)])
    groups = {f"{name}__groups": units[train]} if hasattr(model, "n_groups_") else {}
    refitted = clone(plain).fit(numbers[train], target[train], **groups)
    rng = np.random.default_rng(SEED)
    draw: Any = partial(rng.choice, replace=False) if split is not None else lambda places, n: places[:n]
    labels = np.zeros(len(test)) if is_regressor(pipeline) else target[test]
    return refitted if len(refitted) > 1 else refitted[0], *sampled_rows(test, labels, MOST_ROWS, draw)


def _out_of_bag(
    model: Any,
    numbers: NDArray,
    target: NDArray,
    scorer: Callable[..., float],
    parts: Sequence[NDArray[np.intp]],
    split: Split | None,
) -> tuple[str, NDArray[np.intp], Any] | None:
    """Return "out of bag", the rows and the importances there; None if there are none, or if a `split` divides the rows.

    A model remembers its training rows, so the method that was trained again is judged then. The bags of a model that was
    fitted with groups hold out whole groups already.
    """
    if not hasattr(model, "out_of_bag_scorer") or not (split is None or hasattr(model, "n_groups_")):
        return None
    try:
        rows, weights, answer = model._out_of_bag_answer(target, MOST_ROWS, SEED)
    except ValueError:
        return None  # the bags of weighted rows are unknown
    _, table, own = encoded_once(model, numbers[rows], parts)

    def score(table: NDArray) -> float:
        return scored(model, scorer, model._answers(answer(table)), target[rows], weights)

    found = permutation_importances(table, score, own, N_REPEATS, np.random.default_rng(SEED), weights)
    return "out of bag", rows, found


def _p_values(
    held: Any, numbers: NDArray, target: NDArray, parts: Sequence[NDArray], units: NDArray[np.intp], n_columns: int
) -> tuple[list[float], int]:
    """Return for each set of columns the p-value of a rise of the test rows' errors, and the number of groups of rows.

    The error of a row is absolute: of the prediction, or of the probability of the row's class. Rises are means over
    the shufflings, and sums over a group. A one-sided t test is followed by Holm's correction for all columns. Rows out
    of bag would not do, because the families' weights were fitted to them.
    """
    classes, codes = np.unique(target, return_inverse=True)

    def score(table: NDArray) -> NDArray:
        if is_regressor(held):
            return -np.abs(target - np.ravel(held.predict(table)))
        return _probabilities(held, table, classes)[np.arange(len(table)), codes]

    rises = permutation_importances(numbers, score, parts, N_REPEATS, np.random.default_rng(SEED)).importances_mean
    sums = pd.DataFrame(rises.T).groupby(units).sum().to_numpy()
    found = np.ones(n_columns)  # 1 also for a column without effect on any row
    found[: len(parts)] = np.nan_to_num(ttest_1samp(sums, 0, alternative="greater").pvalue, nan=1.0)
    return holm(pd.Series(found)).tolist()[: len(parts)], len(sums)


def _dependence(pipeline: Any, features: pd.DataFrame, target: NDArray, column: str) -> dict[str, Any]:
    """Return the partial dependence on a column: for each of several values, the mean prediction if all rows have the value."""
    values, ordered = _values(features[column], pipeline.named_steps["table"])
    given = (
        pd.to_timedelta(values, unit="D") if features[column].dtype.kind == "m" else values
    )  # a number is no duration
    sample = features.sample(min(PREDICTED_ROWS, len(features)), random_state=SEED)
    table = pd.concat([pd.DataFrame({**dict(sample.items()), column: value}) for value in given], ignore_index=True)
    if is_regressor(pipeline):
        outputs = {"prediction": pipeline.predict(table)}
    else:
        shares = _probabilities(pipeline, table, pipeline.classes_)
        counts = pd.Series(target).value_counts()
        common = sorted(range(len(pipeline.classes_)), key=lambda k: -counts.get(pipeline.classes_[k], 0))
        shown = common[1:] if len(common) == 2 else common[:N_SHOWN]  # of two classes, the rarer one
        outputs = {str(pipeline.classes_[k]): shares[:, k] for k in shown}
    curves = {
        name: np.asarray(found, dtype=float).reshape(len(values), -1).mean(axis=1).tolist()
        for name, found in outputs.items()
    }
    return {
        "column": column,
        "ordered": ordered,
        "values": [str(v).removesuffix(" 00:00:00") if isinstance(v, pd.Timestamp | pd.Period) else v for v in values],
        "curves": curves,
    }


def _values(column: pd.Series, reader: Any) -> tuple[list[Any], bool]:
    """Return the values of a column for its partial dependence, and whether these are numbers on an axis."""
    order = reader.orders_.get(column.name, [])
    if column.name in reader.numbers_ and not order:
        numbers = numbers_of(column)
        grid = np.nanquantile(numbers, np.linspace(0.02, 0.98, N_VALUES))
        return np.unique(grid if (numbers % 1 > 0).any() else grid.round()).tolist(), True
    found = column.value_counts().loc[lambda counts: counts > 0].index.to_series()  # no category without rows
    if order or column.name in reader.dates_:
        places = category_numbers(found, order) if order else date_numbers(found, ["days"])[:, 0]
        found = found.iloc[np.argsort(places)[: (places < (len(order) or np.inf)).sum()]]
        found = found.iloc[np.unique(np.linspace(0, len(found) - 1, N_CATEGORIES).round().astype(int))]
    return [v.item() if hasattr(v, "item") else v for v in found[:N_CATEGORIES]], False
