"""Prepare the tables of SmallDataBenchmarks for the study smalldata, and condense its results to one file, the source of its page.

    python benchmarks/smalldata.py prepare SOURCE FOLDER              # SOURCE has tables/NAME.arff.gz
    DATA_MIRROR=FOLDER rotastack run smalldata
    python benchmarks/smalldata.py condense SOURCE results/smalldata  # SOURCE has published.csv.gz
    python benchmarks/smalldata.py                                    # the figure alone, docs/images/smalldata.png

The file, docs/evidence/data/smalldata.parquet, has a row for each number, as that of delgado2014.py. The file has our scores, and
of the published scores the best of each data set, and derived numbers: ranks, tests, hours, and differences from our scores.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import ranking
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold

from rotastack.data.artifacts import read_arrays, read_prepared
from rotastack.data.tables import read_as_written
from rotastack.plots.style import new_figure, save_figure
from rotastack.stats.wilcoxon import holm

OUT = ranking.DATA / "smalldata.parquet"
FIGURE = ranking.DATA.parents[1] / "images/smalldata.png"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"
STUDY = ranking.study_of("smalldata")
OWN = list(STUDY["methods"])
PRETRAINED = ("tabpfn3", "tabpfn", "tabicl", "tabfm")
"""Networks that were trained on other tables before; ranked apart."""
ROPE = 0.01
MOST_ROWS = 10_000
NEW = [
    "appendicitis",
    "artificial-characters",
    "autoUniv-au1-1000",
    "autoUniv-au4-2500",
    "autoUniv-au6-1000",
    "autoUniv-au6-250-drift-au6-cd1-500",
    "autoUniv-au6-cd1-400",
    "autoUniv-au7-300-drift-au7-cpd1-800",
    "autoUniv-au7-700",
    "autoUniv-au7-cpd1-500",
    "banknote-authentication",
    "blogger",
    "climate-simulation-craches",
    "cnae-9",
    "eeg-eye-state",
    "glioma16",
    "leukemia-haslinger",
    "lsvt-voice-rehabilitation",
    "meta-data",
    "micro-mass-mixed-spectra",
    "phoneme",
    "qsar-biodegradation",
    "robot-failure-lp1",
    "robot-failure-lp4",
    "robot-failure-lp5",
    "saheart",
    "seismic-bumps",
    "skin-segmentation",
    "tamilnadu-electricity",
    "texture",
    "thoracic-surgery",
    "thyroid-allbp",
    "thyroid-newthyroid",
    "thyroid-sick",
    "thyroid-sick-euthyroid",
    "turkiye-student",
    "user-knowledge",
    "volcanoes-a1",
    "volcanoes-a2",
    "volcanoes-a4",
    "volcanoes-b1",
    "volcanoes-b2",
    "volcanoes-c1",
    "volcanoes-d1",
    "volcanoes-d2",
    "wholesale-channel",
    "wholesale-region",
    "wilt",
]
"""Data sets whose source is not that of a data set of the registry, or of the study of 179 classifiers."""


def prepare(source: Path, folder: Path) -> None:
    """Write each table with its folds, as the source draws them."""
    folder.mkdir(parents=True, exist_ok=True)
    for dataset in STUDY["datasets"]:
        table = read_as_written(source / f"tables/{dataset['mirror']}.arff.gz")[0]
        if len(table) > MOST_ROWS:
            table = table.iloc[np.random.default_rng(0).choice(len(table), MOST_ROWS, replace=False)]
        table = table.reset_index(drop=True)
        target = table.pop("Class").astype(str)
        columns = {name: _as_source(column) for name, column in table.items()}
        folds = np.empty(len(target), dtype=int)
        for fold, (_, test) in enumerate(StratifiedKFold(4, shuffle=True, random_state=0).split(target, target)):
            folds[test] = fold
        pd.DataFrame(columns).assign(fold=folds, target=target).to_parquet(folder / f"{dataset['mirror']}.parquet")


def _as_source(column: pd.Series) -> pd.Series:
    """Return a column as numbers if it has numbers in over 90 % of its rows, else as text."""
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers.astype(float) if numbers.notna().mean() > 0.9 else column.astype(str)


def scores(folder: Path) -> pd.DataFrame:
    """Return the mean average precision of our methods over the folds, by the source's formula."""
    found = {}
    for dataset in STUDY["datasets"]:
        y = read_prepared(folder / dataset["name"] / "table.parquet").y
        for method in OWN:
            outputs = read_arrays(folder / dataset["name"] / f"methods/{method}.nc")
            rows, proba = outputs["rows"].values.reshape(4, -1), outputs["proba"].values
            proba = proba.reshape(*rows.shape, -1)
            found[dataset["mirror"], method] = np.mean(
                [_average_precision(y[r[r >= 0]], p[r >= 0]) for r, p in zip(rows, proba, strict=True)]
            )
    return pd.Series(found).unstack()[OWN]


