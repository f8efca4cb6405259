"""prepare: turn a raw table into numbers and categories, before any split."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rotastack.base.preprocessing import TablePreprocessor, describe_columns
from rotastack.data.artifacts import Prepared, write_frame
from rotastack.data.divisions import READ, division_numbers, series_column
from rotastack.data.loading import columns_by_kind
from rotastack.data.raw import read_raw
from rotastack.data.suspicions import OPTIONS, suspicions
from rotastack.data.target import check_target
from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import PrepareSpec


class PreparedTable(NamedTuple):
    """A prepared table, the facts that stand in its file, and those of its record."""

    frame: pd.DataFrame
    about: dict[str, Any]
    metrics: dict[str, Any]
    warnings: list[str]

    @property
    def data(self) -> Prepared:
        """The table in the form that the next steps read from its file."""
        return Prepared(self.frame, self.about)


def prepare(spec: PrepareSpec, raw: pd.DataFrame, options: Mapping[str, str] = OPTIONS) -> PreparedTable:
    """Return a raw table as numbers and categories, and its free text as it is; `options` are those of :func:`suspicions`."""
    dataset, task = spec.dataset, spec.task
    target = check_target(raw["target"], dataset, task)
    if spec.smallest_class:
        kept = target.groupby(target).transform("size") >= spec.smallest_class
        if target[kept].nunique() < 2:
            raise RotastackError(f"{dataset}: smallest_class: fewer than 2 classes have {spec.smallest_class} rows")
        raw, target = (part[kept].reset_index(drop=True) for part in (raw, target))
    features = raw.drop(columns="target")
    divided_by = {k: c for k, c in spec.divided_by.items() if k in ("groups", *READ, "split 1") or c in features}
    unread = [c for key, c in divided_by.items() if key not in READ]
    kinds = columns_by_kind(list(features.columns), spec.kinds, dataset) | dict.fromkeys(unread, "id")
    dividing = {key: division_numbers(features, column, key, dataset) for key, column in divided_by.items()}
    if task == "regression" and divided_by.keys() == {"time"}:
        series = series_column(features.drop(columns=divided_by["time"]), dividing["time"])
        if series is not None:
            divided_by["series"], dividing["series"] = series, division_numbers(features, series, "series", dataset)
    try:
        preprocessor = describe_columns(TablePreprocessor(kinds, encoding="codes"), features)
        texts, preprocessor.texts_ = preprocessor.texts_, {}  # each training set finds its own words
        X = preprocessor.transform(features)
    except RotastackError as error:
        raise RotastackError(f"{dataset}: {error}") from None
    names = list(preprocessor.get_feature_names_out())
    n_numeric, n_noise = len(preprocessor.numeric_), spec.noise_columns
    columns: dict[str, Any] = {f"numeric {k}": X[:, k] for k in range(n_numeric)}
    if n_noise:
        rng = np.random.default_rng(child(root_sequence(spec.seed), "noise", dataset))
        noise = rng.standard_normal((len(X), n_noise))
        columns |= {f"noise {k}": noise[:, k] for k in range(n_noise)}
        names[n_numeric:n_numeric] = [f"noise {k + 1}" for k in range(n_noise)]
    for k, categories in enumerate(preprocessor.categories_.values()):
        codes = np.nan_to_num(X[:, n_numeric + k]).astype(np.intp)  # a missing value becomes the first category
        columns[f"category {k}"] = pd.Categorical.from_codes(codes, categories)
    columns |= {f"text {k}": features[c].where(features[c].notna()).astype("str") for k, c in enumerate(texts)}
    names += map(str, texts)
    dividing_names = {key: f"rows by {key}" for key in dividing}
    frame = pd.DataFrame(columns).set_axis(_distinct(names, {"target", *dividing_names.values()}), axis=1)
    for key, numbers in dividing.items():
        frame[dividing_names[key]] = numbers
    frame["target"], classes, facts = _target(target, task)
    of_texts = zip(frame.columns[len(names) - len(texts) :], texts.values(), strict=False)
    about = {
        "task": task,
        "classes": classes,
        "dropped": preprocessor.dropped_,
        **({"texts": {name: text.n_components for name, text in of_texts}} if texts else {}),
        **({"divided_by": dividing_names} if dividing_names else {}),
        **({"series": divided_by["series"]} if "series" in divided_by else {}),
        **({"encoding": spec.encoding} if spec.encoding != "dummies" else {}),
    }
    if spec.is_own:
        dividing_keys = divided_by | ({"copies_together": "copies_together"} if spec.copies_together else {})
        facts["suspicions"] = suspicions(features, target, task, preprocessor.kinds_, dividing_keys, options)
    # Numeric columns with few values would be categories by default.
    values = (len(np.unique(column[~np.isnan(column)])) for column in X[:, : len(preprocessor.numbers_)].T)
    n_few = sum(n < preprocessor.min_distinct for n in values)
    n_numbers, n_categorical = len(preprocessor.numbers_), len(preprocessor.categories_)
    of_dates = [len(parts) for parts in preprocessor.dates_.values()]
    metrics = {
        "rows": len(frame),
        "numeric_columns": n_numbers + n_noise,
        "date_columns": len(of_dates),
        "date_numbers": sum(of_dates),
        "categorical_columns": n_categorical,
        "few_valued_columns": n_categorical + n_few,
        "missing_cells": _missing(X, [*[1] * n_numbers, *of_dates, *[1] * n_categorical])
        + int(features[[*texts]].isna().sum().sum()),
        **({"text_columns": [*map(str, texts)]} if texts else {}),
        **facts,
    }
    if n_noise:  # an upper bound of the signal-to-noise ratio (thesis, table 2.4)
        n_signal = n_numeric + sum(len(c) - 1 for c in preprocessor.categories_.values())
        metrics |= {"noise_columns": n_noise, "snr_db": round(10 * np.log10(n_signal / n_noise), 2)}
    dropped = [f"column {c!r} dropped: {why}" for c, why in preprocessor.dropped_in_words().items() if c not in unread]
    return PreparedTable(frame, about, metrics, [*raw.attrs.get("notes", []), *dropped])


def run(job: Job) -> None:
    """Read input ``raw``, write output ``table``."""
    spec = job.spec(PrepareSpec)
    with job.recorded() as record:
        made = prepare(spec, read_raw(job.input("raw")))
        write_frame(job.output("table"), made.frame, made.about)
        record.metrics, record.warnings = made.metrics, made.warnings


def _missing(X: NDArray[np.float64], widths: list[int]) -> int:
    """Return the number of missing raw cells; a raw column became `widths` columns of `X`, and counts once."""
    first = np.cumsum([0, *widths])[:-1]
    return int(np.isnan(X[:, first]).sum())


def _target(target: pd.Series, task: str) -> tuple[Any, list[str], dict[str, Any]]:
    """Return the target column, the classes if there are any, and facts for the record."""
    if task == "regression":
        facts = {"mean": target.mean(), "sd": target.std(), "least": target.min(), "most": target.max()}
        return target.to_numpy(), [], {"target": {name: float(value) for name, value in facts.items()}}
    classes = sorted(set(target))
    codes = pd.Categorical(target, categories=classes).codes
    return (
        codes.astype(np.promote_types(codes.dtype, np.int16)),
        classes,
        {"class_counts": {c: int((target == c).sum()) for c in classes}},
    )


def _distinct(names: list[str], seen: set[str]) -> list[str]:
    """Return the names, with underscores added until they differ from each other and from `seen`."""
    result = []
    for name in names:
        while name in seen:
            name += "_"
        seen.add(name)
        result.append(name)
    return result
