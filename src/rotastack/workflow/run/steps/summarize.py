"""summarize: statistics over cells and over data sets."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rotastack.data.artifacts import read_frame, write_frame
from rotastack.errors import RotastackError
from rotastack.files import read_json, replacing, write_text
from rotastack.stats.metrics import METRICS, NAMES, best_possible, higher_is_better
from rotastack.stats.missing import gaps
from rotastack.stats.pairs import compare_pair
from rotastack.stats.resampled_t import corrected_t
from rotastack.stats.variance import kendall_w, variance_components
from rotastack.stats.wilcoxon import holm, rank_biserial, signed_rank_p
from rotastack.workflow.judge.boards import board, board_of_group, plain
from rotastack.workflow.judge.published_columns import published_columns, ranks_beside_published
from rotastack.workflow.judge.results import (
    baselines,
    by_method,
    compared,
    group_table,
    in_units,
    mean_scores,
    score_matrices,
    seconds_by_method,
)
from rotastack.workflow.judge.verdict import failures, verdict_of_claims, verdict_of_groups, verdict_over_datasets
from rotastack.workflow.judge.verdict_of_one import verdict_of_one
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import SummarySpec


class StudyResults(NamedTuple):
    """The results of a study, from which its tables are made."""

    spec: SummarySpec
    scores: pd.DataFrame  # a row for each data set, method and cell
    calibration: pd.DataFrame
    baseline: pd.DataFrame  # scores of the baseline, which uses no column, by data set
    times: pd.DataFrame  # seconds of a training and, if known, of predicting its test rows, by data set and method
    boards: dict[str, dict]  # score -> board of the methods by this score
    records: list[dict]  # of the scores of each data set
    published: pd.DataFrame  # published scores that tables show beside the study's own


def run(job: Job) -> None:
    """Read ``scores``, ``calibration``, ``records``, ``rows`` and ``published`` results; write statistics and tables of the study.

    The tables are the means of each score, and those of ``TABLES``. Over data sets, scores in units of the target are
    compared as multiples of the baseline's scores.
    """
    spec = job.spec(SummarySpec)
    metrics, primary = METRICS[spec.task], spec.score
    with job.recorded() as record:
        scores, calibration = (
            pd.concat([read_frame(path)[0] for path in job.inputs[name]], ignore_index=True)
            for name in ("scores", "calibration")
        )
        write_frame(job.output("scores"), scores)
        records = list(map(read_json, job.inputs["records"]))
        baseline = baselines(records)
        times = _times_table(records)
        means = {metric: mean_scores(scores, metric, spec.methods, spec.average) for metric in metrics}
        wrong = calibration[calibration["method"] == spec.control].groupby("dataset")["rows"].sum()
        if len(wrong):  # of a regression there is no calibration
            wrong = (wrong * means["error"][spec.control]).round()
        units = {metric: in_units(metric, baseline) for metric in metrics}
        boards = {
            metric: board(
                means[metric],
                higher,
                spec.control,
                spec.alpha,
                optimistic=spec.optimistic,
                left_out=spec.left_out,
                units=units[metric],
                optimum=best_possible(metric),
                wrong=wrong,
                seconds=seconds_by_method(times),
            )
            for metric, higher in metrics.items()
        }
        ranked = boards[primary]
        ranked["spread"] = plain(by_method(scores, primary, "std").reindex_like(means[primary]))
        ranked["notes"] += [f"{name}: left out of ranks and tests: {why}" for name, why in spec.left_out.items()]
        if primary == "pinball":
            ranked["notes"].append("pinball: methods that predict no intervals have no score")
        if spec.groups:
            shown = compared(means[primary].drop(list(spec.left_out)), units[primary])
            ranked["groups"] = {
                g["name"]: board_of_group(group_table(shown, g), spec.alpha, primary) for g in spec.groups
            }
        own, files = list(dict.fromkeys(scores["dataset"])), job.inputs.get("published", [])
        beside = published_columns(own, primary, spec.published_columns, files, spec.printed_names)
        job.check_contents(files)
        results = StudyResults(spec, scores, calibration, baseline, times, boards, records, beside)
        tables = {metric: table.reset_index() for metric, table in means.items()}
        tables |= {name: make(results) for name, make in TABLES.items()}
        write_frame(job.output("variance"), tables["variance"])
        for path in job.outputs["tables"]:
            with replacing(path) as temporary:
                tables[path.stem].to_csv(temporary, index=False)
        write_text(job.output("comparison"), json.dumps(boards, indent=1) + "\n")
        verdict = _verdict(results, ranked, job)
        verdict["sentences"] = verdict_of_claims(tables["claims"]) + verdict["sentences"]  # the question of the study
        write_text(job.output("verdict"), json.dumps(verdict, indent=1, ensure_ascii=False) + "\n")
        record.warnings = ranked["notes"]
        record.metrics = {"average_ranks": ranked.get("ranks", {}).get("mean", {})}


def _verdict(results: StudyResults, ranked: dict[str, Any], job: Job) -> dict[str, Any]:
    """Return the sentences of the verdict; for one data set also the best method and means."""
    spec, score = results.spec, NAMES[results.spec.score]
    failed = failures({r["dataset"]: r["metrics"].get("failures", {}) for r in results.records})
    if spec.groups:
        return {"sentences": verdict_of_groups(ranked["groups"], score, spec.alpha, spec.titles) + failed}
    if results.scores["dataset"].nunique() > 1:
        sentences = verdict_over_datasets(ranked, score, spec.control, spec.alpha, spec.rotation_pairs)
        return {"sentences": sentences + failed}
    return verdict_of_one(results.scores, spec, results.records[0], *read_frame(job.input("rows")))


def _variance_table(results: StudyResults) -> pd.DataFrame:
    """Return how much of the variance of each method's errors is due to the axes that number a cell."""
    spec, rows = results.spec, []
    low, high = ("worst", "best") if higher_is_better(spec.score) else ("best", "worst")
    for dataset, part in results.scores.groupby("dataset", sort=False):
        for method, matrix in score_matrices(part, spec.score, spec.axes).items():
            means = matrix.mean()
            is_named = len(spec.axes) > 1 and means.notna().all()
            row = {
                "dataset": dataset,
                "method": method,
                "mean": matrix.to_numpy().mean(),
                "sd": matrix.to_numpy().std(ddof=1) if matrix.size > 1 else np.nan,
                f"{low}_rotation_group": means.idxmin() if is_named else "",
                f"{low}_mean": means.min(),
                f"{high}_rotation_group": means.idxmax() if is_named else "",
                f"{high}_mean": means.max(),
                "kendall_w": kendall_w(matrix) if min(matrix.shape) > 1 and matrix.notna().all(axis=None) else np.nan,
            }
            try:
                parts = vars(variance_components(matrix, spec.alpha))
                for name in ("rotation_groups", "fold_groups", "residual"):
                    row[f"variance_{name}"], row[f"lower_{name}"], row[f"upper_{name}"] = parts[name]
                row |= {
                    k: v
                    for k, v in parts.items()
                    if k.startswith(("share", "f_", "p_")) or k == "verdict"
                    if not isinstance(v, tuple)
                }
            except RotastackError as error:
                row["verdict"] = str(error)
            rows.append(row)
    return pd.DataFrame(rows)


