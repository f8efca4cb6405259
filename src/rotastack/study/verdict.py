"""What came out of a study, in sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rotastack.stats.metrics import BASELINE, NAMES, PRIMARY
from rotastack.stats.resampled_t import corrected_t

__all__ = ["verdict_of_many", "verdict_of_one"]


def verdict_of_one(
    cells: pd.DataFrame,
    task: str,
    control: str,
    *,
    baseline: float | None = None,
    test_to_train: float | None = None,
    alpha: float = 0.05,
) -> dict[str, Any]:
    """Say which method is best on a data set, and whether it is beyond chance that it beats the control.

    Parameters
    ----------
    cells : DataFrame of shape (n_cells, n_methods)
        The main score, of which less is better; a method that failed has missing values.
    task : {"classification", "regression"}
    control : str
        The method that others are compared with.
    baseline : float, optional
        Mean score of always giving the same answer.
    test_to_train : float, optional
        Test rows for each training row of a split, for the corrected t test over splits; without it, and with one
        split, none is made.
    alpha : float
        Level of the test.

    Returns
    -------
    dict
        ``best`` (None if all methods failed), ``means`` (method -> mean), ``p_value`` (None without a test), and
        ``sentences``.

    Examples
    --------
    >>> cells = pd.DataFrame({"Random forest": [0.25, 0.27, 0.26], "Rotastack": [0.20, 0.21, 0.21]})
    >>> found = verdict_of_one(cells, "classification", "Random forest", baseline=0.46, test_to_train=0.5)
    >>> print(found["sentences"][0])
    Rotastack: error 20.7% against 26.0% for Random forest and 46.0% for always the largest class. The difference from Random forest is beyond chance (p = 0.0096, corrected t test over 3 splits).
    """
    score, constant = NAMES[PRIMARY[task]], BASELINE[task]
    shown = "{:.1%}".format if task == "classification" else "{:.4g}".format
    means = cells.mean(skipna=False).dropna().sort_values(kind="stable")
    failed = [m for m in cells.columns if m not in means.index]
    if means.empty:
        return {
            "best": None,
            "means": {},
            "p_value": None,
            "sentences": ["All methods failed; the report says why."],
        }
    best = str(means.index[0])
    rival = control if control in means.index and control != best else None
    if rival is None and len(means) > 1:
        rival = str(means.index[1])
    against = [f"{shown(means[rival])} for {rival}"] if rival else []
    if baseline is not None:
        against.append(f"{shown(baseline)} for {constant}")
    first = f"{best}: {score} {shown(means[best])}"
    sentences = [first + (f" against {' and '.join(against)}" if against else "") + "."]
    p_value = None
    if rival and test_to_train and len(cells) > 1:
        test = corrected_t(cells[best], cells[rival], 1.0, test_to_train, alpha=alpha)
        p_value = float(test.p)
        chance = "beyond chance" if p_value < alpha else "not beyond chance"
        p = "< 0.001" if p_value < 0.001 else f"= {p_value:.2g}"
        sentences[0] += (
            f" The difference from {rival} is {chance} (p {p}, corrected t test over {len(cells)} splits)."
        )
    if baseline is not None and means[best] >= baseline:
        sentences.append(f"No method is better than {constant}: these columns tell nothing about the target.")
    if failed:
        sentences.append(f"Failed: {', '.join(failed)}; the report says why.")
    return {"best": best, "means": means.to_dict(), "p_value": p_value, "sentences": sentences}


def verdict_of_many(
    result: Mapping[str, Any],
    score: str,
    methods: Sequence[str],
    control: str,
    alpha: float,
    titles: Mapping[str, str],
) -> list[str]:
    """Say what came out over several data sets, and how sure that is: by group, if the study has groups.

    Parameters
    ----------
    result : mapping
        The comparison of the methods by one score, as ``summarize`` writes it.
    score : str
        What the score is called.
    methods : sequence of str
    control : str
    alpha : float
        Level of the tests.
    titles : mapping
        Group -> its title.
    """
    if "groups" in result:
        return [_of_group(name, found, score, alpha, titles) for name, found in result["groups"].items()]
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
        sentences.append(
            _friedman(result["p_value"], alpha, f"{n} data sets", _different_pairs(result, alpha))
        )
    return sentences


def _of_group(
    name: str, found: Mapping[str, Any], score: str, alpha: float, titles: Mapping[str, str]
) -> str:
    title = "All groups (a row is a data set in one group)" if name == "all" else titles[name] or name
    if "average_ranks" not in found:
        return f"{title}: no data set has scores of all methods; see the notes of the group."
    what = ("row" if name == "all" else "data set") + ("s" if found["n_rows"] > 1 else "")
    n = f"{found['n_rows']} {what}"
    ranks = pd.Series(found["average_ranks"]).sort_values(kind="stable")
    rank_of = "accuracy" if score == "error" else score
    text = f"{title}: by average rank of the {rank_of} over {n} the order is {_order(ranks)}."
    if "p_value" in found:
        pairs = [f"{a} and {b}" for a, b in found["different"]]
        text += " " + _friedman(found["p_value"], alpha, n, pairs)
    return text


def _order(ranks: pd.Series) -> str:
    return ", ".join(f"{m} ({r:.2f})" for m, r in ranks.items())


def _friedman(p: float, alpha: float, n: str, pairs: list[str]) -> str:
    if p >= alpha:
        return f"Friedman's test sees no difference between the methods (p = {p:.3g}): with {n} the order above may be chance."
    found = "; ".join(pairs) if pairs else "none of the pairs"
    return f"Friedman's test says that the methods differ (p = {p:.3g}); by Nemenyi's test these pairs do: {found}."


def _different_pairs(result: Mapping[str, Any], alpha: float) -> list[str]:
    table = pd.DataFrame(result["nemenyi_p"])
    names = list(table.columns)
    return [f"{a} and {b}" for i, a in enumerate(names) for b in names[i + 1 :] if table.loc[a, b] < alpha]
