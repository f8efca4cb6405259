"""Condense the study delgado2014 to one file, the source of its page of evidence, a sentence of README and a figure.

    DATA_MIRROR=FOLDER rotastack run delgado2014                      # the folder has the data sets and published.csv
    DATA_MIRROR=FOLDER python benchmarks/delgado2014.py results/delgado2014
    python benchmarks/delgado2014.py                                  # the figure alone, docs/images/classifiers.png

The file, docs/evidence/data/delgado2014.parquet, has a row for each number: its ``table``, its data sets (``over``), the
``method``, the ``dataset``, its ``name`` and ``value``. The file has our scores; of the published scores the file has only
derived numbers: ranks, tests, and how often few data sets identify the best method. The published accuracies may not be
redistributed.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from ranking import (
    CONTROL,
    DATA,
    Numbers,
    friedman_of,
    hours_of,
    kinds_of,
    ranks_of,
    scores_beside,
    study_of,
    with_means,
)

from rotastack.data.artifacts import read_prepared
from rotastack.plots.style import new_figure, save_figure
from rotastack.stats.bayesian import bayesian_table
from rotastack.stats.nemenyi import critical_difference
from rotastack.stats.wilcoxon import holm, signed_rank_p, wilcoxon_holm

OUT = DATA / "delgado2014.parquet"
FIGURE = DATA.parents[1] / "images/classifiers.png"
BLUE, GREY = "#0072B2", "#777777"
BEST, POINT = 20, 1.0
SUBSETS, DRAWS = (3, 6, 12, 20, 30, 50, 80), 4000
STUDY = study_of("delgado2014")
OWN = list(STUDY["methods"])


def accuracies(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return accuracies in percent, ours and published with failures as means; facts of data sets; those left out."""
    names = {d["name"]: d["mirror"] for d in STUDY["datasets"]}
    ours, theirs = (100 - 100 * errors for errors in scores_beside(folder, STUDY))
    facts = pd.DataFrame.from_dict(
        {names[d]: _facts(folder / d) for d in names if (folder / d).is_dir()}, orient="index"
    )
    return ours.join(with_means(theirs.round(4))), facts, [names[d] for d in STUDY["evaluation"]["left_out"]]


def _facts(folder: Path) -> dict[str, float]:
    """Return the rows, columns and classes of a data set, and how many of its columns have fewer than ten values."""
    table = read_prepared(folder / "table.parquet")
    columns, (classes, counts) = pd.DataFrame(table.numeric), np.unique(table.y, return_counts=True)
    return {
        "rows": len(columns),
        "columns": columns.shape[1],
        "classes": len(classes),
        "few_valued": int((columns.nunique() < 10).sum()),
        "smallest_class": int(counts.min()),
    }


def _as_prepared(facts: pd.DataFrame) -> dict[str, dict]:
    """Return the facts of data sets in the form of the records of their preparation."""
    return {
        name: {
            "rows": f["rows"],
            "class_counts": range(int(f["classes"])),
            "numeric_columns": f["columns"],
            "categorical_columns": 0,
            "few_valued_columns": f["few_valued"],
        }
        for name, f in facts.iterrows()
    }


def named(table: pd.DataFrame, size: int, rng: np.random.Generator) -> dict[str, float]:
    """Return how often random data sets rank the best method of all data sets first, or among three, and the overall rank of their winner."""
    ranks = table.rank(axis=1, ascending=False).to_numpy()
    places = ranks.mean(axis=0).argsort(kind="stable").argsort() + 1
    first = [
        places[ranks[rng.choice(len(table), size, replace=False)].mean(axis=0).argsort(kind="stable")[:3]]
        for _ in range(DRAWS)
    ]
    winners = np.array(first)
    return {
        "best": (winners[:, 0] == 1).mean(),
        "of_three": (winners == 1).any(axis=1).mean(),
        "winner": np.median(winners[:, 0]),
    }


def seen(table: pd.DataFrame, size: int, rng: np.random.Generator) -> dict[str, float]:
    """Return how often Wilcoxon's test finds a difference between the control and the random forest on random data sets, alone and among all comparisons."""
    rivals = [m for m in OWN if m != CONTROL]
    differences = np.round(table[[CONTROL]].to_numpy() - table[rivals].to_numpy(), 12)
    found = np.empty((DRAWS, 2), dtype=bool)
    for draw in found:
        chosen = differences[rng.choice(len(table), size, replace=False)]
        p = pd.Series([signed_rank_p(column) for column in chosen.T], rivals)
        draw[:] = p["RF"] < 0.05, holm(p)["RF"] < 0.05
    return {"alone": found[:, 0].mean(), "of_all": found[:, 1].mean()}


