"""Condense finished studies of the papers to small files, the source of their pages of evidence.

    DATA_MIRROR=FOLDER rotastack run STUDY
    python benchmarks/papers.py results/STUDY ...

The program writes to docs/evidence/data/papers for each study

- STUDY.parquet: a row for each data set, method and measure, with the mean over splits, the standard error of the mean and the
  number of splits. The row of the data set "all" has the minutes of processor time of all steps, and the number of jobs.
- STUDY.published.parquet: the published cells beside ours, with the reason for each difference.
- STUDY.claims.csv: the tests of the published claims.
- STUDY.splits.csv, of studies with fewer than six data sets: by data set the two methods of each claim and pair over the splits or
  cells: the mean difference, shares won, tied and lost, and the p-values of Wilcoxon's test, which the thesis takes and which is
  too small, as splits share rows, and of the corrected t test.

docs/images/papers gets the figures of the pages. A study at another size than the full one keeps its name.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from tables.claims import ENOUGH

from rotastack.base.documents import load_yaml
from rotastack.files import read_json
from rotastack.plots.critical_difference import plot_critical_difference
from rotastack.plots.curves import plot_curves
from rotastack.plots.style import save_figure
from rotastack.stats import compare
from rotastack.stats.pairs import compare_pair
from rotastack.stats.wilcoxon import signed_rank_p
from rotastack.workflow.judge.published_columns import compare_with_published

ROOT = Path(__file__).resolve().parents[1]
OUT, IMAGES = ROOT / "docs/evidence/data/papers", ROOT / "docs/images/papers"
AXES = ("dataset", "method", "split", "rotation_group", "fold_group")
LEFT_OUT = (
    "balanced_accuracy",
    "roc_auc",
    "average_precision",
    "f1",
    "log_loss",
    "brier",
    "training_disagreement",
    "voters",
)
"""Scores that no paper prints."""
FIGURES = {
    "rotation_stacking": ("waveform-21/heatmap_drawn", "iris/histogram"),
    "drmf": ("sonar/margin_distributions", "sonar/kappa_error"),
    "drmf_noise": ("study/sweep-1", "study/sweep-2"),
    "exrm_lambda": ("study/sweep-1",),
    "qmm": ("sonar/margin_distributions", "ionosphere/ordered_curves"),
    "qmm_curves": ("study/sweep-2", "study/sweep-3"),
    "dimension_reduction_members": ("study/sweep-1",),
}
"""Study -> figures that its paper's page shows."""
RANKED = {
    "rotation_scaling": ["RF minmax", "RR-RF minmax", "ET minmax", "RR-ET minmax", "RotF minmax"],
    "drmf": ["J48", "Bagging", "AdaBoostM1", "RotF", "DRSF", "DRMF", "DRMF oob"],
    "dimension_reduction": [
        f"{e}/J48" for e in ("Plain", "RP", "RS", "DM", "DM+AdaBoost", "Bagging", "AdaBoost", "RotF")
    ],
}
"""Study -> methods whose ranks are drawn."""


def condensed(folder: Path) -> pd.DataFrame:
    """Return the means of a finished study, one row for each data set, method and measure."""
    scores = pd.read_parquet(folder / "scores.parquet")
    measures = [name for name in scores if name not in (*AXES, *LEFT_OUT)]
    rows = scores.melt(["dataset", "method"], measures, "metric", "value").dropna(subset="value")
    means = rows.groupby(["dataset", "method", "metric"], sort=False)["value"].agg(["mean", "sem", "size"])
    means = means.set_axis(["mean", "standard_error", "splits"], axis=1).reset_index()
    records = [read_json(file) for file in folder.rglob("*.run.json")]
    minutes = sum(record["processor_seconds"] for record in records) / 60
    means.loc[len(means)] = ["all", "all", "processor_minutes", minutes, np.nan, len(records)]
    means[["mean", "standard_error"]] = means[["mean", "standard_error"]].map(lambda value: float(f"{value:.6g}"))
    return means


def published(folder: Path, study: str) -> pd.DataFrame:
    """Return the cells of a study's source beside ours, with the reasons in the repository."""
    source = ROOT / f"config/published/{study}"
    cells = pd.read_csv(source.with_suffix(".csv"), dtype={"table": str, "note": str, "value": str})
    about = load_yaml(source.with_suffix(".yaml"))
    scores = pd.read_parquet(folder / "scores.parquet")
    frame, _ = compare_with_published(scores, cells, about.get("reasons", []), about.get("datasets", ()))
    return frame.drop(columns="note")


