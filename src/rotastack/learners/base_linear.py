"""The linear machines that ensembles of a study may be made of, by name."""

from typing import Any

from rotastack.linear.exclusivity import ExclusivityRegularizedClassifier
from rotastack.linear.primal_svm import PrimalSVMClassifier

__all__ = ["base_linear_of"]


def base_linear_of(name: str, members: int, lam: float, loss_power: float) -> Any:
    """Return an unfitted machine.

    "psvm" is the primal support vector machine; "exrm" is the exact exclusivity regularised machine of
    `members` members.
    """
    if name == "psvm":
        return PrimalSVMClassifier(lam, loss_power=loss_power)
    return ExclusivityRegularizedClassifier(members, lam, loss_power=loss_power)