def _average_precision(y: np.ndarray, proba: np.ndarray) -> float:
    """Return the average precision of class 1 of two, of more classes the mean weighted by their rows."""
    n_classes = proba.shape[1]
    if n_classes == 2:
        return average_precision_score(y, proba[:, 1])
    return average_precision_score(np.eye(n_classes)[y], proba, average="weighted")


def tests_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return the tests of the control against each method, on the data sets that both have."""
    of_each = [
        ranking.tests_of(table[[ranking.CONTROL, rival]].dropna(), [rival], ROPE).assign(
            data_sets=table[rival].notna().sum(), apart=(table[rival] - table[ranking.CONTROL]).mean()
        )
        for rival in table.columns.drop(ranking.CONTROL)
    ]
    found = pd.concat(of_each)
    return found.assign(p_holm=holm(found["p"]))


def condense(source: Path, folder: Path) -> None:
    """Write the file."""
    published = pd.read_csv(source / "published.csv.gz")
    theirs = published.groupby(["dataset", "method"])["prauc"].mean().unstack()
    table = scores(folder).join(theirs)
    tuned = [m for m in theirs if m not in PRETRAINED]
    facts = pd.DataFrame.from_dict(
        {d["mirror"]: {"rows": d["rows"], **d["roughly"], "new": float(d["mirror"] in NEW)} for d in STUDY["datasets"]},
        orient="index",
    ).loc[table.index]
    as_prepared = {
        name: {
            "rows": f["rows"],
            "class_counts": range(int(f["classes"])),
            "numeric_columns": 1,
            "categorical_columns": 0,
            "few_valued_columns": 0,
        }
        for name, f in facts.iterrows()
    }
    over = {"all": table, "new": table[facts["new"] == 1]}
    over |= {kind: table.loc[of] for kind, of in ranking.kinds_of(as_prepared).items()}
    numbers = ranking.Numbers()
    for name, part in over.items():
        if len(part) < 2:
            continue
        ranked = part[[ranking.CONTROL, *tuned]]
        numbers.add("ranks", name, ranking.ranks_of(ranked))
        numbers.add("means", name, part.mean().to_frame("score"))
        numbers.add("tests", name, tests_of(part))
        numbers.add_facts("friedman", name, {"data_sets": len(part), **ranking.friedman_of(ranked)})
    numbers.add("scores", "all", table[OWN], "dataset", "method", name="average_precision")
    sets = facts.assign(best=table[tuned].max(axis=1), apart_RF=table["RF"] - table["random_forest"])
    numbers.add("sets", "all", sets, "dataset")
    numbers.add_best(table[tuned])
    seconds = published.groupby(["dataset", "method"])["seconds"].first().unstack().loc[table.index]
    hours = pd.concat([ranking.hours_of(folder), (seconds.sum() / 3600).to_frame("hours")])
    numbers.add("hours", "all", hours)
    numbers.write(OUT)


def draw(file: Path = FIGURE) -> None:
    """Draw the methods' mean scores, less Rotastack's, against their hours."""
    found = pd.read_parquet(OUT)
    hours = found.query("table == 'hours'").set_index("method")["value"]
    tests = found.query("table == 'tests' and over == 'all'").pivot(index="method", columns="name", values="value")
    apart = tests["apart"].reindex(hours.index).fillna(0.0)
    axes = (figure := new_figure(8, 4.2)).subplots()
    for name in hours.index:
        color = BLUE if name in OWN else ORANGE if name in PRETRAINED else GREY
        axes.scatter(hours[name], apart[name], color=color, s=30)
        right = name in ("random_forest", "xgboost")  # their labels would cover others
        axes.annotate(
            name,
            (hours[name], apart[name]),
            xytext=(-5 if right else 5, 3),
            textcoords="offset points",
            ha="right" if right else "left",
            fontsize=8,
            color=color,
        )
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set(
        xscale="log",
        xlabel="hours for all data sets; blue: ours on one core; others as published, orange: pretrained",
        title="mean score less Rotastack's",
    )
    axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, file)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"prepare": prepare, "condense": condense}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
    if OUT.exists():
        draw()
