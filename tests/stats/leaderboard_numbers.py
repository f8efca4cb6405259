"""Numbers of a leaderboard for fixed tables, as they were computed once: they must not move unseen.

That a page's JavaScript computes what Python does is tested in tests/judge/test_page_statistics.py and tests/browser.

``python -m tests.stats.leaderboard_numbers`` writes them to leaderboard_numbers.json anew.
"""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.stats import (
    average_ranks,
    bootstrap_means,
    bootstrap_ranks,
    critical_difference,
    elo,
    friedman,
    improvability,
    nemenyi,
    wilcoxon_holm,
    win_matrix,
)
from rotastack.stats.missing import complete_block
from rotastack.stats.resamples import resamples

FILE = Path(__file__).with_name("leaderboard_numbers.json")


def tables() -> dict[str, tuple[pd.DataFrame, bool]]:
    """Return tables of scores, each with whether higher is better: hard ones among them."""
    rng = np.random.default_rng(22)

    def table(values):
        values = np.round(values, 12)
        return pd.DataFrame(
            values, [f"d{row}" for row in range(len(values))], [f"m{column}" for column in range(values.shape[1])]
        )

    errors = rng.uniform(0.05, 0.4, (15, 1)) * rng.uniform(0.7, 1.3, (15, 5))
    holes = np.where(rng.random((20, 4)) < 0.15, np.nan, rng.random((20, 4)))
    separated = np.arange(6) / 10 + rng.uniform(0, 0.05, (12, 6))
    return {
        "errors": (table(errors), False),
        "accuracies with ties": (table(rng.integers(5, 10, (14, 4)) / 10), True),
        "methods that always win": (table(separated), False),
        "missing cells": (table(holes), False),
        "two methods": (table(rng.random((6, 2))), False),
        "three data sets": (table(rng.random((3, 3))), True),
        "errors of 0": (table(np.maximum(rng.normal(0, 0.1, (9, 3)), 0)), False),
        "equal methods": (table(np.repeat(rng.random((8, 1)), 3, axis=1)), False),
        "sixty data sets": (table(rng.random((60, 3)) + np.array([0, 0.1, 0.2])), False),
    }


def numbers(scores: pd.DataFrame, higher_is_better: bool) -> dict:
    """Return everything that a leaderboard shows of a table."""
    control, missing = scores.columns[0], "block"
    block = complete_block(scores)
    n, k = block.shape
    try:
        tested = friedman(block, higher_is_better)
        test = {"chi2": tested.chi2, "F": tested.F, "df": list(tested.df), "p": tested.p}
    except RotastackError:
        test = None
    gaps = improvability(scores, higher_is_better, missing=missing)
    return {
        "higher_is_better": higher_is_better,
        "scores": _split(scores),
        "resamples": resamples(n, 3, 5).tolist(),
        "average_ranks": average_ranks(block, higher_is_better).tolist(),
        "bootstrap_ranks": _split(bootstrap_ranks(scores, higher_is_better, missing=missing)),
        "win_matrix": _split(win_matrix(scores, higher_is_better, missing=missing)),
        "win_matrix_pairs": _split(win_matrix(scores, higher_is_better, missing="pairs")),
        "elo": _split(elo(scores, higher_is_better, missing=missing)),
        "elo_anchored": _split(elo(scores, higher_is_better, anchor=control, missing=missing)),
        "elo_pairs": _split(elo(scores, higher_is_better, missing="pairs", n_bootstraps=50, seed=3)),
        "improvability": _split(gaps),
        "mean_improvability": _split(bootstrap_means(gaps)),
        "friedman": test,
        "critical_difference": critical_difference(k, n),
        "nemenyi": _split(nemenyi(block, higher_is_better)),
        "against_control": _split(wilcoxon_holm(block, control, higher_is_better)),
    }


def _split(table: pd.DataFrame) -> dict:
    return {"rows": list(table.index), "columns": list(table.columns), "data": table.to_numpy().tolist()}


def plain(value):
    """Return a value as JSON can hold it: None for NaN, text for infinity."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return None if math.isnan(value) else "Infinity" if math.isinf(value) else value
    return value


def all_numbers() -> dict:
    """Return the numbers of all tables, as JSON holds them."""
    return {name: plain(numbers(*case)) for name, case in tables().items()}


if __name__ == "__main__":
    FILE.write_text(json.dumps(all_numbers(), indent=1, sort_keys=True) + "\n")
