"""Voting: the members decide by mean probability or by majority, of two classes also by a threshold."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from rotastack.base.combiner import Combiner
from rotastack.base.scikit import whole_fit
from rotastack.errors import RotastackError


class Voting(Combiner):
    """A combiner that averages probabilities or counts votes.

    Parameters
    ----------
    voting : {"soft", "hard"}, default="soft"
        "soft" is the mean of the probabilities. "hard" is the share of the members whose largest probability is
        that of the class; ties go to the class with the larger mean probability, then to the lower class number.
    scoring : {"accuracy", "balanced_accuracy"} or None, default=None
        Two classes: the score by which outputs for held-out rows choose the share of votes, or mean probability, above
        which the second class wins. None: a half.

    Attributes
    ----------
    best_threshold_ : float
        The chosen share, if there is a `scoring`. :meth:`predict_proba` brings it to a half, so ranks of rows stay.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 4.5.1, after Cannings and Samworth (2017).

    Examples
    --------
    >>> import numpy as np
    >>> outputs = np.array([[[0.9, 0.1]], [[0.4, 0.6]], [[0.4, 0.6]]])  # (member, row, class)
    >>> Voting("soft").predict_proba(outputs).argmax(), Voting("hard").predict_proba(outputs).argmax()
    (np.int64(0), np.int64(1))
    """

    def __init__(self, voting: str = "soft", scoring: str | None = None):
        self.voting = voting
        self.scoring = scoring

    @property
    def trained(self) -> bool:  # type: ignore[override]
        """Whether the threshold is chosen on data."""
        return self.scoring is not None

    @whole_fit
    def fit(
        self,
        outputs: NDArray[np.floating],
        y: NDArray[np.intp],
        n_classes: int | None,
        sequence: np.random.SeedSequence,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Self:
        """Choose the threshold on outputs for rows that the members have not seen; of equal ones, the nearest to a half."""
        if n_classes != 2:
            raise RotastackError(f"a threshold of votes needs two classes, got {n_classes or 'a regression'}")
        if self.scoring not in ("accuracy", "balanced_accuracy"):
            raise RotastackError(f"scoring must be 'accuracy', 'balanced_accuracy' or None, got {self.scoring!r}")
        share, weights = self._shares(outputs)[:, 1], np.ones(len(y)) if sample_weight is None else sample_weight
        if self.scoring == "balanced_accuracy":
            weights = weights / np.maximum(np.bincount(y, weights, minlength=2), 1e-300)[y]
        values, at = np.unique(np.round(share, 9), return_inverse=True)  # sums in another order are no other share
        gain = np.bincount(at, np.where(y == 0, weights, -weights))  # of no longer deciding for the second class
        right = np.append(0.0, np.cumsum(gain))  # thresholds below, between and above the values
        between = np.concatenate([[values[0] / 2], (values[1:] + values[:-1]) / 2, [(values[-1] + 1) / 2]])
        inside = (between > 0) & (between < 1)
        best = between[inside & (right >= right[inside].max() - 1e-9 * weights.sum())]
        self.best_threshold_ = float(best[np.abs(best - 0.5).argmin()])
        return self

    def predict_proba(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the mean probabilities or the shares of votes.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_rows, n_classes)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Mean probabilities, or shares of votes. One millionth of the mean probabilities is mixed into the
            shares to break ties. With a chosen threshold, its two sides are stretched to the halves of [0, 1].

        Raises
        ------
        RotastackError
            Unknown `voting`.
        """
        shares = self._shares(outputs)
        if self.scoring is None:
            return shares
        second = np.interp(shares[:, 1], [0, self.best_threshold_, 1], [0, 0.5, 1])
        return np.stack([1 - second, second], axis=1)

    def _shares(self, outputs):
        mean = outputs.mean(axis=0, dtype=np.float64)
        if self.voting == "soft":
            return mean
        if self.voting != "hard":
            raise RotastackError(f"voting must be 'soft' or 'hard', got {self.voting!r}")
        n_classes = outputs.shape[2]
        votes = (outputs.argmax(axis=2)[..., None] == np.arange(n_classes)).mean(axis=0)
        return (1 - 1e-6) * votes + 1e-6 * mean
