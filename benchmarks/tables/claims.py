"""The papers' claims with the results of our runs: verdicts, their tables, and what they mean for a choice of method."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import yaml
from scipy.stats import kendalltau

from rotastack.stats.wilcoxon import holm, rank_biserial, signed_rank_p
from tables.papers import DATA, MEASURES, PERCENT, errors, markdown, means, p_text

__all__ = ["Verdict", "compared", "counted", "judged", "overview", "tables", "within"]

ALPHA = 0.05
ALPHA_OF_SOURCE = 0.01
"""Level of the thesis's test over splits."""
ENOUGH = 6
"""Fewest data sets on which Wilcoxon's test can reach .05."""
YES, NO_SIGN, DIRECTIONS, NOT_SHOWN, NO, OPPOSITE = (
    "yes",
    "no sign against it",
    "directions as claimed",
    "not shown",
    "no",
    "no, the opposite",
)
COUNTED = {
    "held": (YES,),
    "no sign against": (NO_SIGN,),
    "directions as claimed": (DIRECTIONS,),
    "not shown": (NOT_SHOWN, "not tested"),
    "no or opposite": (NO, OPPOSITE),
}
"""Column of the overview -> the verdicts that it counts."""
SHARES = (*PERCENT, "disagreement", "member_accuracy", "mean_correlation", "training_error")


class Verdict(NamedTuple):
    """A claim's verdict, the numbers that we see, and the test."""

    held: str
    seen: str
    test: str


def judged(expect: str, differences: pd.Series, p: pd.Series, n: int, everywhere: bool) -> str:
    """Return the verdict on a claim from its comparisons: the direction of each test (the claimed method less a rival), and the p-values.

    `expect` is "lower", "higher", "at most" or "equal"; `n` is the number of data sets, and `everywhere` tells whether all of
    them have the claimed direction, which decides where they are too few for a test over data sets. A difference must be found
    from each rival, which needs no correction; the opposite from any, with Holm's.
    """
    few, small = n < ENOUGH, p < ALPHA
    if (p.isna().any() and not few) or (expect == "equal" and 1 < n < ENOUGH):
        return "not tested"
    if expect == "equal":
        return NO if small.any() else NO_SIGN
    toward = differences > 0 if expect == "higher" else differences < 0
    if (small & toward).all():
        return YES
    if (~toward & (holm(p) < ALPHA)).any():
        return OPPOSITE
    if expect == "at most":
        return NO_SIGN
    return DIRECTIONS if few and everywhere else NOT_SHOWN


def compared(claim: dict) -> Verdict:
    """Return the verdict on a claim that a study tests, one method against another."""
    study, what, of, than = claim["study"], claim.get("what", "error"), claim["of"], claim["than"]
    row = pd.read_csv(DATA / f"{study}.claims.csv").set_index(["what", "of", "than"]).loc[(what, of, than)]
    table = means(study).query("metric == @what").pivot_table("mean", "dataset", "method", sort=False)
    by_set = (table[of] - table[than]).dropna()
    sign = np.where(by_set.index.isin(claim.get("except", [])), -1, 1) * (-1 if row["expect"] == "lower" else 1)
    n, p = int(row["n_datasets"]), row["p_value"] if row["expect"] == "equal" else row["p_holm"]
    # The test's direction, which the mean need not have; scores of one data set have that of their mean.
    toward = rank_biserial(np.round(by_set, 12).to_numpy()) if n > 1 else row["difference"]
    held = judged(row["expect"], pd.Series(toward), pd.Series(p), n, bool((sign * by_set > 0).all()))
    seen, test = f"{of} less {than}: {_number(row['difference'], what)}", f"Wilcoxon, {n} data sets, p {p_text(p)}"
    if n < ENOUGH:
        found = _by_split(study).query("what == @what and of == @of and than == @than")
        splits = _listed(found.set_index("dataset")["p_wilcoxon"])
        first = f"corrected t test, one data set, p {p_text(p)}" if n == 1 else f"{n} data sets are too few for a test"
        test = f"{first}; Wilcoxon over splits that share rows: {splits or 'the study must run again'}"
        if n > 1:
            seen = f"{of} less {than}: {', '.join(f'{name} {_number(d, what)}' for name, d in by_set.items())}"
    return Verdict(held, seen, test)


