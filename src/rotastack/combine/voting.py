"""Voting: the members decide by mean probability or by majority."""

import numpy as np
from numpy.typing import NDArray

from rotastack.base.combiner import Combiner
from rotastack.errors import RotastackError

__all__ = ["Voting"]


class Voting(Combiner):
    """A combiner that averages probabilities or counts votes.

    Parameters
    ----------
    voting : {"soft", "hard"}, default="soft"
        "soft" is the mean of the probabilities. "hard" is the share of the members whose largest probability is
        that of the class; ties go to the class with the larger mean probability, then to the lower class number.

    Examples
    --------
    >>> import numpy as np
    >>> outputs = np.array([[[0.9, 0.1]], [[0.4, 0.6]], [[0.4, 0.6]]])  # (member, row, class)
    >>> Voting("soft").predict_proba(outputs).argmax(), Voting("hard").predict_proba(outputs).argmax()
    (np.int64(0), np.int64(1))
    """

    def __init__(self, voting: str = "soft"):
        self.voting = voting

    def predict_proba(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the mean probabilities or the shares of votes.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_rows, n_classes)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Mean probabilities, or shares of votes. One millionth of the mean probabilities is mixed into the
            shares to break ties.

        Raises
        ------
        RotastackError
            Unknown `voting`.
        """
        mean = outputs.mean(axis=0, dtype=np.float64)
        if self.voting == "soft":
            return mean
        if self.voting != "hard":
            raise RotastackError(f"voting must be 'soft' or 'hard', got {self.voting!r}")
        n_classes = outputs.shape[2]
        votes = (outputs.argmax(axis=2)[..., None] == np.arange(n_classes)).mean(axis=0)
        return (1 - 1e-6) * votes + 1e-6 * mean
