"""The answer of a finished study: the verdict, the scores, and the paths of the report and the models."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from rotastack.cli.options import headed, table_text
from rotastack.data.frames import read_frame
from rotastack.data.loading import source_files
from rotastack.errors import unreadable
from rotastack.files import read_json
from rotastack.stats.metrics import NAMES
from rotastack.workflow.judge.results import all_means, best_first, read_csv
from rotastack.workflow.judge.words import printer
from rotastack.workflow.run.plan import Plan
from rotastack.workflow.run.progress import duration

SHORT = {
    "balanced_accuracy": "bal. acc.",
    "average_precision": "av. prec.",
    "clipped_log_loss": "clipped",
    "brier": "Brier",
    "pinball": "pinball",
}
"""Score -> its short name, for the head of a narrow column."""


class Answer:
    """The results that a run of a study prints at its end; `about` has facts of the user's own table."""

    def __init__(self, plan: Plan, about: dict[str, Any] | None = None):
        self.study, self.score, self.report = plan.study.name, plan.study.score, plan.files.report
        self.sentences = read_json(plan.files.verdict)["sentences"]
        self.comparison: dict[str, Any] = read_json(plan.files.comparison)[self.score]
        self.scores = all_means(read_frame(plan.files.scores)[0], plan.study.document.evaluation.average)
        self.baseline = _baseline(Path(plan.files.table("baseline")))
        self.about, self.root = about or {}, plan.root
        self.trust = "".join(f" --trust {name}" for name in plan.study.document.trusted)
        self.together = {  # data set -> names of its files, if it has several
            name: " and ".join(file.name for file in files)
            for name, entry in plan.study.datasets.items()
            if len(files := source_files(name, entry)) > 1
        }
        self.models: dict[str, dict[str, Any]] = {}  # data set -> method, file and MLflow address of its model
        ended = [Path(plan.root) / "figures/draw.run.json"]
        ended += [Path(f"{plan.root}/{dataset}/model/explain.run.json") for dataset in plan.explained]
        records = [read_json(path) for path in ended if path.is_file()]
        self.failed = [str(record["message"]) for record in records if record["status"] != "ok"]
        self.without_model: dict[str, str] = {}  # data set -> why its model could not be trained
        receipt = Path(plan.root) / "tracking.json"
        tracked = read_json(receipt) if receipt.is_file() else {}
        self.runs, runs = tracked.get("page", "rotastack ui"), tracked.get("datasets", {})
        for dataset in plan.datasets:
            file = Path(plan.files.model.format(dataset=dataset))
            path = file.with_name("refit.run.json")
            record = read_json(path) if path.is_file() else None
            if record is not None and record["status"] != "ok":
                self.without_model[dataset] = str(record["message"])
            elif record is not None and file.is_file() and file.stat().st_size:
                kept = {
                    k: record["metrics"][k] for k in ("method", "threshold", "decides_for") if k in record["metrics"]
                }
                self.models[dataset] = {**kept, "file": str(file), "address": runs.get(dataset, {}).get("model_uri")}

    def as_text(self, seconds: float | None = None) -> str:
        """Return the verdict, the methods with their scores, and the paths of results."""
        lines = [("report", f"{self.report}{f' (in {duration(seconds)})' if seconds else ''}")]
        for dataset, model in list(self.models.items())[:3]:
            text = f"{model['method']}, trained on all rows of {self.together.get(dataset, dataset)}"
            if "threshold" in model:
                text += f", predicts {model['decides_for']} at probabilities from {model['threshold']:g}"
            lines.append(
                ("model", f"{text}: {model['file']}{', MLflow ' * bool(model['address'])}{model['address'] or ''}")
            )
        if len(self.models) > 3:
            lines.append(("", f"and {len(self.models) - 3} more models, one per data set"))
        lines += [("no model", f"of {dataset}: {why}") for dataset, why in list(self.without_model.items())[:3]]
        if len(self.without_model) > 3:
            lines.append(("", f"and {len(self.without_model) - 3} more"))
        lines += [("failed", message) for message in self.failed]
        if self.models:
            # Models may have failed, or be of data sets of an earlier version.
            option = f" --dataset {next(iter(self.models))}" * (len([*Path(self.root).glob("*/model/*.skops")]) > 1)
            lines.append(("predict", f"rotastack predict --study {self.study}{option}{self.trust} NEW_ROWS.csv"))
        lines += [("runs", self.runs), ("results", self.root)]
        return "\n".join([*self.sentences, "", *self._table(), "", headed(lines)])

    def _table(self) -> list[str]:
        """Return lines with the methods and their scores, best first; for several data sets average ranks and means."""
        if self.scores["dataset"].nunique() > 1:
            ranks = self.comparison.get("ranks")
            return [] if ranks is None else self._ranks(ranks["mean"])
        table = best_first(self.scores, self.score)
        printed = {n: printer(n, list(table[n].dropna())) for n in table}
        cells = {m: ["-" if pd.isna(row[n]) else printed[n](row[n]) for n in table] for m, row in table.iterrows()}
        return table_text(["method", *(SHORT.get(n, NAMES[n]) for n in table)], cells).split("\n")

    def _ranks(self, ranks: dict[str, float]) -> list[str]:
        """Return lines with average ranks, means over the data sets that all ranked methods have, and wins."""
        found = pd.DataFrame.from_dict(self.comparison["scores"], orient="index").mean()
        units = self.comparison["in_units"]
        mean = printer("r2" if units else self.score, list(found))
        tests = self.comparison.get("tests", {})
        wins = {m: f"{test['wins']}/{test['ties']}/{test['losses']}" for m, test in tests.items()}
        head = ["method", "rank", f"mean {SHORT.get(self.score, NAMES[self.score])}{' / baseline' * units}"]
        cells = {m: [f"{ranks[m]:.2f}", mean(found[m])] for m in self.comparison["methods"]}
        if wins:
            head.append("better/equal/worse")
            cells = {m: [*row, wins.get(m, "-")] for m, row in cells.items()}
        return table_text(head, cells).split("\n")

    def as_json(self, seconds: float | None) -> str:
        """Return the answer as JSON."""
        content = {
            "study": self.study,
            "verdict": self.sentences,
            "score": self.score,
            "scores": _rows(self.scores),
            "baseline": _rows(self.baseline),
            "report": self.report,
            "models": self.models,
            "seconds": None if seconds is None else round(seconds, 1),
            **({"failed": self.failed} if self.failed else {}),
            **({"table": self.about} if self.about else {}),
        }
        return json.dumps(content, indent=1, default=str)


def _baseline(path: Path) -> pd.DataFrame:
    try:
        return read_csv(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, for JSON."""
    return table.astype(object).mask(table.isna() | table.isin([float("inf"), -float("inf")]), None).to_dict("records")