def counted(values: pd.DataFrame, expect: str, unit: str = "") -> Verdict:
    """Return the verdict on a claim from a table with a row for each data set; its first column is the claimed method."""
    differences = values.iloc[:, 1:].rsub(values.iloc[:, 0], axis=0).round(12)
    p = differences.apply(lambda column: signed_rank_p(column.to_numpy()))
    everywhere = (differences > 0 if expect == "higher" else differences < 0).all(axis=None)
    toward = differences.apply(lambda column: rank_biserial(column.to_numpy()))
    held = judged(expect, toward, p, len(values), bool(everywhere))
    few = len(values) < ENOUGH
    shown = values.iterrows() if few else [("", values.mean())]
    seen = "; ".join(
        f"{name} {', '.join(f'{m} {v:.{1 + (abs(v) < 10)}f}' for m, v in row.items())}" for name, row in shown
    )
    cases = f"{len(values)} {values.attrs.get('cases', 'data sets')}"
    test = f"{cases} are too few for a test" if few else f"Wilcoxon, {cases}, {_listed(p)}"
    return Verdict(held, f"{seen} {unit}".strip(), values.attrs.get("test", test))


def within(values: pd.Series, least: float = -np.inf, most: float = np.inf) -> Verdict:
    """Return the verdict on a claim about a number: yes if all cases lie within bounds, no if none does."""
    inside = values.between(least, most)
    bounds = [f"at least {least:g}"] * bool(np.isfinite(least)) + [f"at most {most:g}"] * bool(np.isfinite(most))
    seen = f"{values.min():.3g} to {values.max():.3g}, median {values.median():.3g}"
    held = YES if inside.all() else NOT_SHOWN if inside.any() else NO
    return Verdict(held, seen, f"{inside.sum()} of {len(values)} cases are {' and '.join(bounds)}")


def verdict(claim: dict) -> Verdict:
    """Return the verdict on a claim of claims.yaml."""
    if "values" not in claim:
        return compared(claim)
    values = VALUES[claim["values"]]()
    if isinstance(values, pd.Series):
        return within(values, claim.get("least", -np.inf), claim.get("most", np.inf))
    return counted(values, claim["expect"], claim.get("unit", ""))


def _by_split(study: str) -> pd.DataFrame:
    """Return the tests over splits of each data set; none of a study that was condensed before these were kept."""
    file = DATA / f"{study}.splits.csv"
    columns = [
        "dataset",
        "what",
        "of",
        "than",
        "difference",
        "won",
        "tied",
        "lost",
        "splits",
        "p_wilcoxon",
        "p_corrected",
    ]
    return pd.read_csv(file) if file.is_file() else pd.DataFrame(columns=columns)


def _listed(p: pd.Series) -> str:
    return ", ".join(f"p {p_text(value)} ({name})" for name, value in p.items())


def _number(value: float, what: str) -> str:
    return (
        f"{100 * value:+.2f} points"
        if what in SHARES
        else np.format_float_positional(value, 4, fractional=False, unique=False, trim="-", sign=True)
    )


# The tables that claims are judged by: a row for each data set, the claimed method first; or a number for each case.


def rises(noise: str, *methods: str) -> pd.DataFrame:
    """Return how much the error of each method rises under noise in study drmf_noise, mean over the levels, in points."""
    table = errors("drmf_noise")
    return pd.DataFrame({m: 100 * table.filter(regex=rf"^{m} {noise}=").mean(axis=1).sub(table[m]) for m in methods})


def rises_with_columns(*methods: str) -> pd.DataFrame:
    """Return how much errors rise with columns of noise in study rotation_noise: the larger half of the numbers of columns less the smaller, in points.

    The test of a data set is Kendall's, of the first method's error less another's against the number of columns.
    """
    table = errors("rotation_noise", list(methods))
    names = table.index.str.extract(r"(.*)-noise-(\d+)").set_axis(["like", "columns"], axis=1).astype({"columns": int})
    table.index = pd.MultiIndex.from_frame(names)
    rises, tests = {}, {}
    for like, part in table.groupby(level="like", sort=False):
        part = part.droplevel("like").sort_index()
        half = len(part) // 2
        rises[like] = 100 * (part.iloc[half:].mean() - part.iloc[:half].mean())
        for other in methods[1:]:
            tau = kendalltau(part.index, part[methods[0]] - part[other])
            tests[f"{like}, {other}, tau {tau.statistic:+.2f}"] = tau.pvalue
    found = pd.DataFrame(rises).T
    found.attrs["test"] = f"Kendall's tau over {len(part)} numbers of columns: {_listed(pd.Series(tests))}"
    return found


