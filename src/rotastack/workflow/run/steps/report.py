"""report: one self-contained HTML page."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, TemplatesNotFound
from markupsafe import Markup
from matplotlib.figure import Figure

from rotastack import __version__
from rotastack.data.artifacts import read_frame
from rotastack.files import read_json, write_text
from rotastack.plots.style import default_style, save_figure
from rotastack.project import report_texts
from rotastack.stats.metrics import BASELINE, METRICS, NAMES, higher_is_better, ranked_scores
from rotastack.workflow.judge.decisions import by_threshold, draw_decisions, draw_predictions, shares
from rotastack.workflow.judge.pages import inline_figure, page_environment, read_explanation
from rotastack.workflow.judge.published_columns import on_page
from rotastack.workflow.judge.results import best_of_each, read_csv
from rotastack.workflow.judge.verdict import claim_in_words
from rotastack.workflow.judge.words import score_cell
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import ReportSpec

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "xgboost-cpu", "xgboost", "snakemake", "mlflow-skinny")

RANKED_TOO = {"classification": ("clipped_log_loss", "brier", "error"), "regression": ("mae", "rmse")}
"""Task -> further scores: the first two (in a regression the first) that are not the main score rank the methods, too.
The first of these also compares the methods with the control."""

MOST_BYTES = 4_000_000
"""The most bytes of figures in a page; beyond it, figures of data sets are left out."""

MOST_CLASSES = 100
"""The most classes whose decisions are shown."""

MOST_DECIDED = 8
"""The most data sets for which decisions are shown."""

MOST_ROWS = 5000
"""The most pairs in the table of wins and ties, and numbers of each score but the first; more are only in files."""

LAST = re.compile(r"/(heatmap_by_|kappa_error)")
"""Figures that are left out first, because other figures show the same or more."""

FACTS = {
    "Trees": {
        "n_nodes": "nodes (leaves included), leaves and depth of the trees",
        "median_nodes": "the median of their nodes",
        "oob_error": "out-of-bag error",
        "oob_RMSE": "out-of-bag RMSE (the root of the mean of the MSE)",
        "training_error": "error on training rows",
        "margin_mean": "mean and variance of the margin on test rows, Chebyshev's bound of the error and the mean "
        "correlation of the trees",
    },
    "votes": {
        "members": "members after and before pruning, share of rows on which pairs disagree (one right, one wrong) on "
        "test and on selection rows, diversity of the QMM paper (fewer members, higher diversity), mean accuracy "
        "and mean margins of the members, and share of {cells} with an unsolved optimization",
        "c_bound": "bounds of the error: the C-bound, from the margins on test rows and on selection rows; from those on "
        "selection rows the order of the bound by diversity and DRMF's theorem 2 (above 1 they are vacuous)",
    },
    "machines": {
        "iterations": "iterations of linear machines, upper bound of the objective's relative distance to the optimum, "
        "and share of the training rows on which two members disagree"
    },
}
"""Kind of facts -> first of some columns -> description of these columns."""

GLOSSARY_OF_CELLS = {
    "cells": {
        "cell": "one nested cross-validation, of a set of rotations (rotation group) and a partition of the rows (fold group)"
    },
    "splits": {"split": "one random division of the rows into training and test rows"},
    "folds": {
        "fold": "one part of the rows, held out for test by methods that are trained on other rows; a split is one fold"
    },
}
GLOSSARY = {
    "pool": "estimators trained together; several methods can combine the outputs of one pool",
    "method": "a pool and a combiner of its outputs",
    "control": "the method that all other methods are compared with, {control} in this study",
    "baseline": "{baseline} of the training rows, without any column",
}


def run(job: Job) -> None:
    """Read statistics, figures and records; write output ``report``."""
    with job.recorded():
        page = _page(job, job.spec(ReportSpec))
        job.check_contents(report_texts())
        write_text(job.output("report"), page)


def _page(job: Job, spec: ReportSpec) -> str:
    study, task, primary = spec.dump(), spec.task, spec.score
    files = {path.stem: path for path in job.inputs["tables"]}
    tables = {name: read_csv(path) for name, path in files.items()}
    published = tables.get("published_columns")
    comparison, verdict = read_json(job.input("comparison")), read_json(job.input("verdict"))
    methods, cells, control = list(spec.methods), spec.cells, spec.control
    records = {r["prepare"]["dataset"]: r for r in map(read_json, job.inputs["records"])}
    datasets = _datasets(read_frame(job.input("variance"))[0], records)
    many = len(datasets) > 1
    facts = _facts(tables["facts"], task)
    fact_names = [name for name in facts[0] if name not in ("dataset", "method")] if facts else []
    environment = page_environment()
    environment.filters |= {
        "caption": lambda name: _caption(environment, name, task, primary, cells, spec.evaluation["average"]),
        "score": lambda value: score_cell(value, task),
        "share": lambda value: "-" if value is None else f"{value:.1%}",
        "zip": zip,
    }
    return environment.get_template("report.html.j2").render(
        study=study,
        control=control,
        alpha=spec.evaluation["alpha"],
        average=spec.evaluation["average"],
        methods=methods,
        datasets=datasets,
        many=many,
        comparison=comparison,
        verdict=verdict["sentences"],
        names=NAMES,
        primary=primary,
        score_name=NAMES[primary],
        scores_name="Errors" if primary == "error" else NAMES[primary],
        other_scores={m: known for m in METRICS[task] if m != primary and (known := _known(comparison[m], methods))},
        ranked_too=[name for name in RANKED_TOO[task] if name != primary][: len(RANKED_TOO[task]) - 1],
        baseline_names=BASELINE,
        baseline=tables["baseline"].set_index("dataset").to_dict("index"),
        figures=_figures(job.inputs["figures"]),
        cells=cells,
        pairs=tables["pairs"].to_dict("records") if len(tables["pairs"]) <= MOST_ROWS else [],
        n_pairs=len(tables["pairs"]),
        files={name: path.as_posix() for name, path in files.items()},
        few_numbers=len(datasets) * len(methods) <= MOST_ROWS,
        facts=facts,
        fact_names=fact_names,
        fact_kinds=_kinds(fact_names, cells),
        decisions=_decisions(job, spec, comparison[primary]["means"], verdict.get("best"))
        if len(datasets) <= MOST_DECIDED
        else {},
        explanations={e["dataset"]: e for e in map(read_explanation, job.inputs.get("explanations", []))},
        claims=[claim_in_words(claim) for claim in tables["claims"].to_dict("records")],
        notes=_notes(job, comparison[primary], many, records, spec.skipped),
        seconds=_seconds(job, records),
        boards={name: comparison[name] for name in sorted(ranked_scores(task), key=lambda name: name != primary)},
        best=_best(comparison[primary], spec.optimistic),
        published=on_page(published, tables["published_ranks"]) if published is not None else {},
        configuration=yaml.safe_dump(_shown(study), sort_keys=False, allow_unicode=True, width=100),
        glossary={
            **GLOSSARY_OF_CELLS[cells],
            **{k: v.format(control=control, baseline=BASELINE[primary]) for k, v in GLOSSARY.items()},
        },
        versions={
            "rotastack": __version__,
            **{name: found.version for name in LIBRARIES for found in [*distributions(name=name)][:1]},
        },
    )


def _best(board: Mapping[str, Any], optimistic: Sequence[str]) -> dict[str, str]:
    """Return the first method with the best score on each data set, among those that do not choose by the test rows."""
    means = pd.DataFrame.from_dict(board["means"], orient="index").astype(float)
    best = best_of_each(means, optimistic, board["higher_is_better"])
    return best[best.any(axis=1)].idxmax(axis=1).to_dict()


def _known(comparison: Mapping[str, Any], methods: Sequence[str]) -> list[str]:
    """Return the methods that have a score on any data set."""
    return [m for m in methods if any(row.get(m) is not None for row in comparison["means"].values())]


def _figures(paths: Sequence[Path]) -> dict[str, Markup]:
    """Return the figures by data set (or "study") and name; if they are too large, the last ones as paths."""
    files = {f"{path.parent.name}/{path.stem}": path for path in paths}
    last = [key for key in files if LAST.search(key)]
    shown: dict[str, Markup] = {}
    size = 0
    for key in [*(key for key in files if key not in last), *last]:
        figure = inline_figure(files[key], key.partition("/")[2].replace("_", " ") + f" ({key.partition('/')[0]})")
        size += len(figure)
        place = Markup('<span class="caption">Not shown, to keep the page small: {}</span>').format(files[key])
        shown[key] = figure if size <= MOST_BYTES or key.startswith("study/") else place
    return {key: shown[key] for key in files}


def _decisions(
    job: Job, spec: ReportSpec, means: Mapping[str, Mapping[str, float | None]], chosen: str | None
) -> dict[str, Any]:
    """Return the decisions of the chosen or else the best method, and of the control, by data set; of numbers its predictions."""
    decisions = {}
    for path in job.inputs["decisions"]:
        content = read_json(path)
        scores = {m: v for m, v in means[content["dataset"]].items() if v is not None and m not in spec.optimistic}
        decided = {m["name"]: m for m in content["methods"] if m["name"] in scores}
        if decided and len(content["classes"]) <= MOST_CLASSES:
            better = max if higher_is_better(spec.score) else min
            best = chosen if chosen in decided else better(decided, key=lambda m: scores[m])
            if not content["classes"]:
                figure = _inline(content["dataset"], partial(draw_predictions, decided[best]["pairs"]))
                decisions[content["dataset"]] = {"best": best, "figure": figure}
                continue
            decided = {name: {**m, **shares(m["confusion"])} for name, m in decided.items()}
            names = dict.fromkeys([best, *([spec.control] if spec.control in decided else [])])
            methods = [decided[m] for m in names]
            decisions[content["dataset"]] = {**content, "methods": methods, **_curves(content, methods, spec)}
    return decisions


@default_style
def _inline(dataset: str, draw: Callable[[], Figure]) -> Markup:
    """Return a drawn figure of a data set's predictions for a page."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "decisions.svg"
        save_figure(draw(), path)
        return inline_figure(path, f"decisions ({dataset})", key=f"{dataset}/decisions")


