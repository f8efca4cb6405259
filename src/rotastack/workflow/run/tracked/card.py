"""The card of a registered model: its training data, its method, its scores and its limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from rotastack.stats.metrics import BASELINE, NAMES, PRIMARY
from rotastack.workflow.judge.results import TIE_BREAK
from rotastack.workflow.run.tracked.notes import plain, shown, spread_note

__all__ = ["ModelCard"]

FEW = 30
"""Rows of a class below which the card warns."""


@dataclass(frozen=True)
class ModelCard:
    """The content of a model's card."""

    study: str
    dataset: str
    method: str
    task: str
    score: str  # the main score, by which the study ranks methods
    params: Mapping[str, Any]  # what distinguishes methods
    facts: Mapping[str, Any]  # of the table, from the step that prepared it
    digest: str  # SHA-256 of the training table
    source: str  # its path
    rows: int
    columns: Sequence[str]  # without the target
    numbers: Mapping[str, float]  # the method's metrics over cells
    cells: int
    methods: int  # compared in the study
    baseline: float | None  # the main score without any column
    refit: Mapping[str, Any]  # record of the training on all rows
    chosen: bool  # by its score; if not, the study's file names the method
    loaded: str  # address of the model in MLflow
    store: str  # address of MLflow

    def text(self) -> str:
        """Return the card in Markdown."""
        lines = [
            f"**{plain(self.method)}** for the table **{plain(self.dataset)}**: cross-validated {self.error}.", "",
            "### Training data", "",
            f"- All {self.rows:,} rows of `{self.source}`, SHA-256 `{self.digest}`.",
            f"- {len(self.columns):,} columns: {self._kinds()}.", *self._classes(), "",
            "### Method", "",
            f"- {plain(self.method)}: {', '.join(f'{plain(k)} {plain(str(v))}' for k, v in self.params.items())}.",
            f"- {self._choice()}",
            f"- Trained on {self.refit['started'][:10]} by rotastack {self.refit['version']}, "
            f"seed {self.refit['seed']}, code {self.refit['code']}.", "",
            f"### {self._score[0].upper()}{self._score[1:]}", "", *(f"- {line}" for line in self._scores()), "",
            "### Limits", "", *(f"- {line}" for line in self._limits()), "",
            "### Load and predict", "", "```python", "import mlflow, pandas",
            f'mlflow.set_tracking_uri("{self.store}")',
            f'mlflow.pyfunc.load_model("{self.loaded}").predict(pandas.read_csv("new.csv"))', "```",
        ]  # fmt: skip
        if self.task == "classification":
            lines += ["", 'For the probabilities of the classes, add `params={"probabilities": True}` to `predict`.']
        return "\n".join(lines)

    @property
    def error(self) -> str:
        """The main score over cells, with its name."""
        return f"{self._score} {spread_note(self.numbers, self.score, self.cells)}"

    @property
    def _score(self) -> str:
        return NAMES[self.score]

    def _kinds(self) -> str:
        named = {"numeric": "numeric", "categorical": "categorical", "date": "of dates"}
        kinds = [f"{self.facts[f'{k}_columns']} {text}" for k, text in named.items() if self.facts.get(f"{k}_columns")]
        missing = self.facts.get("missing_cells", 0)
        return f"{', '.join(kinds) or 'no useful column'}; {missing:,} cells are missing"

    def _classes(self) -> list[str]:
        counts = self.facts.get("class_counts")
        if not counts:
            return []
        named = [f"{plain(str(name))} {count:,}" for name, count in list(counts.items())[:20]]
        return [f"- Classes: {', '.join(named)}{' …' if len(counts) > 20 else ''}."]

    def _choice(self) -> str:
        if self.chosen:
            return (
                f"Chosen by the study {plain(self.study)} as the best of {self.methods} methods by the {self._score}; "
                f"of methods that tie with the best, as that of least {NAMES[TIE_BREAK[self.task]]}, then of shortest training."
            )
        return f"Chosen in the file of the study {plain(self.study)}, which compared {self.methods} methods."

    def _scores(self) -> list[str]:
        primary, metrics = PRIMARY[self.task], self.refit["metrics"]
        named = "" if primary == self.score else f"{NAMES[primary]} "
        lines = [f"Cross-validated: {spread_note(self.numbers, self.score, self.cells)}."]
        if self.baseline is not None:
            lines.append(
                f"{BASELINE[self.task][0].upper()}{BASELINE[self.task][1:]}: {shown(self.baseline, self.score)}."
            )
        if f"oob_{primary}" in metrics:
            lines.append(f"Out-of-bag, this model: {named}{shown(metrics[f'oob_{primary}'], primary)}.")
        elif "oob_r2" in metrics:
            lines.append(f"Out-of-bag, this model: R² {shown(metrics['oob_r2'], 'r2')}.")
        elif f"oob_{primary}_of_members" in metrics:
            alone = shown(metrics[f"oob_{primary}_of_members"], primary)
            lines.append(f"Out-of-bag, mean of the single members: {named}{alone}.")
        else:
            lines.append("Out-of-bag: no score, because the members have no bags of rows.")
        lines.append(f"On the training rows (optimistic): {named}{shown(metrics[f'training_{primary}'], primary)}.")
        return lines

    def _limits(self) -> list[str]:
        lines = ["The cross-validated models had fewer rows than this model, which has all rows."]
        if self.cells > 1:
            lines.append("The interval covers random folds and rotations, not new rows.")
        error = self.numbers.get("test/error")
        if self.task == "classification" and error is not None:
            deviation = shown(sqrt(max(error * (1 - error), 0) / self.rows), "error")
            lines.append(f"The standard error of the error on {self.rows:,} rows is about {deviation}.")
        if self.chosen and self.methods > 1:
            lines.append("The method was chosen by the number shown, so the number is slightly optimistic.")
        few = [f"{plain(str(k))} ({n})" for k, n in self.facts.get("class_counts", {}).items() if n < FEW][:10]
        if few:
            lines.append(f"Few rows of: {', '.join(few)}.")
        if not self.facts.get("missing_cells"):
            lines.append("The training rows had no missing values.")
        lines.append("The numbers hold for rows from the same source; no check detects a change of the rows.")
        return lines