def of_study(study: str, what: str, *methods: str) -> pd.DataFrame:
    """Return means of a study, in percent if `what` is a share."""
    table = means(study).query("metric == @what").pivot(index="dataset", columns="method", values="mean")[list(methods)]
    return (100 if what in SHARES else 1) * table.dropna()


def mean_ranks(study: str, names: dict[str, str], settings: tuple[str, ...], together: bool = False) -> pd.DataFrame:
    """Return each method's rank by errors, mean over settings; `names` are templates. Ranks are in each setting, or `together`."""
    methods = {(s, name): template.format(s) for s in settings for name, template in names.items()}
    table = (
        errors(study)[list(methods.values())].set_axis(pd.MultiIndex.from_tuples(methods), axis=1).dropna().round(12)
    )
    ranks = table.rank(axis=1) if together else pd.concat({s: table[s].rank(axis=1) for s in settings}, axis=1)
    return ranks.T.groupby(level=1, sort=False).mean().T[list(names)]


SCALINGS, TREES, INDUCERS = ("minmax", "quantile", "rank"), ("stumps", "depth 2", "full"), ("NN", "J48", "NB")
PROPOSED = ("RP", "RS", "DM", "DM+AdaBoost")
GROWN = 500
"""Trees of an ensemble before QMM prunes it."""


def near_best() -> pd.DataFrame:
    """Return the percentage of results within one deviation of the methods of a data set from the best, by kind of forest."""
    kinds = {"RR-RF": ("RR-RF",), "RF": ("RF",), "ET and RR-ET": ("ET", "RR-ET"), "RotF": ("RotF",)}
    methods = [f"{m} {s}" for group in kinds.values() for m in group for s in SCALINGS]
    table = errors("rotation_scaling", methods)
    near = table.le(table.min(axis=1) + table.std(axis=1) + 1e-12, axis=0)
    return pd.DataFrame(
        {k: 100 * near[[f"{m} {s}" for m in g for s in SCALINGS]].mean(axis=1) for k, g in kinds.items()}
    )


def _gains(*methods: str) -> dict[tuple[str, str], pd.Series]:
    """Return the relative improvement of the accuracy over the inducer alone, in percent, by method and inducer."""
    right = 1 - errors("dimension_reduction")
    return {(m, i): 100 * (right[f"{m}/{i}"] / right[f"Plain/{i}"] - 1) for m in methods for i in INDUCERS}


def improvements() -> pd.DataFrame:
    """Return the improvement over the inducer alone, mean over the inducers, of each ensemble on reduced dimensions."""
    gains = pd.DataFrame(_gains(*PROPOSED))
    return gains.T.groupby(level=0, sort=False).mean().T


def improved_cases() -> pd.DataFrame:
    """Return the percentage of cases in which an ensemble on reduced dimensions is more accurate than the inducer alone."""
    gains = pd.DataFrame(_gains(*PROPOSED)).round(10)
    found = pd.DataFrame({"cases better than the inducer alone": 100 * gains.gt(0).mean(axis=1)})
    return found.assign(half=50.0)


def kept(tree: str) -> pd.Series:
    """Return the number of trees that QMM keeps of 500, mean over both ensembles."""
    members = means("qmm").query("metric == 'members'").pivot(index="dataset", columns="method", values="mean")
    return members[[f"QMM AdaBoost {tree}", f"QMM RF {tree}"]].mean(axis=1)


def rate(tree: str, printed: float) -> pd.DataFrame:
    """Return QMM's rate of pruning in percent, and the printed one."""
    return pd.DataFrame({"ours": 100 * (1 - kept(tree) / GROWN)}).assign(printed=printed)


def square(ensemble: str) -> pd.DataFrame:
    """Return errors in percent of an ensemble on the square with wrong labels, pruned and whole, by draw."""
    found = 100 * pd.read_csv(DATA / "measured_square.csv")[[f"QMM {ensemble}", ensemble]]
    found.attrs["cases"] = "draws"
    return found