def _curves(content: Mapping[str, Any], methods: list[dict[str, Any]], spec: ReportSpec) -> dict[str, Any]:
    """Return the decisions of methods by threshold, for each class, and the figure of their curves; empty without curves."""
    if not all(m["curves"] for m in methods):
        return {}
    of_class = {m["name"]: m["curves"][content["positive"]] for m in methods}
    figure = _inline(content["dataset"], partial(draw_decisions, of_class))
    classes = range(len(content["classes"])) if len(content["classes"]) > 2 else [content["positive"]]
    more = [t for t in (spec.model["threshold"],) if t is not None]
    return {
        "figure": figure,
        "by_threshold": {content["classes"][k]: by_threshold([m["curves"][k] for m in methods], more) for k in classes},
    }


def _facts(table: pd.DataFrame, task: str) -> list[dict]:
    """Return the facts of trees and votes, without empty columns, and with the roots of squared errors."""
    frame = table.dropna(axis="columns", how="all")
    if task == "regression" and "oob_error" in frame:
        frame["oob_error"] **= 0.5
        frame = frame.rename(columns={"oob_error": "oob_RMSE"})
    return frame.to_dict("records")


def _kinds(names: list[str], cells: str) -> dict[str, str]:
    """Return kind of facts -> description of its columns, for the facts in `names`."""
    descriptions = {
        kind: "; ".join(text.format(cells=cells) for name, text in texts.items() if name in names)
        for kind, texts in FACTS.items()
    }
    return {kind: text for kind, text in descriptions.items() if text}


