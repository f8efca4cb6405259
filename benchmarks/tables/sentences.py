"""Sentences of pages with measured numbers, from results that are kept in the repository or take seconds."""

from functools import cache
from itertools import permutations, product

import flagship_sets
import numpy as np
import pandas as pd
from flagship_data import GENERATED, SETS, Split, dummies
from scipy.stats import wilcoxon

from rotastack import RotationForestClassifier
from rotastack.stats import critical_difference
from tables import papers

__all__ = ["TABLES"]

CSV = papers.ROOT / "docs/evidence/data/tables"


def _kept(name: str, index: int | list[int] | None = None) -> pd.DataFrame:
    return pd.read_csv(CSV / f"{name}.csv", skiprows=1, index_col=index)


def _share(value: float) -> str:
    return f"{value:.2f}".lstrip("0")


# The flagship


@cache
def _scores() -> pd.DataFrame:
    return pd.read_parquet(flagship_sets.SCORES)


def _against(peer: str) -> str:
    """Return how often the flagship is better and worse than a searched peer, in error and in log loss."""
    (methods,) = (found for found in flagship_sets.SEARCHES.values() if peer in found)
    found = flagship_sets.Results.of(_scores(), (*SETS, *GENERATED), (flagship_sets.OURS, "RF", *methods))
    parts = []
    for name, values in (("errors", found.errors.round(9)), ("log losses", found.losses.round(9))):
        ours, theirs = values[:, 0], values[:, found.place(peer)]
        p = wilcoxon(ours, theirs).pvalue
        parts.append(
            f"{name} are lower on {(ours < theirs).sum()} and higher on {(ours > theirs).sum()} "
            f"(means {_share(ours.mean())} and {_share(theirs.mean())}, p {papers.p_text(p)})"
        )
    return f"on {len(found.sets)} tables, one split each, {' and '.join(parts)}"


def losses() -> str:
    """Return on which tables the flagship has more errors than others, as a list."""
    sets, both = (
        flagship_sets.Results.of(_scores(), names, among)
        for names, among in ((SETS, flagship_sets.WITHOUT_CATBOOST), ((*SETS, *GENERATED), [flagship_sets.OURS, "RF"]))
    )
    worse, all_worse = (found.errors[:, 0].round(9) > found.errors[:, 1].round(9) for found in (sets, both))
    mean = _scores().groupby(["set", "method"])["error"].mean().map(_share)
    madelon, chess = mean["madelon"], mean["chess-krkopt"]
    return "\n".join(
        [
            f"- **Against RF**: over five splits RF has fewer errors on {worse.sum()} of the {len(worse)} data sets: "
            f"{', '.join(np.array(sets.sets)[worse])}; with the generated tables on {all_worse.sum()} of {len(all_worse)}.",
            f"- **Few informative columns that interact, among hundreds of noise columns**, as in madelon: errors of {madelon['Rotastack']}, where XGBoost has "
            f"{madelon['XGB']}, Rotation Forest {madelon['RotF']} and AutoGluon, on one split, {madelon['AutoGluon medium']} to {madelon['AutoGluon best']}.",
            f"- **Rules over many categories**, as in chess-krkopt: {chess['Rotastack']}, where LightGBM has {chess['LightGBM']}.",
            f"- **Against a tuned LightGBM**: {_against('LightGBM tuned')}.",
            f"- **Against AutoGluon's best quality**: {_against('AutoGluon best')}; against its medium quality: {_against('AutoGluon medium')}.",
        ]
    )


def folds() -> str:
    """Return the errors of Rotation Forest on monks-2, with all rows for each tree and with bootstraps."""
    errors: dict[bool, list[float]] = {False: [], True: []}
    for number in range(5):
        split = Split.of("monks-2", number)
        X, X_test = dummies(split)
        for bootstrap, found in errors.items():
            forest = RotationForestClassifier(200, subset_size=3, bootstrap=bootstrap, random_state=number)
            found.append(1 - forest.fit(X, split.y).score(X_test, split.y_test))
    whole, bags = (f"{100 * np.mean(found):.0f} %" for found in errors.values())
    return (
        f"On monks-2 Rotation Forest makes {whole} errors if each tree has all rows, and {bags} with bootstraps, over five splits: "
        "a tree that misses a third of 300 rows does not see the rule. So trees of C4.5 are trained on all rows outside a fold."
    )


