"""Tables of evidence: printed results beside ours, and the flagship's, from files of the repository."""

import pandas as pd
import yaml

from _site import results
from _site.project import DOCS, ROOT

__all__ = [
    "ablation",
    "exrm",
    "exrm_squared",
    "multi_rotation",
    "overview",
    "reduction",
    "reduction_scaling",
    "rotation_scaling",
    "rotation_weights",
    "summary",
]

PUBLISHED = ROOT / "config/published"
DATA = DOCS / "evidence/data"
OURS = DATA / "ours.csv"
"""Mean errors of full runs of ours, as their reports had them."""


def summary(_docname: str) -> str:
    """Return the summary of the flagship and its peers over all sets."""
    return "\n".join(results.summary_lines())


def ablation(_docname: str) -> str:
    """Return what each family is worth: the changes that leave something out, and what another seed does."""
    header, rule, *rows = results.lines_of_table("evidence/flagship-ablation.md")
    kept = [row for row in rows if row.startswith(("| another seed", "| without", "| trees_per_family", "| ridge"))]
    columns = (0, 1, 2, 5, 6, 9)
    return "\n".join(_columns(line, columns) for line in (header, rule, *kept))


def _columns(line, numbers):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return f"| {' | '.join(cells[n] for n in numbers)} |"


def overview(_docname: str) -> str:
    """Return the sources whose printed results are kept, with how many cells, and the study that repeats them."""
    lines = ["| study | source | tables | printed numbers |", "|---|---|---|---|"]
    for file in sorted(PUBLISHED.glob("*.csv")):
        cells = pd.read_csv(file, dtype={"table": str})
        about = yaml.safe_load(file.with_suffix(".yaml").read_text())
        source = " ".join(about["source"].split()).replace("|", "\\|")
        tables = ", ".join(dict.fromkeys(cells["table"]))
        study = f"[`{file.stem}`](../reference/studies.md#studies-{file.stem.replace('_', '-')})"
        lines.append(f"| {study} | {source} | {tables} | {len(cells)} |")
    return "\n".join(lines)


def rotation_weights(_docname: str) -> str:
    """Return errors of the weightings of rotations, the printed ones in brackets; rows are data sets."""
    return _beside("rotation_weights", "dataset", lambda v: f"{v:.4f}".removeprefix("0"))


def exrm(_docname: str) -> str:
    """Return errors of linear machines in percent, the printed ones in brackets; rows are methods."""
    return _beside("exrm", "method", lambda v: f"{100 * v:.1f}")


def exrm_squared(_docname: str) -> str:
    """Return errors in percent of ten members with squared losses, and of single machines; printed ones in brackets."""
    rows = {
        "ExRM, ten members, as printed": "L2-ExRM10",
        "ExRM, ten members, at the optimum": "L2-ExRM10 exact",
        "SVM with the same lambda": "L2-PSVM",
    }
    header, rule, *lines = exrm("").splitlines()
    found = {line.removeprefix("| ").partition(" | ")[0]: line for line in lines}
    shown = [found[method].replace(f"| {method} |", f"| {title} |", 1) for title, method in rows.items()]
    return "\n".join([header, rule, *shown])


def multi_rotation(_docname: str) -> str:
    """Return on which share of the repeats the multi-rotation forest beats the forest, here and as printed."""
    ours = pd.read_csv(DATA / "multi_rotation.csv").set_index("dataset")["wins"]
    printed = pd.read_csv(PUBLISHED / "multi_rotation.csv").query("metric == 'wins' and method == 'MRF'")
    printed = printed.set_index("dataset")["value"]
    lines = ["| repeats won, in % | here | printed |", "|---|---|---|"]
    lines += [f"| {name} | {100 * won:.0f} | {100 * printed[name]:.0f} |" for name, won in ours.items()]
    return "\n".join(lines)


def reduction(_docname: str) -> str:
    """Return ranks and improvements of ensembles on reduced dimensions, the printed ones in brackets."""
    ours = pd.read_csv(DATA / "reduction_ranks.csv", dtype={"value": str})
    short = {"1-NN": "NN", "naive Bayes": "NB"}
    printed = pd.read_csv(PUBLISHED / "dimension_reduction.csv").query("dataset == 'all'")
    printed = printed.set_index(["metric", "method"])["value"]
    methods = list(dict.fromkeys(ours["method"]))
    lines = [f"| | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    for (measure, inducer), cells in ours.groupby(["measure", "inducer"], sort=False):
        values = cells.set_index("method")["value"]
        shown = [f"{measure}, {inducer}"]
        for method in methods:
            key = (measure, f"{method}/{short.get(inducer, inducer)}")
            in_print = ""
            if key in printed:
                in_print = _percent(printed[key]) if measure == "improvement" else f"{printed[key]:.2f}"
                in_print = f" ({in_print})"
            shown.append(values.get(method, "") + in_print)
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def reduction_scaling(_docname: str) -> str:
    """Return errors in percent on columns as they are and on scaled ones, beside the printed ones."""
    printed = _printed_errors("dimension_reduction")
    lines = ["| error in % | unscaled, here | printed | scaled, here |", "|---|---|---|---|"]
    for row in pd.read_csv(DATA / "reduction_scaling.csv").itertuples():
        shown = (row.unscaled, printed[row.dataset, row.method], row.scaled)
        cells = " | ".join(f"{100 * share:.1f}" for share in shown)
        lines.append(f"| {row.method}, {row.dataset} | {cells} |")
    return "\n".join(lines)


def rotation_scaling(_docname: str) -> str:
    """Return errors of a random forest and of one on random rotations, the printed ones in brackets."""
    printed = _printed_errors("rotation_scaling")
    ours = pd.read_csv(DATA / "rotation_scaling.csv").pivot(index="dataset", columns="method", values="error")
    lines = [f"| error | {' | '.join(name.partition(' ')[0] for name in ours)} |", "|---|---|---|"]
    for name, errors in ours.iterrows():
        cells = [f"{error:.3f} ({printed[name, method]:.3f})".replace("0.", ".") for method, error in errors.items()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _printed_errors(study):
    cells = pd.read_csv(PUBLISHED / f"{study}.csv").query("metric == 'error'")
    return cells.drop_duplicates(["dataset", "method"]).set_index(["dataset", "method"])["value"]


def _percent(share):
    return f"{100 * share:.3g}".replace("0.", ".", 1) if abs(share) < 0.01 else f"{100 * share:.3g}"


def _beside(study, rows, shown):
    columns = {"dataset": "method", "method": "dataset"}[rows]
    ours = pd.read_csv(OURS).query("study == @study")
    printed = pd.read_csv(PUBLISHED / f"{study}.csv").query("metric == 'error'")
    printed = printed.drop_duplicates(["dataset", "method"]).set_index([rows, columns])["value"]
    table = ours.pivot(index=rows, columns=columns, values="error")
    table = table.loc[ours[rows].unique(), ours[columns].unique()]
    lines = [f"| | {' | '.join(table)} |", "|---" * (table.shape[1] + 1) + "|"]
    for name, values in table.iterrows():
        cells = [
            shown(value) + (f" ({shown(printed[name, other])})" if (name, other) in printed else "")
            for other, value in values.items()
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