def _shown(study: Mapping[str, Any]) -> dict[str, Any]:
    """Return the study without entries that are empty, have no effect, or are facts for this page."""
    facts = ("cells", "contents", "control", "optimistic", "rotated")
    shown = _filled({k: v for k, v in study.items() if k not in facts})
    if not any(pool["view"] for pool in study["pools"].values()):
        shown["protocol"].pop("rotations", None)
    if study["task"] == "regression":  # numbers have no majority: a vote is their mean
        for method in shown["methods"].values():
            method["combiner"].pop("voting", None)
    return shown


def _filled(content: Any) -> Any:
    """Return parts of a document without empty values."""
    if isinstance(content, list):
        return [_filled(v) for v in content]
    if not isinstance(content, dict):
        return content
    inner = {k: _filled(v) for k, v in content.items()}
    return {k: v for k, v in inner.items() if v is not None and v not in ("", [], {})}


def _datasets(variance: pd.DataFrame, records: Mapping[str, Mapping[str, Any]]) -> list[dict]:
    """Return the facts and scores of each data set, in the study's order."""
    return [
        {
            "name": str(name),
            "facts": records[str(name)]["prepare"]["metrics"],
            "rows": part.to_dict("records"),
            "means": part.set_index("method").to_dict("index"),
        }
        for name, part in variance.groupby("dataset", sort=False)
    ]


