"""report: one self-contained HTML page."""

import json
import re
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from rotastack import __version__
from rotastack.files import write_text
from rotastack.project import project_file
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, PRIMARY
from rotastack.study.artifacts import read_frame
from rotastack.study.job import Job
from rotastack.study.pages import inline_figure, page_environment, read_explanation
from rotastack.tracking.records import read_record

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "xgboost-cpu", "snakemake", "mlflow-skinny")

INPUTS = (
    "comparison",
    "variance",
    "figures",
    "prepare",
    "folds",
    "scored",
    "tables",
    "benchmarks/",
    "explanations",
)
OUTPUTS = ("report",)
ABOUT = ("control", "skipped")
RANKED_TOO = {"classification": ("log_loss", "brier"), "regression": ("mae",)}
"""Other scores whose ranks stand beside the first one's; methods are set against the control by the first of them."""


def run(job: Job) -> None:
    """Read statistics, figures, records and benchmarks; write output ``report``."""
    study = job.spec
    task = study["task"]
    primary = PRIMARY[task]
    tables = {path.stem: path for path in job.inputs["tables"]}
    comparison = json.loads(job.input("comparison").read_text(encoding="utf-8"))
    variance, _ = read_frame(job.input("variance"))
    methods = list(study["methods"])
    environment = page_environment()
    environment.filters |= {
        "caption": lambda name: _caption(name, task),
        "number": _number,
        "score": _number if task == "classification" else _significant,
        "p": _p_value,
        "percent": _percent,
        "zip": zip,
    }
    figures = {f"{p.parent.name}/{p.stem}": inline_figure(p) for p in job.inputs["figures"]}
    page = environment.get_template("report.html.j2").render(
        study=study,
        control=job.about["control"],
        alpha=study["evaluation"]["alpha"],
        methods=methods,
        datasets=_datasets(job, variance),
        comparison=comparison,
        verdict=_verdict(
            comparison[primary], NAMES[primary], methods, job.about["control"], study["evaluation"]
        ),
        names=NAMES,
        primary=primary,
        score_name=NAMES[primary],
        scores_name="Errors" if primary == "error" else NAMES[primary],
        other_scores=[name for name in METRICS[task] if name != primary],
        ranked_too=RANKED_TOO[task],
        baseline_name=BASELINE[task],
        baseline={row["dataset"]: row for row in _table(tables["baseline"])},
        figures=figures,
        cells=study["cells"],
        pairs=_table(tables["pairs"]),
        facts=(facts := _table(tables["facts"], drop=True)),
        explanations={e["dataset"]: e for e in map(read_explanation, job.inputs.get("explanations", []))},
        claims=[_sentence(claim) for claim in _table(tables["claims"])],
        fact_names=[name for name in facts[0] if name not in ("dataset", "method")] if facts else [],
        notes=_notes(job, comparison),
        times=_times(pd.DataFrame(_table(tables["times"])), job.about["control"], methods),
        seconds=_seconds(
            job.input("benchmarks"), [record["dataset"] for record in map(read_record, job.inputs["prepare"])]
        ),
        configuration=yaml.safe_dump(
            {k: v for k, v in study.items() if k != "cells"}, sort_keys=False, allow_unicode=True, width=100
        ),
        versions={"rotastack": __version__, **{name: version(name) for name in LIBRARIES}},
    )
    write_text(job.output("report"), page)


def _table(path: Path, drop: bool = False) -> list[dict]:
    """Return the rows of a CSV file, without empty columns if asked to; none if it is empty."""
    if not path.read_text(encoding="utf-8").strip():
        return []
    frame = pd.read_csv(path)
    return (frame.dropna(axis="columns", how="all") if drop else frame).to_dict("records")


def _datasets(job: Job, variance: pd.DataFrame) -> list[dict]:
    """Return the facts and scores of each data set, in the study's order."""
    by_name = {r["dataset"]: r for r in map(read_record, job.inputs["prepare"])}
    return [
        {
            "name": str(name),
            "facts": by_name[name]["metrics"],
            "rows": part.to_dict("records"),
            "means": part.set_index("method").to_dict("index"),
            "best": _best(part, job.spec["methods"]),
        }
        for name, part in variance.groupby("dataset", sort=False)
    ]


