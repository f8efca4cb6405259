"""Results of the papers' studies: printed tables beside ours, and costs, from the files of benchmarks/papers.py."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from rotastack.workflow.judge.published_columns import CHANCE

ROOT = Path(__file__).resolve().parents[2]

__all__ = ["DATA", "MEASURES", "PERCENT", "cells", "errors", "lines_of", "markdown", "means", "p_text", "tables"]

DATA = ROOT / "docs/evidence/data/papers"
PERCENT = ("error", "error_sd", "wins", "ties", "improvement", "size_ratio", "pruning_rate")
"""Measures that are shown in percent."""
FOLDS = 10
"""Folds of the printed deviations of the reduction paper."""
MEASURES = {
    "error_sd": "deviation of errors over folds or trials",
    "n_nodes": "nodes of a tree",
    "median_nodes": "nodes of the median tree",
    "size_ratio": "nodes by those of the forest",
    "members": "members kept",
    "paper_diversity": "diversity (equation 25)",
    "wins": "repeats won",
    "ties": "repeats tied",
}


@cache
def means(study: str) -> pd.DataFrame:
    """Return the means of a study: a row for each data set, method and measure."""
    return pd.read_parquet(DATA / f"{study}.parquet")


@cache
def cells(study: str) -> pd.DataFrame:
    """Return the cells of a study's source beside ours, without given sizes, which cannot differ."""
    found = pd.read_parquet(DATA / f"{study}.published.parquet")
    given = found["metric"].eq("members") & found["standard_error"].eq(0) & found["difference"].eq(0)
    return found[~given]


def errors(study: str, methods: list[str] | None = None) -> pd.DataFrame:
    """Return the mean errors of a study: rows data sets, columns methods."""
    table = (
        means(study)
        .query("metric == 'error'")
        .pivot_table(index="dataset", columns="method", values="mean", sort=False)
    )
    return table if methods is None else table[methods]


def _number(value: float, measure: str) -> str:
    if pd.isna(value):
        return ""
    return f"{100 * value:.2f}" if measure in PERCENT else f"{value:.4g}"


def lines_of(rows: list[list[str]]) -> str:
    """Return rows of texts as a Markdown table."""
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def markdown(table: pd.DataFrame, corner: str = "") -> str:
    """Return a frame of texts as a Markdown table, its index first."""
    rows = [[corner, *map(str, table.columns)], ["---"] * (table.shape[1] + 1)]
    return lines_of(
        rows + [[str(name), *map(str, row)] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    )


def printed(study: str) -> str:
    """Return each printed table of a study's source: our values, the printed ones in brackets, those that differ bold."""
    parts = []
    for (number, measure), part in cells(study).groupby(["table", "metric"], sort=False):
        known = part[part["agrees"].notna()]
        shown = part.assign(
            cell=[
                ("**{}** ({})" if row.agrees is False else "{} ({})").format(
                    _number(row.ours, measure), _number(row.published, measure)
                )
                for row in part.itertuples()
            ]
        )
        table = shown.pivot_table(index="dataset", columns="method", values="cell", aggfunc="first", sort=False).fillna(
            ""
        )
        if len(table) == 1:
            table = table.T
        name = "Running text" if number == "text" else f"Table {number}"
        unit = " in %" if measure in PERCENT else ""
        agreed = (
            f"{int(known['agrees'].sum())} of {len(known)} cells agree" if len(known) else "one value each, no test"
        )
        parts += [
            f":::{{dropdown}} {name}, {MEASURES.get(measure, measure)}{unit}: {agreed}",
            markdown(table),
            ":::",
            "",
        ]
        parts += _reasons(known[~known["agrees"].astype(bool)])
    return "\n".join(parts)


def _reasons(differ: pd.DataFrame) -> list[str]:
    """Return the reasons for differing cells: a line for each, with the number of cells and the data sets."""
    lines = []
    for reason, part in differ.groupby("reason", sort=False):
        why = "unknown" if reason == "not explained" else reason
        where = ", ".join(dict.fromkeys(part["dataset"]))
        lines.append(f"- {len(part)} cell{'s' * (len(part) > 1)} ({where}): {why}")
    return [*lines, ""] if lines else []


def agreement() -> str:
    """Return by table the number of printed cells within two standard errors of ours."""
    rows = {}
    for file in sorted(DATA.glob("*.published.parquet")):
        study = file.name.partition(".")[0]
        known = cells(study).dropna(subset="agrees")
        for (number, measure), part in known.groupby(["table", "metric"], sort=False):
            agreed, unknown = int(part["agrees"].sum()), int((part["reason"] == "not explained").sum())
            rows[f"`{study}`, {number}, {MEASURES.get(measure, measure)}"] = {
                "cells": len(part),
                "agree": agreed,
                "in %": f"{100 * agreed / len(part):.0f}",
                "differ, unknown why": unknown,
            }
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "study, table, measure")


