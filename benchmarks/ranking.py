"""What the programs share that condense a study on a published ranking: its scores, its tests, and numbers as rows of a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from rotastack.base.documents import load_yaml
from rotastack.project import project_file
from rotastack.stats.bayesian import bayesian_table
from rotastack.stats.friedman import friedman
from rotastack.stats.resamples import bootstrap_ranks
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.workflow.judge.results import mean_scores
from rotastack.workflow.study.published_tables import published_paths, scores_of

DATA = Path(__file__).resolve().parents[1] / "docs/evidence/data"
CONTROL = "Rotastack"


def study_of(name: str) -> dict[str, Any]:
    """Return a study of the project as a mapping."""
    return load_yaml(project_file(f"config/studies/{name}.yaml"))


def scores_beside(folder: Path, study: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the scores of a study in `folder`, and the published ones; data sets have the source's names."""
    evaluation = study["evaluation"]
    score = evaluation.get("score", "error")
    names = {entry["name"]: entry["mirror"] for entry in study["datasets"]}
    cells = pd.read_parquet(folder / "scores.parquet")
    ours = mean_scores(cells, score, list(study["methods"]), evaluation.get("average", "mean")).rename(index=names)
    table, remarks = published_paths(study["name"])
    printed = pd.DataFrame(scores_of(table, score, load_yaml(remarks))).astype({"value": float})
    theirs = printed.pivot(index="dataset", columns="method", values="value").reindex(ours.index)
    return ours, theirs


def with_means(theirs: pd.DataFrame) -> pd.DataFrame:
    """Return published scores, with the mean of the other methods on a data set where a method failed."""
    return theirs.T.fillna(theirs.mean(axis=1)).T


def ranks_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return each method's average rank with its interval."""
    return bootstrap_ranks(table, True).rename(columns={"average_rank": "rank"})


def tests_of(table: pd.DataFrame, rivals: Sequence[str], rope: float) -> pd.DataFrame:
    """Return the tests of the control against rivals; a difference of at most `rope` has no practical importance."""
    among = table[[CONTROL, *rivals]]
    return wilcoxon_holm(among, CONTROL, True).join(bayesian_table(among, CONTROL, True, rope))


def friedman_of(table: pd.DataFrame) -> dict[str, float]:
    """Return the test of all methods."""
    found = friedman(table, True)
    return {
        "chi2": found.chi2,
        "F": found.F,
        "df_1": found.df[0],
        "df_2": found.df[1],
        "p": found.p,
        "methods": table.shape[1],
    }


def hours_of(folder: Path) -> pd.DataFrame:
    """Return the processor hours of each method, for training and predicting."""
    times = pd.read_csv(folder / "tables/times.csv")
    splits = pd.read_parquet(folder / "scores.parquet").groupby("dataset")["split"].nunique()
    seconds = times[["fit_seconds", "predict_seconds"]].sum(axis=1) * times["dataset"].map(splits)
    return (seconds.groupby(times["method"]).sum() / 3600).to_frame("hours")


def _few_valued(facts: Mapping[str, Any]) -> float:
    """Return the share of columns that are categories, or numbers of few values; dates do not count."""
    return float(facts["few_valued_columns"] / max(1, facts["numeric_columns"] + facts["categorical_columns"]))


KINDS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "fewer than 200 rows": lambda f: f["rows"] < 200,
    "200 to 999 rows": lambda f: 200 <= f["rows"] < 1000,
    "1,000 to 4,999 rows": lambda f: 1000 <= f["rows"] < 5000,
    "5,000 rows and more": lambda f: f["rows"] >= 5000,
    "two classes": lambda f: len(f.get("class_counts", ())) == 2,
    "3 to 9 classes": lambda f: 3 <= len(f.get("class_counts", ())) < 10,
    "10 classes and more": lambda f: len(f.get("class_counts", ())) >= 10,
    "most columns are categories, or numbers of few values": lambda f: _few_valued(f) > 0.5,
    "fewer columns are": lambda f: 0 < _few_valued(f) <= 0.5,
    "no column is": lambda f: _few_valued(f) == 0,
}
"""Kind of data sets -> check of a data set's facts from its preparation; "few values" are fewer than ten."""


def kinds_of(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return kind -> its data sets, by rows, classes and categories, without kinds of all data sets or none."""
    found = {kind: [d for d, f in facts.items() if belongs(f)] for kind, belongs in KINDS.items()}
    return {kind: of for kind, of in found.items() if 0 < len(of) < len(facts)}


class Numbers:
    """Numbers as rows of a file: a ``table``, its data sets (``over``), the ``method``, the ``dataset``, ``name`` and ``value``."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(
        self, of: str, over: str, found: pd.DataFrame, index: str = "method", columns: str = "name", **more: Any
    ) -> None:
        """Add a frame, one row for each of its cells."""
        long = found.rename_axis(index=index, columns=columns).stack().rename("value").reset_index()
        self.rows.extend({"table": of, "over": over, **row, **more} for row in long.to_dict("records"))

    def add_facts(self, of: str, over: str, facts: dict[str, float], **more: Any) -> None:
        """Add numbers that belong to no method and no data set."""
        self.add(of, over, pd.DataFrame({"": facts}).T, **more)

    def add_best(self, theirs: pd.DataFrame) -> None:
        """Add the best published method of each data set, and its score."""
        self.rows += [
            {
                "table": "best_of_set",
                "over": "all",
                "method": m,
                "dataset": d,
                "name": "best",
                "value": theirs.loc[d, m],
            }
            for d, m in theirs.idxmax(axis=1).items()
        ]

    def write(self, path: Path) -> None:
        """Write the file."""
        found = pd.DataFrame(self.rows).astype({"value": float}).fillna({"method": "", "dataset": ""})
        found.to_parquet(path, index=False, compression="zstd")
        print(f"{path.name}: {len(found)} numbers, {path.stat().st_size} bytes")
