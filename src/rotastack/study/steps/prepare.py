"""prepare: from the raw table to numbers, before any split."""

import pandas as pd

from rotastack.data.loading import columns_by_kind
from rotastack.data.preprocessing import TablePreprocessor, check_target
from rotastack.data.tables import read_raw
from rotastack.errors import RotastackError
from rotastack.study.artifacts import write_frame
from rotastack.study.job import Job


def run(job: Job) -> None:
    """Read input ``raw``, write output ``table``."""
    dataset = job.about["dataset"]
    with job.recorded() as record:
        raw = read_raw(job.input("raw"))
        labels = check_target(raw["target"], dataset)
        features = raw.drop(columns="target")
        kinds = columns_by_kind(list(features.columns), job.spec["kinds"], dataset)
        try:
            preprocessor = TablePreprocessor(kinds).fit(features)
            X = preprocessor.transform(features)
        except RotastackError as error:
            raise RotastackError(f"{dataset}: {error}") from None
        names = preprocessor.get_feature_names_out()
        frame = pd.DataFrame(X, columns=_distinct(list(names)))
        classes = sorted(set(labels))
        frame["target"] = pd.Categorical(labels, categories=classes).codes.astype("int16")
        about = {
            "classes": classes,
            "categorical": [bool(d) for d in preprocessor.dummies_],
            "dropped": preprocessor.dropped_,
        }
        write_frame(job.output("table"), frame, about)
        record.warnings = [f"column {c!r} dropped: {why}" for c, why in preprocessor.dropped_.items()]
        record.metrics = {
            "rows": len(frame),
            "numeric_columns": int((~preprocessor.dummies_).sum()),
            "dummy_columns": int(preprocessor.dummies_.sum()),
            "missing_cells": int(frame.isna().to_numpy().sum()),
            "class_counts": {c: int((labels == c).sum()) for c in classes},
        }


def _distinct(names: list[str]) -> list[str]:
    """Return names of which none is ``target`` and none stands twice."""
    seen = {"target"}
    result = []
    for name in names:
        while name in seen:
            name += "_"
        seen.add(name)
        result.append(name)
    return result
