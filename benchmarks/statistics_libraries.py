"""Print the differences between our statistics and other libraries' on random tables, for docs/understand/statistics.md.

``pip install -e '.[bench]'``, then ``python benchmarks/statistics_libraries.py``.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import baycomp
import numpy as np
import pandas as pd
import scikit_posthocs
from bencheval.evaluator import BenchmarkEvaluator
from scipy.stats import friedmanchisquare
from statsmodels.stats.multitest import multipletests

from rotastack.stats import (
    average_ranks,
    bayesian_signed_rank,
    corrected_t,
    elo,
    friedman,
    improvability,
    nemenyi,
    wilcoxon_holm,
    win_matrix,
)

EVALUATOR = BenchmarkEvaluator(columns_to_agg_extra=[])


def random_tables(rng: np.random.Generator) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield errors with many digits, with two decimals, and the latter as percents, with exact ties."""
    for _ in range(12):
        n, k = int(rng.integers(14, 40)), int(rng.integers(2, 7))
        errors = rng.uniform(0.05, 0.4, (n, 1)) * rng.uniform(0.7, 1.3, (n, k)) * np.linspace(1, 1.1, k)
        names = [f"m{j}" for j in range(k)]
        yield "many digits", pd.DataFrame(errors, columns=names)
        yield "two decimals", pd.DataFrame(errors.round(2), columns=names)
        yield "whole percents", pd.DataFrame((100 * errors).round(), columns=names)


def gaps(table: pd.DataFrame, rope: float) -> Iterator[tuple[str, float]]:
    """Yield the largest difference from ours, by statistic and library."""
    n, k = table.shape
    if k > 2:
        theirs = friedmanchisquare(*table.to_numpy().T).statistic
        yield "Friedman's chi2, scipy", abs(friedman(table, False).chi2 - theirs)
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(table)
    if table.shape[1] > 2:  # of two methods ours is the sign test
        yield "Nemenyi, scikit-posthocs", np.abs(nemenyi(table, False) - theirs.to_numpy()).max(axis=None)
    tested, melted = wilcoxon_holm(table, None, False), table.melt()
    for column, adjust in [("p", None), ("p_holm", "holm")]:
        theirs = scikit_posthocs.posthoc_wilcoxon(melted, val_col="value", group_col="variable", p_adjust=adjust)
        yield (f"Wilcoxon {column}, scikit-posthocs", max(abs(tested[column][p] - theirs.loc[p]) for p in tested.index))
    yield "Holm, statsmodels", np.abs(tested["p_holm"] - multipletests(tested["p"], method="holm")[1]).max()
    x, y = table["m0"].to_numpy(), table["m1"].to_numpy()
    for width in (0.0, rope):
        theirs = baycomp.two_on_multiple(x, y, rope=width, nsamples=20_000, random_state=1)
        ours = bayesian_signed_rank(x, y, True, rope=width, random_state=0)
        yield (f"Bayesian signed-rank, {'with' if width else 'no'} rope, baycomp", abs(ours.p_right - theirs[-1]))
    theirs = 2 * min(baycomp.two_on_single(x, y))
    yield "corrected t, baycomp", abs(corrected_t(x, y, n - 1, 1).p - theirs)
    yield from bencheval_gaps(table)


def bencheval_gaps(table: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Yield the differences of TabArena's library."""
    long = table.rename_axis("task").reset_index().melt("task", var_name="method", value_name="metric_error")
    options = {"include_quantiles": False, "round_decimals": None}
    theirs = EVALUATOR.compute_elo(long, **options)["elo"].reindex(table.columns)
    ours = elo(table, False, n_bootstraps=1)["elo"]
    yield "Elo, bencheval", (ours - theirs).abs().max()
    swapped = sum(
        ours[a] - ours[b] > 1e-6 and theirs[a] - theirs[b] < -1e-6
        for one in combinations(table.columns, 2)
        for a, b in (one, one[::-1])
    )
    yield "Elo, bencheval: pairs in another order", swapped
    many = pd.concat([table] * 500, ignore_index=True)
    ours = elo(many, False, n_bootstraps=1)["elo"]
    yield "Elo of 500 copies, bencheval", (ours - theirs).abs().max()
    theirs = EVALUATOR.compute_winrate_matrix(long).loc[table.columns, table.columns]
    yield "win matrix, bencheval", (win_matrix(table, False) - theirs).abs().max(axis=None)
    long["gap"] = EVALUATOR.compute_improvability_per(long, ["task"])
    theirs = 100 * long.pivot(index="task", columns="method", values="gap")
    yield ("improvability, bencheval", (improvability(table, False) - theirs[table.columns]).abs().max(axis=None))
    long["rank"] = EVALUATOR.compare_rank_per(long, ["task"])
    yield (
        "average ranks, bencheval",
        (average_ranks(table, False) - long.groupby("method")["rank"].mean()).abs().max(),
    )


if __name__ == "__main__":
    found: dict = defaultdict(lambda: defaultdict(float))
    for kind, table in random_tables(np.random.default_rng(0)):
        for statistic, gap in gaps(table, rope=1.23456 if kind == "whole percents" else 0.0123456):
            found[statistic][kind] = max(found[statistic][kind], gap)
    print(pd.DataFrame(found).T.map("{:.2g}".format).to_string())