def _notes(
    job: Job, comparison: dict, many: bool, records: Mapping[str, Mapping[str, Any]], skipped: list[str]
) -> list[str]:
    notes = [
        note
        for note in comparison["notes"]
        if many or not note.startswith("Friedman")  # the test needs several data sets
    ]
    scored = list(map(read_json, job.inputs["scored"]))
    if many:  # the verdict on one data set contains them
        found = [(r["dataset"], r["metrics"].get(name, [])) for r in scored for name in ("suspicions", "forecasts")]
        notes += [f"{dataset}: {sentence}" for dataset, sentences in found for sentence in sentences]
    for record in [*(r[name] for name in ("prepare", "groups") for r in records.values()), *scored]:
        notes += [f"{record['dataset']}: {w.removeprefix(record['dataset'] + ': ')}" for w in record["warnings"]]
    others = map(read_json, job.inputs["others"])
    notes += [r["message"] for r in others if r["step"] in ("draw", "explain") and r["status"] != "ok"]
    return notes + skipped


def _seconds(job: Job, records: Mapping[str, Mapping[str, Any]]) -> list[dict]:
    """Return the jobs, the seconds and the largest memory of each step, from the records."""
    done = [read_json(path) for path in [*job.inputs["scored"], *job.inputs["others"]]]
    for of_dataset in records.values():
        done += [of_dataset["prepare"], of_dataset["groups"], *of_dataset["methods"]]
        done += [record for blocks in of_dataset["pools"].values() for record in blocks]
    by_step: dict[str, dict[str, Any]] = {}
    for record in done:
        row = by_step.setdefault(record["step"], {"step": record["step"], "jobs": 0, "seconds": 0.0, "mb": 0.0})
        row["jobs"] += 1
        row["seconds"] += record["seconds"]
        row["mb"] = max(row["mb"], record["peak_memory_mb"])
    return sorted(by_step.values(), key=lambda row: -row["seconds"])


def _caption(environment: Environment, name: str, task: str, score: str, cells: str, average: str = "mean") -> Markup:
    """Return a caption of workflow/report as HTML, in the words of task and protocol; empty if there is none."""
    from docutils.core import publish_parts

    try:
        template = environment.select_template([f"{name}_{task}.rst", f"{name}.rst"])
    except TemplatesNotFound:
        return Markup()
    plural = {"scores": NAMES[score], "Scores": NAMES[score]} if score != "error" else {}  # else errors
    text = template.render(score=NAMES[score], higher=higher_is_better(score), cells=cells, average=average, **plural)
    return Markup(publish_parts(text, writer="html5", settings_overrides={"report_level": 5})["body"])