def _pairs_table(results: StudyResults) -> pd.DataFrame:
    """Return wins and ties of pairs of methods over the cells of each data set."""
    spec = results.spec
    pairs = spec.pairs or [[spec.control, m] for m in spec.methods if m != spec.control]
    higher = bool(higher_is_better(spec.score))
    cells = results.scores.pivot_table(
        index=["dataset", *spec.axes], columns="method", values=spec.score, sort=False, dropna=False
    )
    rows = []
    for dataset, part in cells.groupby("dataset", sort=False):
        ratio = spec.test_to_train.get(dataset)
        rows += [
            {
                "dataset": dataset,
                "first": a,
                "second": b,
                **compare_pair(part[a], part[b], higher)._asdict(),
                "p_value": _corrected_p(part[a], part[b], ratio),
            }
            for a, b in pairs
            if a in part and b in part
        ]
    return pd.DataFrame(rows)


def _corrected_p(first: pd.Series, second: pd.Series, test_to_train: float | None) -> float:
    """Return the p-value of the corrected t test over the splits of one data set; NaN if the protocol has none."""
    both = pd.concat([first, second], axis=1).replace([np.inf, -np.inf], np.nan).dropna().to_numpy()
    if test_to_train is None or len(both) < 2:
        return float("nan")
    return corrected_t(both[:, 0], both[:, 1], 1.0, test_to_train).p


def _facts_table(results: StudyResults) -> pd.DataFrame:
    """Return the facts of each method's trees and votes, as means over cells."""
    others = ["dataset", "method", *results.spec.axes, *METRICS[results.spec.task]]
    facts = [c for c in results.scores.columns if c not in others]
    return results.scores.groupby(["dataset", "method"], sort=False)[facts].mean().dropna(how="all").reset_index()