def _best(part: pd.DataFrame, methods: dict) -> str | None:
    """Return the method of least mean error, of those that do not choose by the test rows."""
    fair = part[[methods[m]["combiner"].get("selection") != "test" for m in part["method"]]]
    return fair.loc[fair["mean"].idxmin(), "method"] if fair["mean"].notna().any() else None


def _verdict(result: dict, score: str, methods: list[str], control: str, evaluation: dict) -> list[str]:
    """Say in sentences what came out, and how sure that is: by group, if the study has groups."""
    if "groups" in result:
        return [_of_group(name, found, score, evaluation) for name, found in result["groups"].items()]
    if "average_ranks" not in result:
        return ["No data set has scores of all methods; see the notes."]
    ranks = pd.Series(result["average_ranks"]).sort_values(kind="stable")
    n = result["n_datasets"]
    sentences = [
        f"By average rank of the {score} over {n} data set{'s' if n > 1 else ''} the order is {_order(ranks)}."
    ]
    for method in methods:
        if method == control or method not in ranks or method not in result.get("improvement", {}):
            continue
        wins = result["wins"][method][control]
        gain = result["improvement"][method]
        if not np.isfinite(gain):
            change = f"finds no {score} of {control} to lower"
        elif round(gain, 1) == 0:
            change = f"leaves its {score} as it is on average"
        else:
            change = f"{'lowers' if gain > 0 else 'raises'} its {score} by {abs(gain):.1f} % on average"
        sentences.append(
            f"{method} wins against {control} on {wins:g} of {n} (ties count half); it {change}."
        )
    if "p_value" in result:
        alpha = evaluation["alpha"]
        sentences.append(
            _friedman(result["p_value"], alpha, f"{n} data sets", _different_pairs(result, alpha))
        )
    return sentences


def _of_group(name: str, found: dict, score: str, evaluation: dict) -> str:
    title = (
        "All groups (a row is a data set in one group)"
        if name == "all"
        else evaluation["groups"][name]["title"] or name
    )
    if "average_ranks" not in found:
        return f"{title}: no data set has scores of all methods; see the notes of the group."
    what = ("row" if name == "all" else "data set") + ("s" if found["n_rows"] > 1 else "")
    n = f"{found['n_rows']} {what}"
    ranks = pd.Series(found["average_ranks"]).sort_values(kind="stable")
    rank_of = "accuracy" if score == "error" else score
    text = f"{title}: by average rank of the {rank_of} over {n} the order is {_order(ranks)}."
    if "p_value" in found:
        pairs = [f"{a} and {b}" for a, b in found["different"]]
        text += " " + _friedman(found["p_value"], evaluation["alpha"], n, pairs)
    return text


def _order(ranks: pd.Series) -> str:
    return ", ".join(f"{m} ({r:.2f})" for m, r in ranks.items())


def _friedman(p: float, alpha: float, n: str, pairs: list[str]) -> str:
    if p >= alpha:
        return f"Friedman's test sees no difference between the methods (p = {p:.3g}): with {n} the order above may be chance."
    found = "; ".join(pairs) if pairs else "none of the pairs"
    return f"Friedman's test says that the methods differ (p = {p:.3g}); by Nemenyi's test these pairs do: {found}."


def _sentence(claim: dict) -> dict:
    """Say what a claim was, and what came out."""
    what = NAMES.get(claim["what"], claim["what"].replace("_", " "))
    relation = "as that of" if claim["expect"] == "equal" else "than that of"
    found = f"{claim['difference']:+.4f} on average over {claim['n_datasets']} data sets"
    if claim["expect"] != "equal":
        found += f", {claim['expect']} on {claim['in_favour'] * claim['n_datasets']:.0f}"
        if claim["ties"] > 0:
            found += f" and the same on {claim['ties'] * claim['n_datasets']:.0f}"
    expect = "the same" if claim["expect"] == "equal" else claim["expect"]
    return {
        "text": f"{what} of {claim['of']} is {expect} {relation} {claim['than']}",
        "found": found,
        "p_value": claim["p_value"],
        "holds": "no sign against it" if claim["holds"] and claim["expect"] == "equal" else "yes" if claim["holds"] else "not shown",
    }  # fmt: skip


