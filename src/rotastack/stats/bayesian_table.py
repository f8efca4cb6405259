"""Bayesian signed-rank tests of many methods over data sets: against a control, or of all pairs."""

import pandas as pd

from rotastack.seeds import child, root_sequence
from rotastack.stats.bayesian import bayesian_signed_rank
from rotastack.stats.missing import checked_scores
from rotastack.stats.wilcoxon import contrasts

__all__ = ["bayesian_table"]


def bayesian_table(
    scores: pd.DataFrame,
    control: str | None,
    higher_is_better: bool,
    rope: float = 0.0,
    *,
    prior: float = 0.5,
    n_samples: int = 50_000,
    random_state: object = 0,
    missing: str = "raise",
) -> pd.DataFrame:
    """Return posterior probabilities of Bayesian signed-rank tests of methods over data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_methods)
        One score (an error, an accuracy) per data set and method.
    control : str or None
        Compare every other method with this one; None compares all pairs.
    higher_is_better : bool
        Whether the scores are like accuracies, not errors.
    rope : float, default=0.0
        Half the width of the region of practical equivalence, in the units of the scores.
    prior, n_samples : float, int
        As for :func:`bayesian_signed_rank`.
    random_state : None, int, SeedSequence, Generator or RandomState, default=0
        Seed. The draws of a pair depend on the names of its methods, so adding a method changes no other number.
    missing : {"raise", "block"}, default="raise"
        A missing score is an error, or data sets that lack one are left out.

    Returns
    -------
    DataFrame of shape (n_comparisons, 3)
        Index: methods, or pairs of methods. ``better`` is the posterior probability that the method is better than
        the control (or the first of a pair better than the second) by more than the rope, ``equal`` that the two are
        practically equivalent, ``worse`` the rest. No correction for the number of comparisons is needed.

    Raises
    ------
    RotastackError
        `control` is not a method; see also :func:`rotastack.stats.missing.checked_scores` and
        :func:`bayesian_signed_rank`.

    References
    ----------
    Benavoli, A., Corani, G., Demsar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18(77).

    Examples
    --------
    >>> import pandas as pd
    >>> errors = pd.DataFrame({"A": [0.1, 0.2, 0.3, 0.4], "B": [0.2, 0.4, 0.5, 0.6], "C": [0.1, 0.2, 0.3, 0.4]})
    >>> bayesian_table(errors, "A", higher_is_better=False, rope=0.01).round(1)
       better  equal  worse
    B     0.0    0.0    1.0
    C     0.0    1.0    0.0
    """
    table = checked_scores(scores, missing, at_least=1)
    pairs, index = contrasts(list(table.columns), control)
    root = root_sequence(random_state)
    rows = [
        bayesian_signed_rank(
            table[one], table[other], higher_is_better, rope=rope, prior=prior, n_samples=n_samples,
            random_state=child(root, str(one), str(other)),
        )
        for one, other in pairs
    ]  # fmt: skip
    return pd.DataFrame(rows, index, columns=["better", "equal", "worse"])