def by_split(folder: Path) -> pd.DataFrame:
    """Return tests over the splits of each data set, of the methods of the study's claims and pairs: the first less the second."""
    scores = pd.read_parquet(folder / "scores.parquet")
    pairs = pd.read_csv(folder / "tables/pairs.csv")
    corrected = {(r.dataset, r.second, r.first): r.p_value for r in pairs.itertuples()}
    corrected |= {(r.dataset, r.first, r.second): r.p_value for r in pairs.itertuples()}
    claims = pd.read_csv(folder / "tables/claims.csv")
    named = [tuple(row) for row in claims[["what", "of", "than"]].to_numpy()]
    named += [("error", *row) for row in pairs[["second", "first"]].to_numpy() if ("error", *row[::-1]) not in named]
    rows = []
    for what, of, than in dict.fromkeys(named):
        cells = scores.pivot_table(
            index=[a for a in AXES if a in scores and a != "method"], columns="method", values=what, sort=False
        )
        for name, part in cells[[of, than]].dropna().groupby(level="dataset", sort=False):
            found = compare_pair(part[of], part[than], higher_is_better=False)
            p = corrected.get((name, of, than)) if what == "error" else _claimed_p(claims, what, of, than)
            rows.append(
                {
                    "dataset": name,
                    "what": what,
                    "of": of,
                    "than": than,
                    "splits": found.n,
                    "difference": found.difference,
                    "won": found.wins_first,
                    "tied": found.ties,
                    "lost": found.wins_second,
                    "p_wilcoxon": signed_rank_p(np.round(part[of] - part[than], 12).to_numpy()),
                    "p_corrected": p,
                }
            )
    return pd.DataFrame(rows)


def _claimed_p(claims: pd.DataFrame, what: str, of: str, than: str) -> float:
    """Return the p-value of a claim about one data set, NaN about several."""
    row = claims.set_index(["what", "of", "than"]).loc[(what, of, than)]
    return row["p_value"] if row["n_datasets"] == 1 else np.nan


def noise_curves(folder: Path, destination: Path) -> None:
    """Draw errors by columns of noise, tables 2.4 and 2.5 of the thesis as curves."""
    scores = pd.read_parquet(folder / "scores.parquet")
    names = scores["dataset"].str.extract(r"(?P<like>.*)-noise-(?P<columns>\d+)").astype({"columns": int})
    means = scores.assign(**names).groupby(["like", "method", "columns"])["error"].mean()
    methods = ("SVM", "KNN-5", "RRE", "EXP", "LIN", "NEW")
    panels = {
        like: {method: (part[like, method].index, part[like, method].to_numpy()) for method in methods}
        for like, part in ((like, means) for like in ("iris", "ionosphere"))
    }
    figure = plot_curves(panels, "columns of noise", "error", log=True, ticks=sorted(set(names["columns"])))
    save_figure(figure, destination)


def ranks(folder: Path, methods: list[str], destination: Path) -> None:
    """Draw average ranks over the data sets with all methods, and Nemenyi's critical difference."""
    scores = pd.read_parquet(folder / "scores.parquet")
    means = scores.pivot_table(index="dataset", columns="method", values="error", sort=False)[methods]
    save_figure(plot_critical_difference(compare(means.dropna(), False)), destination)


def main(folders: list[str]) -> None:
    """Write the files of each study."""
    OUT.mkdir(exist_ok=True)
    IMAGES.mkdir(exist_ok=True)
    for folder in map(Path, folders):
        study = folder.name.partition("-")[0]  # results of a size are in STUDY-SIZE
        condensed(folder).to_parquet(OUT / f"{study}.parquet", index=False)
        if (ROOT / f"config/published/{study}.csv").is_file():
            published(folder, study).to_parquet(OUT / f"{study}.published.parquet", index=False)
        claims = pd.read_csv(folder / "tables/claims.csv")
        claims.to_csv(OUT / f"{study}.claims.csv", index=False, float_format="%.6g", lineterminator="\n")
        if claims["n_datasets"].max() < ENOUGH:
            by_split(folder).to_csv(OUT / f"{study}.splits.csv", index=False, float_format="%.6g", lineterminator="\n")
        for figure in FIGURES.get(study, ()):
            shutil.copy(folder / f"figures/{figure}.svg", IMAGES / f"{study}-{figure.replace('/', '-')}.svg")
        if study in RANKED:
            ranks(folder, RANKED[study], IMAGES / f"{study}-ranks.svg")
        if study == "rotation_noise":
            noise_curves(folder, IMAGES / "rotation_noise-curves.svg")
        print(f"{study}: {json.dumps({f.name: f.stat().st_size for f in sorted(OUT.glob(f'{study}.*'))})}")


if __name__ == "__main__":
    main(sys.argv[1:])
