"""prepare: from the raw table to numbers, before any split."""

import numpy as np
import pandas as pd

from rotastack.data.loading import columns_by_kind
from rotastack.data.preprocessing import TablePreprocessor, check_target
from rotastack.data.tables import read_raw
from rotastack.errors import RotastackError
from rotastack.seeds import child, root_sequence
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
        names, dummies = list(preprocessor.get_feature_names_out()), preprocessor.dummies_
        n_noise = job.spec.get("noise_columns", 0)
        if n_noise:
            first = int((~dummies).sum())
            rng = np.random.default_rng(child(root_sequence(job.spec["seed"]), "noise", dataset))
            X = np.insert(X, [first] * n_noise, rng.standard_normal((len(X), n_noise)), axis=1)
            names[first:first] = [f"noise {k + 1}" for k in range(n_noise)]
            dummies = np.insert(dummies, [first] * n_noise, False)
        frame = pd.DataFrame(X, columns=_distinct(names))
        classes = sorted(set(labels))
        frame["target"] = pd.Categorical(labels, categories=classes).codes.astype("int16")
        about = {
            "classes": classes,
            "categorical": [bool(d) for d in dummies],
            "dropped": preprocessor.dropped_,
            "owners": [str(c) for c, levels in preprocessor.categories_.items() for _ in levels[1:]],
        }
        write_frame(job.output("table"), frame, about)
        record.warnings = [f"column {c!r} dropped: {why}" for c, why in preprocessor.dropped_.items()]
        record.metrics = {
            "rows": len(frame),
            "numeric_columns": int((~dummies).sum()),
            "dummy_columns": int(dummies.sum()),
            "missing_cells": int(frame.isna().to_numpy().sum()),
            "class_counts": {c: int((labels == c).sum()) for c in classes},
        }
        if n_noise:  # an upper bound of the signal-to-noise ratio (thesis, table 2.4)
            record.metrics["noise_columns"] = n_noise
            record.metrics["snr_db"] = round(10 * np.log10((len(names) - n_noise) / n_noise), 2)


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