def iterations(p: int) -> pd.Series:
    """Return the iterations of the printed algorithm of ExRM in study exrm."""
    return means("exrm").query(
        "metric == 'iterations' and method in @names", local_dict={"names": [f"L{p}-ExRM10", f"L{p}-ExRM30"]}
    )["mean"]


def few_trees(two_dimensions: bool) -> pd.Series:
    """Return the correlations of rotations' ranks by few trees with those by many, on problems in two dimensions or on data sets."""
    found = pd.read_csv(DATA / "measured_ranks.csv", index_col="dataset")[["10", "20"]]
    return found[found.index.str.startswith("figure") == two_dimensions].stack()


VALUES: dict[str, Callable[[], pd.DataFrame | pd.Series]] = {
    "wrong classes": lambda: rises("labels", "DRMF", "RotF", "J48"),
    "noisy columns": lambda: rises("features", "DRMF", "J48"),
    "noisy columns, two forests": lambda: rises("features", "DRMF", "RotF"),
    "two subsets": lambda: of_study("drmf", "error", "DRMF", "DRMF K=3", "DRMF K=4", "DRMF K=5").rename(
        columns={"DRMF": "DRMF K=2"}
    ),
    "80 trees": lambda: of_study("drmf", "error", "DRMF T=80", "DRMF").rename(columns={"DRMF": "DRMF T=100"}),
    "ranks of rotations": lambda: mean_ranks(
        "rotation_scaling", {m: f"{m} {{}}" for m in ("RR-RF", "RF", "ET", "RR-ET", "RotF")}, SCALINGS, together=True
    ),
    "near the best": near_best,
    "size of BST": lambda: of_study(
        "rotation_weights", "median_nodes", "BST", "RRE", "CUT", "EXP", "NEW", "LIN", "OOB", "JNT"
    ),
    "error of BST": lambda: of_study("rotation_weights", "error", "BST", "RRE"),
    "few trees, two dimensions": lambda: few_trees(True),
    "few trees, data sets": lambda: few_trees(False),
    "columns of noise": lambda: rises_with_columns("RRE", "SVM", "KNN-5"),
    "gap of ExRM": lambda: 100 * pd.read_csv(DATA / "measured_exrm.csv")["gap"],
    "iterations, p = 2": lambda: iterations(2),
    "iterations, p = 1": lambda: iterations(1),
    "growth of ExRM": lambda: pd.read_csv(DATA / "measured_growth.csv")["slope"],
    "DRM over ExRM": lambda: pd.read_csv(DATA / "measured_exrm.csv")["drm"],
    "rate, stumps": lambda: rate("stumps", 91.5),
    "rate, depth 2": lambda: rate("depth 2", 78.9),
    "rate, full": lambda: rate("full", 61.8),
    "members, depth 2": lambda: pd.DataFrame({"depth 2": kept("depth 2"), "stumps": kept("stumps")}),
    "members, full": lambda: pd.DataFrame({"full": kept("full"), "depth 2": kept("depth 2")}),
    "ranks, AdaBoost": lambda: mean_ranks(
        "qmm",
        {"QMM": "QMM AdaBoost {}", "whole": "AdaBoost {}", "DREP": "DREP AdaBoost {}", "Kappa": "Kappa AdaBoost {}"},
        TREES,
    ),
    "ranks, forests": lambda: mean_ranks(
        "qmm", {"QMM": "QMM RF {}", "whole": "RF {}", "DREP": "DREP RF {}", "Kappa": "Kappa RF {}"}, TREES[:2]
    ),
    "square, AdaBoost": lambda: square("AdaBoost"),
    "square, forest": lambda: square("RF"),
    "improvements": improvements,
    "cases": improved_cases,
    "ranks of reductions": lambda: mean_ranks(
        "dimension_reduction", {m: f"{m}/{{}}" for m in ("DM+AdaBoost", "RP", "RS", "DM")}, INDUCERS
    ),
}
"""Name in claims.yaml -> the table by which the claim is judged."""


def _claims() -> list[tuple[dict, Verdict]]:
    return [(claim, verdict(claim)) for claim in yaml.safe_load((DATA / "claims.yaml").read_text(encoding="utf-8"))]