def _claims_table(results: StudyResults) -> pd.DataFrame:
    """Return the tests of the claims, with Holm's correction: Wilcoxon's over data sets, a corrected t test on one."""
    columns = ["what", "of", "than", "expect", "n_datasets", "difference", "in_favour", "ties", "effect", "p_value"]
    spec, scores = results.spec, results.scores
    rows = []
    for claim in spec.claims:
        what, of, than = claim.what, claim.of, claim.than
        untested = [what, of, than, claim.expect, 0, *[np.nan] * 5]
        if what not in scores or not {of, than} <= set(scores["method"]):
            rows.append(untested)
            continue
        cells = scores.pivot_table(index=["dataset", *spec.axes], columns="method", values=what, sort=False)
        # Pools may have different numbers of splits, so only splits of both methods count.
        cells = cells[[of, than]].dropna() if {of, than} <= set(cells) else cells[:0]
        cells = cells[~cells.index.isin(list(spec.left_out), level="dataset")]
        if not len(cells):
            rows.append(untested)
            continue
        both = compared(cells.groupby("dataset", sort=False).agg(spec.average), in_units(what, results.baseline))
        # Whatever the score, the smaller number counts as a win here.
        pair = compare_pair(both[of], both[than], higher_is_better=False)
        differences = gaps(both[of], both[than])
        p, effect = signed_rank_p(differences), rank_biserial(differences)
        if pair.n == 1:
            p = _corrected_p(cells[of], cells[than], spec.test_to_train.get(both.index[0]))
        lower, higher = pair.wins_first, pair.wins_second
        favour = {"higher": higher, "lower": lower, "equal": max(lower, higher)}[claim.expect]
        rows.append([what, of, than, claim.expect, pair.n, pair.difference, favour, pair.ties, effect, p])
    table = pd.DataFrame(rows, columns=columns)
    equal = table["expect"] == "equal"
    # A correction would make equality easier to hold, so equality is judged by the uncorrected p-value.
    table["p_holm"] = table["p_value"].where(equal, holm(table.loc[~equal, "p_value"].dropna()).reindex(table.index))
    small, claimed = table["p_holm"] < spec.alpha, (table["effect"] > 0) == (table["expect"] == "higher")
    table["could_tell"] = (table["n_datasets"] == 1) | (2.0 ** (1 - table["n_datasets"]) < spec.alpha)
    table["holds"] = table["p_value"].notna() & np.where(equal, ~small, small & claimed)
    return table


def _control_table(results: StudyResults) -> pd.DataFrame:
    """Return the comparisons of each method with the control: a row per score and method."""
    rows = [
        {
            "score": name,
            "method": m,
            "better": test["wins"],
            "equal": test["ties"],
            "worse": test["losses"],
            **found["worst_losses"][m],
        }
        for name, found in results.boards.items()
        for m, test in found.get("tests", {}).items()
    ]
    return pd.DataFrame(rows)


def _times_table(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return seconds of a training and, if known, of predicting its test rows: a row per data set and method."""
    return pd.DataFrame(
        [
            {
                "dataset": record["dataset"],
                "method": m,
                "fit_seconds": s,
                "predict_seconds": record["metrics"]["predict_processor_seconds"].get(m, np.nan),
            }
            for record in records
            for m, s in record["metrics"]["fit_processor_seconds"].items()
        ]
    )


def _published_ranks_table(results: StudyResults) -> pd.DataFrame:
    """Return average ranks with published methods among the study's; no test of the study counts them."""
    spec = results.spec
    means = mean_scores(results.scores, spec.score, spec.methods, spec.average).drop(list(spec.left_out))
    units, higher = in_units(spec.score, results.baseline), bool(higher_is_better(spec.score))
    return ranks_beside_published(
        means, results.published, spec.optimistic, spec.alpha, units, higher, control=spec.control
    )


def _groups_table(results: StudyResults) -> pd.DataFrame:
    """Return the comparison of each group of methods with the first of them: a row per method."""
    rows = []
    for name, found in results.boards[results.spec.score].get("groups", {}).items():
        first, second = found.get("df", (np.nan, np.nan))
        tests, ranks, improvement = (found.get(key, {}) for key in ("tests", "ranks", "improvement"))
        of_group = {
            "friedman_chi2": found.get("friedman_chi2"),
            "F": found.get("iman_davenport_f"),
            "df_1": first,
            "df_2": second,
            "p": found.get("p_value"),
            "critical_difference": found.get("critical_difference"),
        }
        for m in found["labels"]:
            others = [b if a == m else a for a, b in found.get("different", []) if m in (a, b)]
            test = tests.get(m, {"wins": 0} if m in improvement else {})
            rows.append(
                {
                    "group": name,
                    "method": m,
                    "rows": found["n_rows"],
                    "average_rank": ranks.get("mean", {}).get(m),
                    "improvement": improvement.get(m),
                    "better": test.get("wins"),
                    "p_holm": test.get("p_holm"),
                    "differs_from": "; ".join(others),
                    **of_group,
                }
            )
    return pd.DataFrame(rows)


TABLES = {
    "variance": _variance_table,
    "pairs": _pairs_table,
    "facts": _facts_table,
    "claims": _claims_table,
    "calibration": lambda results: results.calibration,
    "baseline": lambda results: results.baseline.reset_index(),
    "control": _control_table,
    "times": lambda results: results.times,
    "published_columns": lambda results: results.published,
    "published_ranks": _published_ranks_table,
    "groups": _groups_table,
}
"""Name of a table -> the function that makes it; tables of scores are means."""