def p_text(value: float) -> str:
    """Return a p-value in three digits without the leading zero."""
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def costs() -> str:
    """Return the costs of each study: processor minutes, jobs, data sets and methods."""
    rows = {}
    for file in sorted(DATA.glob("*.parquet")):
        study, end = file.name.split(".")[:2]
        if end == "published":
            continue
        frame = means(study)
        last, rest = frame.iloc[-1], frame.iloc[:-1]
        splits = rest.query("metric == 'error'")["splits"]
        rows[f"`{study}`"] = {
            "processor minutes": f"{last['mean']:.0f}",
            "jobs": f"{last['splits']:.0f}",
            "data sets": rest["dataset"].nunique(),
            "methods": rest["method"].nunique(),
            "splits": f"{splits.min():.0f} to {splits.max():.0f}".replace(f"{splits.max():.0f} to ", ""),
        }
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "study")


UNPRUNED = {
    **{
        f"{order} {share}": f"DRSF T={n}"
        for share, n in (("half", 50), ("third", 33), ("fifth", 20))
        for order in ("DRMF", "Angle")
    },
    "RF Lasso half": "RF T=50",
    "RF Angle half": "RF T=50",
}
"""Pruned forest -> the unpruned one of as many trees."""


def pruned_sizes() -> str:
    """Return the effect of pruning: errors of pruned forests as ratios to the whole forest, and to as many unpruned trees."""
    table = errors("drmf_sizes")
    members = means("drmf_sizes").query("metric == 'members'").groupby("method")["mean"].mean()
    rows = {}
    for method in table.columns.drop(["DRSF", "RF"]):
        whole = table["RF" if method.startswith("RF") else "DRSF"]
        fewer = UNPRUNED.get(method)
        rows[method] = {
            "trees": f"{members[method]:.0f}",
            "mean error in %": f"{100 * table[method].mean():.2f}",
            "to the whole": f"{_ratio(table[method], whole):.3f}",
            "to as many unpruned": f"{_ratio(table[method], table[fewer]):.3f}" if fewer else "",
        }
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "error as a ratio, geometric mean")


def _ratio(errors: pd.Series, others: pd.Series) -> float:
    """Return the geometric mean of the ratios of errors; a thousandth is added to both, as some errors are 0."""
    return float(np.exp(np.log((errors + 1e-3) / (others + 1e-3)).mean()))


RIVALS = {"qmm": r"^(?:QMM |DREP |Kappa )?(.*)$", "dimension_reduction": r"/(.*)$"}
"""Study -> what of a method's name its rivals share: ranks are among these."""


def ranks(study: str) -> str:
    """Return average ranks over the data sets of a study, and improvements of the accuracy over the classifier alone; printed ones in brackets."""
    printed = pd.read_csv(ROOT / f"config/published/{study}.csv").query(
        "dataset == 'all' and metric in ('rank', 'improvement')"
    )
    printed = printed[printed["table"] != "text"] if study == "dimension_reduction" else printed
    in_print = printed.drop_duplicates(["metric", "method"]).set_index(["metric", "method"])["value"]
    known = errors(study)
    methods = pd.Series([m for m in in_print["rank"].index if m in known])
    parts = []
    for _, rivals in methods.groupby(methods.str.extract(RIVALS.get(study, "()"))[0], sort=False):
        table = known[list(rivals)].dropna()
        rows = {
            "average rank": {
                m: f"{rank:.2f} ({in_print['rank', m]:.2f})" for m, rank in table.round(12).rank(axis=1).mean().items()
            }
        }
        if "improvement" in in_print:
            gains = ((1 - table).div(1 - table.iloc[:, 0], axis=0) - 1).mean()
            rows["improvement in %"] = {
                m: f"{100 * gain:+.1f}"
                + (f" ({100 * in_print['improvement', m]:+.1f})" if ("improvement", m) in in_print else "")
                for m, gain in gains.items()
            }
        parts += [markdown(pd.DataFrame.from_dict(rows, orient="index"), f"{len(table)} data sets"), ""]
    return "\n".join(parts)


