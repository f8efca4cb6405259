"""Comparison of methods over data sets: ranks, tests, wins and improvements from one table of scores."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from rotastack.errors import counted
from rotastack.stats.friedman import FriedmanResult, friedman
from rotastack.stats.missing import checked_scores
from rotastack.stats.nemenyi import critical_difference, nemenyi
from rotastack.stats.ranks import average_ranks
from rotastack.stats.wilcoxon import wilcoxon_holm
from rotastack.stats.win_matrix import wins_and_shared


class ComparisonReport(NamedTuple):
    """Result of :meth:`Comparison.report`: sentences, and :attr:`Comparison.table`."""

    text: str
    table: pd.DataFrame

    def __repr__(self) -> str:
        return f"{self.text}\n\n{_printed(self.table)}"


def _printed(table: pd.DataFrame) -> str:
    return table.to_string(float_format="{:.4g}".format, max_rows=20)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Comparison of methods over data sets; each attribute is computed when it is read. Printed, it is a short table.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    left_out : tuple, default=()
        Data sets that are not in `scores`, because a method had no score on them.
    """

    scores: pd.DataFrame
    higher_is_better: bool
    left_out: tuple = ()

    def __repr__(self) -> str:
        return _printed(self.table)

    @property
    def table(self) -> pd.DataFrame:
        """The methods, best first: average rank, mean score, data sets on which it has the best score, Nemenyi's p.

        The p-value is that of the test against the method with the best average rank, which itself has 1.
        """
        best = self.scores.max(axis=1) if self.higher_is_better else self.scores.min(axis=1)
        ranks = self.average_ranks.sort_values(kind="stable")
        columns = {
            "average rank": ranks,
            "mean score": self.scores.mean(),
            "best on": self.scores.eq(best, axis=0).sum(),
            "p against the best": self.nemenyi_p[ranks.index[0]],
        }
        return pd.DataFrame(columns).loc[ranks.index]

    def report(self, alpha: float = 0.05) -> ComparisonReport:
        """Return sentences and a table; :func:`rotastack.plots.critical_difference.plot_critical_difference` draws the diagram.

        Parameters
        ----------
        alpha : float, default=0.05
            Level of the tests.

        Examples
        --------
        >>> import pandas as pd
        >>> errors = pd.DataFrame({"RF": [0.05, 0.20, 0.12, 0.3], "RRE": [0.04, 0.22, 0.10, 0.2], "GB": 0.5})
        >>> print(compare(errors, higher_is_better=False).report())
        RRE has the best average rank of 3 methods over 4 data sets (1.25).
        The methods differ (Friedman's test, p = 0.042).
        RRE differs from GB (Nemenyi's test at 0.05, critical difference 1.66).
        <BLANKLINE>
             average rank  mean score  best on  p against the best
        RRE          1.25        0.14        3                   1
        RF           1.75      0.1675        1              0.7593
        GB              3         0.5        0             0.03556
        """
        table, (n, k) = self.table, self.scores.shape
        best = table.index[table["average rank"] <= table.iloc[0, 0] + 1e-9]
        text = f"{', '.join(map(str, best))} {'has' if len(best) == 1 else 'share'} the best average rank of {k} "
        text += f"methods over {counted(n, 'data set')} ({table.iloc[0, 0]:.2f})."
        if n > 1:
            p = "< 0.001" if self.p_value < 0.001 else f"= {self.p_value:.3f}"
            differ = "The methods differ" if self.p_value < alpha else "That the methods differ is not shown"
            text += f"\n{differ} (Friedman's test, p {p})."
        others = ", ".join(map(str, table.index[table["p against the best"] < alpha]))
        differs = f"{best[0]} differs from {others}" if others else f"That {best[0]} differs from another is not shown"
        test = f"Nemenyi's test at {alpha:g}, critical difference {self.critical_difference(alpha):.2f}"
        text += f"\n{differs} ({test})."
        return ComparisonReport(text, table)

    @cached_property
    def average_ranks(self) -> pd.Series:
        """Rank of each method averaged over data sets; 1 is best, and tied methods share their mean rank."""
        return average_ranks(self.scores, self.higher_is_better)

    @cached_property
    def _friedman(self) -> FriedmanResult:
        return friedman(self.scores, self.higher_is_better)

    @property
    def friedman_chi2(self) -> float:
        """Friedman's statistic, corrected for ties."""
        return self._friedman.chi2

    @property
    def iman_davenport_f(self) -> float:
        """Iman and Davenport's F, computed from Friedman's statistic."""
        return self._friedman.F

    @property
    def df(self) -> tuple[int, int]:
        """Degrees of freedom of Iman and Davenport's F."""
        return self._friedman.df

    @property
    def p_value(self) -> float:
        """p-value of Friedman's test: the probability of ranks that differ at least as much if all methods were equal."""
        return self._friedman.p

    @cached_property
    def nemenyi_p(self) -> pd.DataFrame:
        """p-values of Nemenyi's test for all pairs of methods."""
        return nemenyi(self.scores, self.higher_is_better)

    @cached_property
    def wins(self) -> pd.DataFrame:
        """Number of data sets on which the row's method beats the column's; a tie counts one half."""
        table, _ = wins_and_shared(self.scores, self.higher_is_better)
        np.fill_diagonal(table, 0.0)
        return pd.DataFrame(table, self.scores.columns, self.scores.columns)

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Return Nemenyi's critical difference of average ranks for these numbers of methods and data sets."""
        return critical_difference(self.scores.shape[1], self.scores.shape[0], alpha)

    def better(self, control: str) -> pd.Series:
        """Return the number of data sets on which each method is better than `control`; a tie does not count."""
        wins = wilcoxon_holm(self.scores, control, self.higher_is_better)["wins"]
        return wins.reindex(self.scores.columns, fill_value=0)

    def holm_p(self, control: str) -> pd.Series:
        """Return p-values of Wilcoxon's tests of every other method against `control`, adjusted by Holm."""
        return wilcoxon_holm(self.scores, control, self.higher_is_better)["p_holm"]

    def improvement(self, control: str) -> pd.Series:
        """Return each method's mean improvement over `control`, in percent of the control's score.

        A method that is better has an improvement above 0. Data sets on which the control scores 0 are left out.
        """
        return self._gains(control).mean()

    def worst_loss(self, control: str) -> pd.DataFrame:
        """Return each method's largest loss against `control` on any data set, and that data set.

        Data sets on which the control scores 0 are left out.

        Returns
        -------
        DataFrame of shape (n_methods, 2)
            ``loss`` in percent of the control's score, below 0 for a method that is better on every data set, and
            ``on``, the data set; NaN and None if no data set is left.
        """
        losses = -self._gains(control)
        if not len(losses):
            return pd.DataFrame({"loss": np.nan, "on": None}, index=self.scores.columns)
        return pd.DataFrame({"loss": losses.max(), "on": losses.idxmax()})

    def _gains(self, control: str) -> pd.DataFrame:
        """Return improvements in percent of the control's score, on data sets with a control's score other than 0."""
        base = self.scores[control]
        sign = 1 if self.higher_is_better else -1
        return 100 * sign * self.scores.sub(base, axis=0)[base != 0].div(base[base != 0].abs(), axis=0)