def files() -> str:
    """Return how large files of models are beside those of a random forest."""
    sizes = _kept("flagship_files")[["pickle, the forest's being 1", "skops, the forest's being 1"]]
    return f"Small: files of the flagship have {_share(sizes.min(axis=None))} to {_share(sizes.max(axis=None))} times the size of a scikit-learn forest of 500 trees ([size](understand/flagship.md#size))."


def intervals() -> str:
    """Return how many test rows lie within the intervals of the regressor."""
    found = _kept("intervals")
    fifths = found["within, by fifths of the predictions"].str.split(expand=True).astype(float).mean()
    width, score = (np.exp(np.log(found[f"{what}, local / even"]).mean()) for what in ("width", "interval score"))
    ends = found["interval score, local / even"].agg(["min", "max"]).map(_share)
    return (
        f"On {len(found)} targets, ten splits each, intervals of 90 % contained {100 * found['within'].min():.1f} to {100 * found['within'].max():.1f} % of the test rows. "
        f"With the test rows in fifths by their predictions, the fifths had {', '.join(f'{v:.3f}'.lstrip('0') for v in fifths)} within, from the lowest to the highest, on average over targets. "
        f"*Even* intervals are the prediction plus or minus the same quantile of the residuals' sizes for all rows; ours (*local*) are {_share(width)} as wide, and have {_share(score)} of their "
        f"interval score (geometric means; scores from {ends['min']} to {ends['max']})."
    )


# Papers


def exrm() -> str:
    """Return how many printed errors of ExRM agree with ours, and whether its optimum is the SVM."""
    cells, errors = papers.cells("exrm").query("metric == 'error'"), papers.errors("exrm")
    own = cells[cells["method"].str.contains("ExRM")]
    pairs = product((1, 2), (10, 30))
    apart = max((errors[f"L{p}-ExRM{c} exact"] - errors[f"L{p}-PSVM lambda/{c}"]).abs().max() for p, c in pairs)
    return (
        f"The paper's own errors are reproduced: {int(own['agrees'].sum())} of {len(own)} cells agree within two standard errors. "
        f"Mean errors of ExRM at its optimum and of the SVM with lambda / C are {'the same' if apart < 1e-12 else f'up to {100 * apart:.2f} points apart'} on all {len(errors)} data sets."
    )


def reductions() -> str:
    """Return where ensembles on reduced dimensions have more errors than their estimator alone, as a list."""
    errors = papers.errors("dimension_reduction")

    def fewer(method, inducer):
        gap = (errors[f"{method}/{inducer}"] - errors[f"Plain/{inducer}"]).round(9)
        return f"{(gap < 0).sum()}", f"{100 * gap.mean():+.1f} points"

    (dm_nn, dm_gap), (dm_nb, nb_gap), (rp_nb, rp_gap) = fewer("DM", "NN"), fewer("DM", "NB"), fewer("RP", "NB")
    projected, alone = (f"{100 * errors.loc['mfeat', f'{method}/NB']:.0f} %" for method in ("RP", "Plain"))
    return "\n".join(
        [
            f"- **Neighbours on diffusion maps** have fewer errors than plain neighbours on only {dm_nn} of {len(errors)} data sets ({dm_gap} on average), naive Bayes on {dm_nb} ({nb_gap}).",
            f"- **Naive Bayes on random projections** has fewer errors on only {rp_nb} of {len(errors)} data sets ({rp_gap}); trees and neighbours gain on {fewer('RP', 'J48')[0]} and {fewer('RP', 'NN')[0]}.",
            "- **Scaling decides.** Random projections of unscaled columns follow the columns of large values: on mfeat naive Bayes errs on "
            f"{projected} of the rows, alone on {alone}.",
        ]
    )


def pruned() -> str:
    """Return the errors of pruned AdaBoost of stumps."""
    error = papers.errors("qmm").mean().map("{:.3f}".format).str.lstrip("0")
    whole = error["AdaBoost stumps"]
    return "\n".join(
        [
            f"- **Weak members.** Kappa pruning selects members that disagree, and weak members disagree because they err: {error['Kappa AdaBoost stumps']} instead of {whole} on AdaBoost's stumps.",
            "- **Pruning seldom lowers the error.** It makes models smaller and predictions faster at about the same error. "
            f"On AdaBoost's stumps QMM has {error['QMM AdaBoost stumps']} instead of {whole}.",
        ]
    )


