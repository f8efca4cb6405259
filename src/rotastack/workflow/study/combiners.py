"""Combiners as a study describes them."""

from typing import Annotated, Literal

from pydantic import Field

from rotastack.base.documents import Document
from rotastack.workflow.study.components import Component
from rotastack.workflow.study.specs import Parameters


class Vote(Document):
    """The members vote."""

    kind: Literal["vote"]
    voting: Annotated[Literal["soft", "hard"], Field(description="mean probability (soft) or majority (hard)")] = "soft"
    scoring: Annotated[
        Literal["accuracy", "balanced_accuracy"] | None,
        Field(description="nested, two classes: the score by which held-out rows choose the threshold; null: 0.5"),
    ] = None


class StackingDocument(Document):
    """A level-1 estimator learns from outputs for rows that the members have not seen."""

    kind: Literal["stacking"]
    estimator: Annotated[str, Field(description="class of the level-1 estimator")] = "forest"
    parameters: Parameters = {}


class LogLinear(Document):
    """The members' log probabilities get weights, fitted to outputs for rows that the members were not trained on."""

    kind: Literal["log_linear"]
    ridge: Annotated[float, Field(gt=0, description="strength of the penalty on unequal weights")] = 2.0


class Weights(Document):
    """Rotations are weighted by complexity and out-of-bag error."""

    kind: Literal["weights"]
    weighting: Annotated[
        Literal["equal", "cut", "exp", "best", "new", "linear", "oob", "joint"],
        Field(description="weighting of the rotations"),
    ] = "exp"
    h: Annotated[float | int | None, Field(description="parameter of cut and exp; null: chosen from a grid")] = None


class MemberDocument(Document):
    """One of the pool's named outputs decides: a weighting, or an ensemble size."""

    kind: Literal["member"]
    member: Annotated[str, Field(description="a weighting, or an ensemble size of the pool")]


class Prune(Document):
    """The members that a pruner chooses by their votes decide."""

    kind: Literal["prune"]
    pruner: Annotated[str, Field(description="a pruner, by short name or class; none: all members vote")] = (
        "orientation"
    )
    parameters: Parameters = {}
    selection: Annotated[
        Literal["oob", "train", "test"] | None,
        Field(
            description="rows that select the members; null: oob if the members have bags, else train. test is "
            "optimistic, only for comparison with sources that did the same"
        ),
    ] = None
    first: Annotated[
        int | None, Field(ge=1, description="number of members of the pool, from the first; null: all")
    ] = None


class Other(Component):
    """Any combiner, by its class."""

    kind: Literal["other"]


AnyCombiner = Annotated[
    Vote | StackingDocument | LogLinear | Weights | MemberDocument | Prune | Other, Field(discriminator="kind")
]
