"""What came out on one data set, in a sentence or two."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from rotastack.stats.resampled_t import corrected_t

__all__ = ["Words", "verdict_of_one"]


class Words(NamedTuple):
    """How a score is spoken of.

    Attributes
    ----------
    name : str
    baseline : str
        What is always answered by the baseline.
    as_percent : bool
    """

    name: str
    baseline: str
    as_percent: bool

    def value(self, score: float) -> str:
        """Return a score with its unit."""
        return f"{100 * score:.1f} %" if self.as_percent else f"{score:.4g}"


WORDS = {
    "classification": Words("error", "always saying the largest class", True),
    "regression": Words("RMSE", "always saying the mean", False),
}
"""Task -> its main score."""


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
    Rotastack: error 20.7 % against 26.0 % for Random forest and 46.0 % for always saying the largest class. The difference from Random forest is beyond chance (p = 0.018, corrected t test over 3 splits).
    """
    words = WORDS[task]
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
    against = [f"{words.value(means[rival])} for {rival}"] if rival else []
    if baseline is not None:
        against.append(f"{words.value(baseline)} for {words.baseline}")
    first = f"{best}: {words.name} {words.value(means[best])}"
    sentences = [first + (f" against {' and '.join(against)}" if against else "") + "."]
    p_value = None
    if rival and test_to_train and len(cells) > 1:
        test = corrected_t(cells[best], cells[rival], 1.0, test_to_train, alpha=alpha)
        p_value = float(test.p)
        chance = "beyond chance" if p_value < alpha else "not beyond chance"
        shown = "< 0.001" if p_value < 0.001 else f"= {p_value:.2g}"
        sentences[0] += (
            f" The difference from {rival} is {chance} (p {shown}, corrected t test over {len(cells)} splits)."
        )
    if baseline is not None and means[best] >= baseline:
        sentences.append(
            f"No method is better than {words.baseline}: these columns tell nothing about the target."
        )
    if failed:
        sentences.append(f"Failed: {', '.join(failed)}; the report says why.")
    return {"best": best, "means": means.to_dict(), "p_value": p_value, "sentences": sentences}


def split_scores(scores: pd.DataFrame, score: str, methods: Mapping[str, Any] | list[str]) -> pd.DataFrame:
    """Return one data set's scores as a table of cells and methods."""
    numbered = [c for c in ("rotation_group", "fold_group", "split") if c in scores]
    wide = scores.pivot(index=numbered, columns="method", values=score)
    return wide[[m for m in methods if m in wide]]