def _different_pairs(result: dict, alpha: float) -> list[str]:
    table = pd.DataFrame(result["nemenyi_p"])
    names = list(table.columns)
    return [f"{a} and {b}" for i, a in enumerate(names) for b in names[i + 1 :] if table.loc[a, b] < alpha]


def _notes(job: Job, comparison: dict) -> list[str]:
    notes = list(comparison[PRIMARY[job.spec["task"]]]["notes"])
    for name in ("prepare", "folds", "scored"):
        for path in job.inputs[name]:
            record = read_record(path)
            notes += [f"{record['dataset']}: {warning}" for warning in record["warnings"]]
    return notes + [str(s) for s in json.loads(job.about.get("skipped", "[]"))]


def _times(table: pd.DataFrame, control: str, methods: list[str]) -> list[dict]:
    """Return what each method costs in times of the control: the median over data sets, and the most."""
    if not len(table) or control not in set(table["method"]):
        return []
    rows: dict[str, dict] = {m: {"method": m} for m in methods if m in set(table["method"])}
    for kind in ("fit", "predict"):
        wide = table.pivot(index="dataset", columns="method", values=f"{kind}_seconds")
        ratios = wide.div(wide[control], axis=0)
        for m, row in rows.items():
            row |= {kind: ratios[m].median(), f"{kind}_most": ratios[m].max()}
    return list(rows.values())


def _seconds(folder: Path, datasets: list[str]) -> list[dict]:
    """Sum Snakemake's benchmark files of these data sets by rule: ``<rule>/<data set>.<what else>``, or ``<rule>/all.tsv``."""
    rows = []
    own = ("all.", *(f"{d}." for d in datasets))
    for path, root in [
        (p, r) for r in (folder, Path("results/benchmarks")) for p in sorted(r.rglob("*.tsv"))
    ]:
        rule, *rest = path.relative_to(root).parts
        if not rest or not rest[0].startswith(own):
            continue
        table = pd.read_csv(path, sep="\t", na_values="-")
        rows.append({"rule": rule, "seconds": table["s"].sum(), "mb": table["max_rss"].max()})
    if not rows:
        return []
    frame = (
        pd.DataFrame(rows)
        .groupby("rule")
        .agg(jobs=("seconds", "size"), seconds=("seconds", "sum"), mb=("mb", "max"))
    )
    return frame.sort_values("seconds", ascending=False).reset_index().to_dict("records")


def _caption(name: str, task: str) -> str:
    """Return a caption of workflow/report as HTML, in the words of the task; there may be none."""
    from docutils.core import publish_parts
    from markupsafe import Markup

    own, file = (project_file(f"workflow/report/{n}.rst") for n in (f"{name}_{task}", name))
    text = next((f.read_text(encoding="utf-8") for f in (own, file) if f.is_file()), "")
    if task == "regression" and not own.is_file():
        text = re.sub(r"\berrors?\b", NAMES[PRIMARY[task]], text, flags=re.IGNORECASE)
    return Markup(publish_parts(text, writer="html5", settings_overrides={"report_level": 5})["body"])


def _number(value: float | None, digits: int = 4) -> str:
    return "failed" if value is None or pd.isna(value) else f"{value:.{digits}f}"


def _significant(value: float | None) -> str:
    return "failed" if value is None or pd.isna(value) else f"{value:.4g}"


def _percent(value: float | None, where: str | None) -> str:
    return "-" if value is None else f"{value:+.1f} % ({where})"


def _p_value(value: float | None) -> str:
    if value is None or pd.isna(value):
        return "-"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