# Statistics


def _level(k: int, n: int, q: float = 0.05) -> float:
    """Return how often Iman and Davenport's F rejects for k equal methods on n data sets, by enumeration of ranks."""
    from scipy.stats import f as f_distribution

    orders = list(permutations(range(1, k + 1)))
    rejected = total = 0
    for rest in product(orders, repeat=n - 1):
        sums = np.sum([orders[0], *rest], axis=0)
        chi2 = 12 * (sums**2).sum() / (n * k * (k + 1)) - 3 * n * (k + 1)
        f = np.inf if np.isclose(chi2, n * (k - 1)) else (n - 1) * chi2 / (n * (k - 1) - chi2)
        rejected += f_distribution.sf(f, k - 1, (k - 1) * (n - 1)) < q
        total += 1
    return rejected / total


def type_one() -> str:
    """Return what the simulations of equal methods show, as a list."""
    found = _kept("type_one_equal_methods", [0, 1])
    tests = found[
        ["Friedman, p of the result", "Nemenyi, any pair", "Wilcoxon-Holm, all pairs", "Wilcoxon-Holm, control"]
    ]
    at, most = tests.max(axis=1).idxmax(), tests.max(axis=None)
    old = found["Iman-Davenport F"]
    return "\n".join(
        [
            "- Friedman's test, with the p-value of `friedman`, Nemenyi's and Wilcoxon's are not above their level, on two data sets as on fifty. "
            f"The largest share is {most:.3f} ({at[0]} methods, {at[1]} data sets).",
            f"- The F of Iman and Davenport is far above its level on few data sets: {old[2, '2']:.2f} with two methods on two, {old[3, '3']:.2f} with three on three. "
            f"By enumeration the level is 1/{1 / _level(3, 2):.0f} for three methods on two data sets, {100 * _level(3, 3):.1f} % on three, {100 * _level(4, 3):.1f} % for four methods on three.",
        ]
    )


def rows() -> str:
    """Return the largest shares of the simulations of held-out rows, as a list."""
    other = ["data", "rows", "test", "corrected t, first score"]
    of_seeds, of_halves = (
        _kept(f"row_test_{name}").drop(columns=[*other, column])
        for name, column in (("levels", "trees"), ("halves", "method"))
    )
    return "\n".join(
        f"- {text}: the largest share is {shares.max(axis=None):.3f}, the mean {shares.stack().mean():.3f}."
        for text, shares in (("Methods that differ by their seeds", of_seeds), ("Halves of the columns", of_halves))
    )


def splits() -> str:
    """Return what the simulations of splits of one data set show, as a list."""
    plain, corrected = _kept("type_one_splits", 0).T.to_numpy()
    return "\n".join(
        [
            f"- The paired t test on 30 splits is wrong on {100 * plain[1]:.0f} % of the data sets, and more often on more splits.",
            f"- The corrected test is near its level: a little above ({max(corrected):.2f}) for test sets of 20 % and many splits, and below for large test sets, or with one cross-validation.",
            f"- The plain test on ten folds errs little here ({plain[4]:.2f}), as test sets do not overlap.",
        ]
    )


def coverage() -> str:
    """Return how often bootstrap intervals contain the value over all data sets."""
    found = 100 * _kept("bootstrap_coverage", 0)
    few, many = found.loc[6], found.loc[20:]
    return (
        f"With six data sets {few.min():.0f} to {few.max():.0f} % of the intervals contain the value, from 20 on {many.min(axis=None):.0f} to {many.max(axis=None):.0f} %. "
        "Fewer have no interval. Percentile intervals are known to be too narrow in small samples."
    )


def printed() -> str:
    """Return printed critical differences, as they are computed."""
    return f"- **Critical differences**: {critical_difference(5, 20):.3f} for 5 methods on 20 data sets, {critical_difference(8, 17):.2f} for 8 on 17."


TABLES = {
    "coverage": coverage,
    "exrm": exrm,
    "files": files,
    "folds": folds,
    "intervals": intervals,
    "losses": losses,
    "printed": printed,
    "pruned": pruned,
    "reductions": reductions,
    "rows": rows,
    "splits": splits,
    "type-one": type_one,
}