def compare(scores: pd.DataFrame, higher_is_better: bool, *, missing: str = "raise") -> Comparison:
    """Return a comparison of methods over data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    missing : {"raise", "block"}, default="raise"
        A missing score is an error, or data sets that lack one are left out.

    Returns
    -------
    Comparison
        Ranks, tests, wins and improvements, computed when they are read, and the data sets that were left out.

    Raises
    ------
    RotastackError
        See :func:`rotastack.stats.missing.checked_scores`.

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"RF": [0.05, 0.20, 0.12], "RRE": [0.04, 0.22, 0.10]})
    >>> print(compare(errors, higher_is_better=False))
         average rank  mean score  best on  p against the best
    RRE         1.333        0.12        2                   1
    RF          1.667      0.1233        1                   1
    >>> errors.loc[2, "RF"] = None
    >>> compare(errors, higher_is_better=False, missing="block").left_out
    (2,)
    """
    table = checked_scores(scores, missing)
    return Comparison(table, higher_is_better, tuple(scores.index.difference(table.index, sort=False)))


def cliques(ranks: pd.Series, different: pd.DataFrame) -> list[list[str]]:
    """Return groups of methods that do not differ significantly: maximal runs of neighbours in average rank."""
    order = list(ranks.sort_values(kind="stable").index)
    runs: list[list[str]] = []
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not different.loc[order[start : stop + 1], order[stop]].any():
            stop += 1
        run = order[start:stop]
        if len(run) > 1 and not any(set(run) <= set(other) for other in runs):
            runs.append(run)
    return runs
