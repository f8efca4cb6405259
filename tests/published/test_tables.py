"""The tables of the thesis in config/published agree with themselves and with each other."""

from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import rankdata

from rotastack.data.registry import registry

PUBLISHED = Path(__file__).parents[2] / "config" / "published"
COLUMNS = ["table", "dataset", "method", "metric", "value", "repeats", "note"]
CONTENTS = {  # file: its tables, its metrics, its numbers of rows and of repeats
    "rotation_weights": ("2.2 2.3", "error median_nodes", 160, 100),
    "rotation_noise": ("2.4 2.5", "error", 192, 25),
    "multi_rotation": ("3.1 3.1b", "wins ties median_nodes size_ratio", 96, 100),
    "iris_sensitivity": ("1.3 1.4 1.5", "error wins ties", 128, 10000),
    "rotation_scaling": ("1.2 1.6", "rank error", 857, 25),
    "drmf": ("text", "rank critical_difference", 6, 1),
    "qmm": ("4 5 6 7 8 9 10 11 text", "rank pruning_rate error members paper_diversity", 1004, 1),
    "exrm_members": ("3", "error", 18, 10),
    "exrm": ("1 2", "error error_sd rank seconds", 260, 10),
    "dimension_reduction": (
        "6.2.1 6.2.2 6.2.3 text",
        "error error_sd improvement rank better_than_plain F F_critical p_below p_above critical_difference",
        886,
        10,
    ),
}


def read(name):
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype={"table": str, "note": str})


def values(name, metric):
    """One row per data set, one column per method."""
    return read(name).query("metric == @metric").pivot(index="dataset", columns="method", values="value")


@pytest.mark.parametrize("name", CONTENTS)
def test_form(name):
    tables, metrics, rows, repeats = CONTENTS[name]
    raw, table = (PUBLISHED / f"{name}.csv").read_bytes(), read(name)
    columns = [*COLUMNS, "against"] if "wins" in metrics else COLUMNS
    assert raw.startswith(",".join(columns).encode() + b"\n")
    assert len(table) == rows
    for column, known in {"table": tables.split(), "metric": metrics.split(), "repeats": [repeats]}.items():
        assert set(table[column]) == set(known)
    if name in ("rotation_weights", "multi_rotation", "iris_sensitivity", "rotation_scaling", "dimension_reduction"):
        assert set(table["dataset"]) - set(registry()) <= {"all", "ecoli-5"}
    assert not table.duplicated(["table", "dataset", "method", "metric"]).any()
    assert not table[COLUMNS].drop(columns="note").isna().any(axis=None)
    assert table.loc[table["metric"].isin(["error", "wins", "ties"]), "value"].between(0, 1).all()


def broken_ties(error, rank):
    """Return data set -> methods whose printed rank is not the least of their tie; other ranks never contradict errors.

    Errors that are equal in four decimals may differ in the ranks, and in nothing else.
    """
    found = {}
    for dataset, row in error.iterrows():
        printed, lowest = rank.loc[dataset].to_numpy(), rankdata(row, "min")
        assert (lowest <= printed).all()
        assert (printed <= rankdata(row, "max")).all()
        found[dataset] = int((lowest != printed).sum())
    return {dataset: n for dataset, n in found.items() if n}


def test_errors_reproduce_ranks():
    error, rank = values("rotation_scaling", "error").dropna(), values("rotation_scaling", "rank")
    assert len(error) == 26
    assert set(broken_ties(error, rank)) == {"ionosphere", "led24", "nursery"}


def test_errors_of_exrm_reproduce_ranks_and_ranks_their_averages():
    error, rank = values("exrm", "error"), values("exrm", "rank")
    assert error.shape == (8, 10)
    average = rank.loc["all"]
    rank = rank.drop(index="all")
    assert (rank.mean() - average).abs().max() <= 0.05 + 1e-12
    assert broken_ties(error, rank) == {"sonar": 1, "heart-numeric": 3}
    assert set(average.index[average < 5]) == {"L2-ExRM30", "L2-ExRM10", "DRM10", "L1-ExRM10", "L1-ExRM30"}