def main(folder: Path) -> None:
    """Write the file."""
    table, facts, left_out = accuracies(folder)
    whole = table.dropna()
    ranked = whole.drop(index=left_out, errors="ignore")
    numbers = Numbers()
    over = {"ranked": ranked, "all": whole}
    over |= {kind: ranked.loc[ranked.index.intersection(of)] for kind, of in kinds_of(_as_prepared(facts)).items()}
    for name, part in over.items():
        found = ranks_of(part)
        share = 100 * part.div(part.max(axis=1), axis=0).mean()
        numbers.add("ranks", name, found.assign(accuracy=part.mean(), share=share))
        about = {"data_sets": float(len(part))}
        if name in ("ranked", "all"):
            rivals = found["rank"].drop(CONTROL).nsmallest(BEST).index
            tested = wilcoxon_holm(part, CONTROL, True)  # against all, as the twenty are chosen by their results
            numbers.add(
                "tests", name, tested.loc[rivals].join(bayesian_table(part[[CONTROL, *rivals]], CONTROL, True, POINT))
            )
            best = list(found["rank"].nsmallest(BEST).index)
            numbers.add("best", name, part[best].rank(axis=1, ascending=False).mean().to_frame("rank"))
            about |= friedman_of(part) | {"critical_difference": critical_difference(BEST, len(part))}
        numbers.add_facts("friedman", name, about)
    numbers.add("scores", "all", table[OWN], "dataset", "method", name="accuracy")
    theirs = table.drop(columns=OWN)
    sets = facts.assign(
        best=theirs.max(axis=1), rf_caret=theirs["rf_caret"], left_out=facts.index.isin(left_out).astype(int)
    )
    numbers.add("sets", "all", sets, "dataset")
    numbers.add_best(theirs)
    rng = np.random.default_rng(20141001)
    twenty = list(ranks_of(ranked)["rank"].nsmallest(BEST).index)
    for size in SUBSETS:
        for name, methods in (("all methods", list(ranked)), ("best twenty", twenty), ("ours", OWN)):
            numbers.add_facts("subsets", name, named(ranked[methods], size, rng), size=size)
        numbers.add_facts("power", "ranked", seen(ranked, size, rng), size=size)
    numbers.add("hours", "all", hours_of(folder))
    numbers.write(OUT)


def draw(file: Path = FIGURE) -> None:
    """Draw the average ranks of the best methods, and how often few data sets identify the best method."""
    found = pd.read_parquet(OUT)
    figure = new_figure(11, 4.2)
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1])
    ranks = found.query("table == 'ranks' and over == 'ranked'").pivot(index="method", columns="name", values="value")
    shown = ranks.sort_values("rank")[:BEST][::-1]
    for row, (name, rank) in enumerate(shown.iterrows()):
        color = BLUE if name in OWN else GREY
        left.plot([rank["lower"], rank["upper"]], [row, row], color=color, linewidth=1.5)
        left.scatter(rank["rank"], row, color=color, s=28, zorder=3)
    left.set_yticks(range(len(shown)), list(shown.index), fontsize=8)
    for label in left.get_yticklabels():
        label.set_color(BLUE if label.get_text() in OWN else "black")
    sets = found.query("table == 'friedman' and over == 'ranked'").set_index("name")["value"]
    left.set(title=f"average rank among {sets['methods']:.0f} methods, {sets['data_sets']:.0f} data sets: 1 is best")
    left.spines[["top", "right", "left"]].set_visible(False)
    left.tick_params(axis="y", length=0)
    named = found.query("table == 'subsets' and name == 'best'").pivot(index="size", columns="over", values="value")
    for over, style in (("all methods", "-"), ("best twenty", "--"), ("ours", ":")):
        label = {"all methods": "186 methods", "best twenty": "the best twenty", "ours": "our seven"}[over]
        right.plot(named.index, 100 * named[over], style, color=BLUE, marker="o", markersize=4, label=label)
    right.axhline(50, color=GREY, linewidth=0.8)
    right.set(title="how often they name the same best, %", xlabel="data sets", ylim=(0, 102))
    right.legend(frameon=False, loc="lower right")
    right.spines[["top", "right"]].set_visible(False)
    save_figure(figure, file)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    draw()
