"""Simulate type I errors of tests, and the coverage of intervals.

``python benchmarks/type_one_errors.py`` prints the tables of docs/understand/statistics.md (some minutes).
"""

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2, ttest_1samp
from scipy.stats import f as f_distribution

from rotastack import stats
from rotastack.stats.wilcoxon import holm

ALPHA = 0.05


def equal_methods(n: int, k: int, rng: np.random.Generator, decimals: int | None = None) -> pd.DataFrame:
    """Return errors of equal methods: a level for each data set, and noise in proportion to the level."""
    errors = rng.uniform(0.05, 0.4, (n, 1)) * rng.lognormal(0, 0.1, (n, k))
    errors = errors if decimals is None else errors.round(decimals)
    return pd.DataFrame(errors, columns=[f"m{j}" for j in range(k)])


def over_data_sets(simulations: int) -> Iterator[dict]:
    """Yield shares of tables of equal methods in which each test finds a difference."""
    for k, n, decimals in [
        (2, 2, None),
        (2, 4, None),
        (2, 6, None),
        (2, 10, None),
        (3, 2, None),
        (3, 3, None),
        (3, 4, None),
        (3, 5, None),
        (3, 6, None),
        (4, 3, None),
        (5, 2, None),
        (5, 3, None),
        (5, 4, None),
        (5, 5, None),
        (5, 6, None),
        (5, 10, None),
        (5, 20, None),
        (5, 50, None),
        (10, 10, None),
        (10, 2, None),
        (10, 4, None),
        (10, 6, None),
        (10, 20, None),
        (5, 4, 2),
        (5, 20, 2),
    ]:
        rng = np.random.default_rng([k, n, decimals or 0])
        alarms = np.zeros(6)
        for _ in range(simulations):
            table = equal_methods(n, k, rng, decimals)
            tested = stats.friedman(table, False)
            alarms += [
                chi2.sf(tested.chi2, k - 1) < ALPHA,
                f_distribution.sf(tested.F, *tested.df) < ALPHA,
                tested.p < ALPHA,
                stats.nemenyi(table, False).min(axis=None) < ALPHA,
                stats.wilcoxon_holm(table, None, False)["p_holm"].min() < ALPHA,
                stats.wilcoxon_holm(table, "m0", False)["p_holm"].min() < ALPHA,
            ]
        names = [
            "Friedman chi2",
            "Iman-Davenport F",
            "Friedman, p of the result",
            "Nemenyi, any pair",
            "Wilcoxon-Holm, all pairs",
            "Wilcoxon-Holm, control",
        ]
        row = {"methods": k, "data sets": f"{n}{', rounded' if decimals else ''}"}
        yield row | dict(zip(names, alarms / simulations, strict=True))


def bayesian(simulations: int) -> Iterator[dict]:
    """Yield shares of tables of two equal methods in which one is better with a posterior probability above 0.95."""
    for n in (2, 3, 4, 5, 6, 10, 20, 50):
        rng = np.random.default_rng([5, n])
        alarms = np.zeros(2)
        for _ in range(simulations):
            x, y = equal_methods(n, 2, rng).to_numpy().T
            for i, rope in enumerate((0.0, 0.01)):
                found = stats.bayesian_signed_rank(x, y, False, rope=rope, n_samples=2000, random_state=0)
                alarms[i] += max(found.p_left, found.p_right) > 1 - ALPHA
        yield {"data sets": n} | dict(zip(["no rope", "rope 0.01"], alarms / simulations, strict=True))


def of_pairs(simulations: int) -> Iterator[dict]:
    """Yield shares of tables of equal methods in which any method differs from itself without rotations, by the verdict."""
    for pairs, n in [(1, 6), (1, 10), (1, 50), (3, 10), (3, 20), (12, 29), (24, 50)]:
        rng = np.random.default_rng([4, pairs, n])
        alarms = np.zeros(2)
        for _ in range(simulations):
            table = equal_methods(n, 2 * pairs, rng)
            tests = [
                stats.wilcoxon_holm(table[[f"m{j}", f"m{j + 1}"]], f"m{j}", False)["p"] for j in range(0, 2 * pairs, 2)
            ]
            p = pd.concat(tests)
            alarms += [p.min() < ALPHA, holm(p).min() < ALPHA]
        yield {"pairs": pairs, "data sets": n} | dict(zip(["p", "p after Holm"], alarms / simulations, strict=True))