def kept_members() -> str:
    """Return the number of trees of a full random forest that QMM keeps, by the share of margins that must not shrink, with the printed number."""
    sizes = (
        means("qmm_curves")
        .query("metric == 'members'")
        .pivot_table(index="dataset", columns="method", values="mean", sort=False)
    )
    in_print = pd.read_csv(ROOT / "config/published/qmm.csv").query("metric == 'members'")
    in_print = in_print.drop_duplicates(["dataset", "method"]).set_index(["dataset", "method"])["value"]
    rows = {}
    for dataset in sizes.index:
        for tree in ("depth 2", "full"):
            shares = {f"v = {v}": f"{sizes.loc[dataset, f'QMM RF {tree} v={v}']:.0f}" for v in (0.05, 0.25, 0.5, 1)}
            printed_size = in_print.get((dataset.removesuffix("-train"), f"QMM RF {tree}"))
            rows[f"{dataset}, {tree}"] = {**shares, "printed": "" if printed_size is None else f"{printed_size:.0f}"}
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "random forest, members kept")


def limits_of_pruning() -> str:
    """Return the number of AdaBoost's trees that QMM keeps by the limit of their pruning, with the printed number."""
    found = pd.read_csv(DATA / "measured_limits.csv")
    in_print = cells("qmm").query("metric == 'members'").set_index(["dataset", "method"])["published"]
    rows = {}
    for (dataset, depth), part in found.groupby(["dataset", "depth"]):
        tree = "stumps" if depth == 1 else "depth 2"
        sizes = {
            f"{100 * limit:g} %" if limit else "no limits": f"{n:.0f}"
            for limit, n in zip(part["limit"], part["members"], strict=True)
        }
        rows[f"{dataset}, {tree}"] = {**sizes, "printed": f"{in_print[dataset, f'QMM AdaBoost {tree}']:.0f}"}
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "members that QMM keeps")


def patience_of_drep() -> str:
    """Return the number of AdaBoost's trees that DREP keeps by the number of additions in vain at which it stops."""
    found = pd.read_csv(DATA / "measured_patience.csv")
    in_print = cells("qmm").query("metric == 'members'").set_index(["dataset", "method"])["published"]
    rows = {}
    for dataset, part in found.groupby("dataset"):
        sizes = {f"{row.stop} in vain": f"{row.mean:.0f} ({row.least} to {row.most})" for row in part.itertuples()}
        rows[dataset] = {**sizes, "printed": f"{in_print[dataset, 'DREP AdaBoost depth 2']:.0f}"}
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "members that DREP keeps")


def pruned_trees() -> str:
    """Return mean errors of the pruners of study qmm, and numbers of kept members, by ensemble and size of trees."""
    table = errors("qmm").mean()
    members = means("qmm").query("metric == 'members'").groupby("method")["mean"].mean()
    rows = {}
    for ensemble in ("AdaBoost", "RF"):
        for tree in ("stumps", "depth 2", "full"):
            name = f"{ensemble} {tree}"
            rows[name] = {
                "all": f"{100 * table[name]:.1f}",
                **{
                    p: f"{100 * table[f'{p} {name}']:.1f} ({members[f'{p} {name}']:.0f})"
                    for p in ("QMM", "DREP", "Kappa")
                },
            }
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "error in %")


def stacking() -> str:
    """Return mean errors of stacking over rotations and of its peers, with standard errors over cells that share rows."""
    found = means("rotation_stacking").query("metric == 'error'")
    methods = ["RF", "RRE", "S-RRE/RF"]
    rows = {
        dataset: {
            row.method: f"{100 * row.mean:.2f} ± {100 * row.standard_error:.2f}"
            for row in part.set_index("method").loc[methods].reset_index().itertuples(index=False)
        }
        for dataset, part in found.groupby("dataset", sort=False)
    }
    return markdown(pd.DataFrame.from_dict(rows, orient="index"), "error in %, mean of the cells ± its standard error")


def exact_cells() -> str:
    """Return how many plain cells without randomness have the printed digits."""
    plain = cells("dimension_reduction").query("metric == 'error' and method == 'Plain/NB'")
    equal = (100 * plain["difference"].abs() < 0.0051).sum()
    near = (100 * plain["difference"].abs() < 0.2).sum()
    return f"{equal} of {len(plain)} errors have the printed digits, and {near} come within .2 points."