def claims_table(claims: list[tuple[dict, Verdict]]) -> str:
    """Return the claims of the papers, a sentence each, with the result of our runs and the test."""
    rows = [[claim["paper"], claim["sentence"], *found] for claim, found in claims]
    table = pd.DataFrame(rows, columns=["paper", "claim", "held", "what we see", "test"])
    parts = []
    for paper, part in table.groupby("paper", sort=False):
        parts += [f"**{paper}**", "", markdown(part.drop(columns="paper").set_index("claim"), "claim"), ""]
    return "\n".join(parts)


def overview(claims: list[tuple[dict, Verdict]]) -> str:
    """Return by paper the number of claims by verdict; what the papers do not claim is not counted."""
    held = pd.DataFrame(
        [(c["paper"].partition(" (")[0], v.held) for c, v in claims if "ours" not in c["paper"]],
        columns=["paper", "held"],
    )
    counts = held.groupby("paper", sort=False)["held"].agg(
        claims="size", **{name: lambda s, words=words: int(s.isin(words).sum()) for name, words in COUNTED.items()}
    )
    counts.loc["all"] = counts.sum()
    return markdown(counts, "paper")


def choice(claims: list[tuple[dict, Verdict]]) -> str:
    """Return what the verdicts mean for who chooses a method: a sentence for each claim with a choice, by its verdict."""
    return "\n".join(
        f"{n}. {claim['choice']['held' if found.held in (YES, NO_SIGN) else 'otherwise']}"
        for n, (claim, found) in enumerate((pair for pair in claims if "choice" in pair[0]), 1)
    )


def tested(study: str) -> str:
    """Return all statements that a study tests: the difference, the number of data sets in agreement, and the result."""
    rows = []
    for row in pd.read_csv(DATA / f"{study}.claims.csv").to_dict("records"):
        words = "the same as" if row["expect"] == "equal" else f"{row['expect']} than"
        what = MEASURES.get(row["what"], row["what"].replace("_", " "))
        favour = (
            "" if row["expect"] == "equal" else f"{row['in_favour'] * row['n_datasets']:.0f} of {row['n_datasets']}"
        )
        p = "no test" if pd.isna(row["p_holm"]) else p_text(row["p_holm"])
        found = compared({"study": study, **row})
        rows.append(
            [
                f"{what}: {row['of']} {words} {row['than']}",
                _number(row["difference"], row["what"]),
                favour,
                p,
                found.held,
            ]
        )
    columns = ["claim", "mean difference", "data sets as claimed", "p (Holm)", "held"]
    return markdown(pd.DataFrame(rows, columns=columns).set_index("claim"), "claim")


def test_of_source(study: str) -> str:
    """Return the comparisons of errors on one data set by the source's test over splits, and by the corrected one."""
    found = _by_split(study).query("what == 'error'")
    if found.empty:
        return f"The study must run again for these tests: `python benchmarks/papers.py results/{study}`."
    by_source, corrected = (int((found[p] < ALPHA_OF_SOURCE).sum()) for p in ("p_wilcoxon", "p_corrected"))
    rows = {
        f"{row.of} less {row.than}": {
            "points": f"{100 * row.difference:+.2f}",
            "won, tied, lost in %": f"{100 * row.won:.0f}, {100 * row.tied:.0f}, {100 * row.lost:.0f}",
            "splits": row.splits,
            "p, Wilcoxon over splits": p_text(row.p_wilcoxon),
            "p, corrected t": p_text(row.p_corrected),
        }
        for row in found.itertuples()
    }
    told = f"At .01, {by_source} of {len(found)} comparisons differ by the source's test, {corrected} by the corrected one."
    return f"{told}\n\n{markdown(pd.DataFrame.from_dict(rows, orient='index'), 'comparison')}"


def tables() -> dict[str, str]:
    """Return the name and the text of each table."""
    claims = _claims()
    made = {"claims": claims_table(claims), "overview": overview(claims), "choice": choice(claims)}
    made["splits-iris_sensitivity"] = test_of_source("iris_sensitivity")
    for file in sorted(DATA.glob("*.claims.csv")):
        study = file.name.partition(".")[0]
        if len(pd.read_csv(file)):
            made[f"tested-{study}"] = tested(study)
    return made