def split_differences(tests: list[NDArray], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return differences of errors of two learners that are alike, by split of 100 rows drawn for the purpose.

    Both assign rows to the nearest class mean, each by five columns of its own, which know equally much.
    """
    y = np.repeat([0, 1], 50)
    X = rng.normal(0.35 * y[:, None], 1, (100, 10))
    found = []
    for test in tests:
        train = np.setdiff1d(np.arange(100), test)
        wrong = []
        for columns in (slice(0, 5), slice(5, 10)):
            means = [X[train[y[train] == c], columns].mean(axis=0) for c in (0, 1)]
            distance = [((X[test, columns] - mean) ** 2).sum(axis=1) for mean in means]
            wrong.append(((distance[1] < distance[0]) != y[test]).mean())
        found.append(wrong[0] - wrong[1])
    return np.array(found)


def over_splits(simulations: int) -> Iterator[dict]:
    """Yield shares of data sets on which the plain and the corrected t test find a difference of equal learners."""

    def holdout(n_splits, n_test):
        return lambda rng: [rng.permutation(100)[:n_test] for _ in range(n_splits)]

    def folds(repeats):
        return lambda rng: [fold for _ in range(repeats) for fold in np.array_split(rng.permutation(100), 10)]

    for number, (name, draw, n_test) in enumerate(
        [
            ("10 of 80 % and 20 %", holdout(10, 20), 20),
            ("30 of 80 % and 20 %", holdout(30, 20), 20),
            ("100 of 80 % and 20 %", holdout(100, 20), 20),
            ("90 of 50 % and 50 %", holdout(90, 50), 50),
            ("10 folds", folds(1), 10),
            ("10 times 10 folds", folds(10), 10),
        ]
    ):
        rng = np.random.default_rng([1, number])
        alarms = np.zeros(2)
        for _ in range(simulations):
            d = split_differences(draw(rng), rng)
            plain = ttest_1samp(d, 0).pvalue if d.std() > 0 else 1.0
            alarms += [plain < ALPHA, stats.corrected_t(d, np.zeros_like(d), 100 - n_test, n_test).p < ALPHA]
        yield {"splits": name, "paired t": alarms[0] / simulations, "corrected t": alarms[1] / simulations}


def coverage(simulations: int) -> Iterator[dict]:
    """Yield the mean share of methods whose 95 % bootstrap interval contains the value of all data sets."""
    shifts = np.linspace(1, 1.15, 5)

    def drawn(n, rng):
        return equal_methods(n, 5, rng) * shifts

    all_data_sets = drawn(40_000, np.random.default_rng(3))
    true_ranks = stats.average_ranks(all_data_sets, False)
    true_elo = stats.elo(all_data_sets, False, n_bootstraps=1)["elo"]
    true_gaps = stats.improvability(all_data_sets, False).mean()
    for n in (6, 10, 20, 50, 100):
        rng = np.random.default_rng([2, n])
        held = np.zeros(3)
        for _ in range(simulations):
            table = drawn(n, rng)
            intervals = [
                (stats.bootstrap_ranks(table, False), true_ranks),
                (stats.elo(table, False), true_elo),
                (stats.bootstrap_means(stats.improvability(table, False)), true_gaps),
            ]
            held += [((i["lower"] <= true) & (true <= i["upper"])).mean() for i, true in intervals]
        names = ["average rank", "Elo", "mean improvability"]
        yield {"data sets": n} | dict(zip(names, held / simulations, strict=True))


def markdown(rows: list[dict]) -> str:
    """Return rows as a table."""
    lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0])]
    lines += [" | ".join(f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=2000)
    given = parser.parse_args()
    for title, simulate in [
        ("Equal methods: shares of tables in which a test sees any difference", over_data_sets),
        ("Two equal methods: shares of tables in which one is better with probability above 0.95", bayesian),
        ("Equal methods: shares of tables in which any method differs from itself without rotations", of_pairs),
        ("Equal learners: shares of data sets on which a t test tells them apart", over_splits),
        ("Five methods: shares of 95 % bootstrap intervals that hold the value over all data sets", coverage),
    ]:
        print(f"{title}:\n\n{markdown(list(simulate(given.simulations)))}\n", flush=True)