def diffusion_readings() -> str:
    """Return by reading of the diffusion maps the printed errors within two standard errors, and their mean difference."""
    ours = means("dimension_reduction_readings").query("metric == 'error'")
    ours = ours.assign(**ours["method"].str.extract(r"(?P<method>\S+) (?P<reading>.*)"))
    in_print = pd.read_csv(ROOT / "config/published/dimension_reduction.csv").query("metric in ('error', 'error_sd')")
    in_print = in_print.pivot_table(index=["dataset", "method"], columns="metric", values="value").reset_index()
    both = ours.merge(in_print, on=["dataset", "method"])
    off = (both["mean"] - both["error"]).abs()
    allowed = CHANCE * np.hypot(both["standard_error"], both["error_sd"] / np.sqrt(FOLDS)) + 0.5e-4
    both = both.assign(agrees=off <= allowed, off=off)
    rows = {}
    for reading, part in both.groupby("reading", sort=False):
        alone = part[part["method"].str.startswith("DM/")]
        rows[reading] = {
            **{name: f"{m['agrees'].sum()} of {len(m)}" for name, m in part.groupby("method", sort=False)},
            "all": f"{part['agrees'].sum()} of {len(part)}",
            "mean difference": f"{100 * part['off'].mean():.1f}",
            "mean error of DM in %": f"{100 * alone['mean'].mean():.1f}",
        }
    table = pd.DataFrame.from_dict(rows, orient="index")
    return markdown(table.fillna(""), f"{both['dataset'].nunique()} data sets")


def exrm_squared() -> str:
    """Return errors in percent of ten members with squared losses, and of single machines."""
    rows = {
        "L2-ExRM10": "ExRM, ten members, as printed",
        "L2-ExRM10 exact": "ExRM, ten members, at the optimum",
        "L2-PSVM": "SVM with the same lambda",
    }
    table = errors("exrm", list(rows)).rename(columns=rows).T
    return markdown((100 * table).map("{:.1f}".format), "error in %")


def bounds() -> str:
    """Return bounds on the error beside the error, as means over the data sets of study mixed_pools."""
    found = (
        means("mixed_pools")
        .query("dataset != 'all'")
        .pivot_table(index=["dataset", "method"], columns="metric", values="mean", sort=False)
    )
    columns = {
        "error": "error",
        "C-bound, test rows": "test_c_bound",
        "C-bound, selection rows": "c_bound",
        "order by diversity (6)": "diversity_bound",
        "theorem 2": "linear_bound",
    }
    over = found.groupby("method", sort=False)[list(columns.values())].mean()
    texts = over.map(lambda value: f"{value:.3f}" if np.isfinite(value) else "none")
    return markdown(texts.rename(columns={v: k for k, v in columns.items()}), "method")


def levels() -> str:
    """Return mean errors of study stacking_levels, with standard errors over cells that share rows."""
    found = means("stacking_levels").query("metric == 'error'")
    texts = [
        f"{100 * mean:.2f} ± {100 * error:.2f}"
        for mean, error in zip(found["mean"], found["standard_error"], strict=True)
    ]
    table = found.assign(text=texts).pivot_table(
        index="method", columns="dataset", values="text", aggfunc="first", sort=False
    )
    return markdown(table, "error in %, mean of the cells ± its standard error")


TABLES = {
    "agreement": agreement,
    "bounds": bounds,
    "costs": costs,
    "diffusion-readings": diffusion_readings,
    "exact-naive-bayes": exact_cells,
    "exrm-squared": exrm_squared,
    "levels": levels,
    "qmm-limits": limits_of_pruning,
    "qmm-patience": patience_of_drep,
    "qmm-members": kept_members,
    "pruned-sizes": pruned_sizes,
    "pruned-trees": pruned_trees,
    "stacking": stacking,
}
RANKED = ("dimension_reduction", "drmf", "exrm", "qmm")
"""Studies whose sources print average ranks."""


def tables() -> dict[str, str]:
    """Return the name and the text of each table."""
    made = {name: make() for name, make in TABLES.items()}
    for file in sorted(DATA.glob("*.published.parquet")):
        study = file.name.partition(".")[0]
        if study != "drmf":
            made[f"printed-{study}"] = printed(study)
    made |= {f"ranks-{study}": ranks(study) for study in RANKED}
    return made
