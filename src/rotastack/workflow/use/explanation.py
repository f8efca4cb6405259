"""The explanation of a model: its families of trees, sentences, figures, files and page."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from rotastack.ensembles.flagship.families import FAMILIES, NUMBER_FAMILIES, Family, KernelFamily, find_families
from rotastack.files import write_text
from rotastack.plots.bars import plot_importances
from rotastack.plots.curves import plot_dependence
from rotastack.plots.style import drawn_or_told
from rotastack.workflow.judge.pages import page_environment, read_explanation

MOST_BARS = 30
ALPHA = 0.05  # probability that any column is said to matter if none does
PARTS = {
    "identity": "the columns as they are",
    "discriminants": "linear discriminants",
    "principal": "rotations to principal axes",
    "sparse": "random rotations",
    "pairs": "numbers, categories and pairs of categories as shares of the classes, or means",
}
"""Part of a family's view -> its name in sentences."""
ROTATED = ("principal", "sparse")


def write_explanation(content: Mapping[str, Any], record: Path, page: Path) -> list[str]:
    """Write an explanation, its figures beside it, and its page; return lines on the figures that could not be drawn."""
    told: list[str] = []  # the figures that could not be drawn
    if "importances" in content:
        shuffled = content["importances"]
        columns, losses, deviations = ([bar[key] for bar in shuffled[:MOST_BARS]] for key in ("column", "loss", "sd"))
        of = f" (the {MOST_BARS} largest of {len(shuffled)})" if len(shuffled) > MOST_BARS else ""
        lost = f"loss of {content['scoring']} if the column is shuffled{of}"
        mean = "mean" if content["task"] == "regression" else "mean probability of class"
        importances = partial(plot_importances, columns, losses, deviations, lost)
        dependence = partial(plot_dependence, content["dependence"], mean)
        told += drawn_or_told(importances, [record.with_name("importances.svg")])
        told += drawn_or_told(dependence, [record.with_name("dependence.svg")])
        content = {**content, "words": [*content["words"], *told]}
    write_text(record, json.dumps(content, indent=1) + "\n")
    template = page_environment().get_template("explain.html.j2")
    write_text(page, template.render(explained=read_explanation(record)))
    return told


def in_words(content: Mapping[str, Any], sign: int) -> list[str]:
    """Return an explanation in sentences: which columns were not shuffled, which matter, and the families' weights."""
    importances, n_columns, words = content["importances"], content["tested"]["columns"], []
    if not importances:
        words.append(f"No column of {n_columns:,} was shuffled, because predictions of this model are slow.")
    elif content["chosen_by"]:
        n = sum(x["columns"] for x in importances)
        words.append(f"Of {n_columns:,} columns, the {n} with {content['chosen_by']} were shuffled.")
    words += _importances_in_words(content, sign)
    return words + _families_in_words(content["families"], content["task"])


def families_of(model: Any) -> list[dict[str, Any]]:
    """Return the flagship's families with name, description, weight, share and error; empty for other models."""
    if not hasattr(model, "family_weights_"):
        return []
    named = NUMBER_FAMILIES if is_regressor(model) else FAMILIES
    known = {family.name: family for family in find_families(model.families, 1, named)}
    weights = np.asarray(model.family_weights_, dtype=float)
    shares = weights / weights.sum() if weights.sum() > 0 else weights
    errors = np.asarray(model.oob_family_errors_, dtype=float)
    errors = np.sqrt(errors) if is_regressor(model) else errors
    return [
        {
            "name": name,
            "text": _family_in_words(known[name]),
            "rotated": any(not isinstance(part, str) or part in ROTATED for part in known[name].parts),
            "weight": float(weight),
            "share": float(share),
            "error": float(error),
        }
        for name, weight, share, error in zip(model.families_, weights, shares, errors, strict=True)
    ]


def _family_in_words(family: Family) -> str:
    """Return words for the columns of a family's trees, and for the kind of the trees, unless they are usual trees on bootstraps."""
    parts = [PARTS[p] if isinstance(p, str) else type(p).__name__ for p in family.parts]
    text = " and ".join(dict.fromkeys(parts))
    if isinstance(family, KernelFamily):
        return f"{text}; ridge regression with a Gaussian kernel on all rows outside a fold"
    if family.boosting is not None:
        return f"{text}; boosted trees"
    if family.splitter == "random":
        text += ", random cuts"
    if family.criterion == "c45":
        text += "; C4.5 trees"
    return text + (", each on all rows outside a fold" if family.folds else "")


def _families_in_words(families: Sequence[dict[str, Any]], task: str) -> list[str]:
    """Return a sentence on the weight and the error of families on rotated columns beside the others'."""
    if not families:
        return []
    if not any(f["weight"] for f in families):
        return ["No family of trees has a weight above 0: no relation of the columns to the target is shown."]
    turned, others = ([f for f in families if f["rotated"] is rotated] for rotated in (True, False))
    if not turned or not others:
        return []
    share, equal = sum(f["share"] for f in turned), len(turned) / len(families)
    first, second = (min(group, key=lambda f: f["error"]) for group in (turned, others))
    if not np.isfinite(first["error"] + second["error"]):
        return []
    score, number = ("root mean squared error", "{:.4g}") if task == "regression" else ("error", "{:.1%}")
    return [
        f"Families on rotated columns have {share:.0%} of the weight ({equal:.0%} with equal weights); the best of them, "
        f"{first['name']}, has an out-of-bag {score} of {number.format(first['error'])}, the best other family, "
        f"{second['name']}, {number.format(second['error'])}."
    ]


def _importances_in_words(content: Mapping[str, Any], sign: int) -> list[str]:
    """Return sentences on the most important column, and on the number of columns with an effect and its test."""
    importances, tested, scoring = (content[key] for key in ("importances", "tested", "scoring"))
    if not importances:
        return []
    number = "{:.3f}" if 1e-3 <= abs(content["score"]) < 10 or content["score"] == 0 else "{:,.4g}"
    model, constant = tested["scores"]
    if sign * model <= sign * constant:
        scores = f"{scoring} {number.format(model)} against {number.format(constant)}"
        return [f"No column is shown to matter: on held-out rows a constant prediction is no worse ({scores})."]
    used = [x for x in importances if x["p"] < ALPHA and x["loss"] > 0]
    errors = "errors" if content["task"] == "regression" else "errors of the probabilities"
    columns = "columns" if len(importances) == tested["columns"] else "columns or sets of correlated columns"
    units = "held-out rows" if tested["units"] == tested["rows"] else "groups of held-out rows"
    words = [
        f"{len(used) or 'None'} of {len(importances)} {columns} {'is' if len(used) < 2 else 'are'} shown to have an effect on the errors of the model (do absolute {errors} rise with shuffled values? "
        f"One-sided paired t test over {tested['units']:,} {units}, corrected for {tested['columns']:,} columns by Holm)."
    ]
    if not used:
        return words
    first, before, after = used[0], content["score"], content["score"] - sign * used[0]["loss"]
    change = f"{'falls' if sign > 0 else 'rises'} from {number.format(before)} to {number.format(after)}"
    effect = f"{'have' if first['columns'] > 1 else 'has'} the largest effect that is shown"
    return [f"{first['column']} {effect}: with shuffled values, {scoring} {change} ({content['how']}).", *words]
