"""Combiners as a study describes them."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator

from rotastack.base.documents import Document
from rotastack.workflow.study.building import load_class, make
from rotastack.workflow.study.catalogue import ESTIMATORS, PRUNERS, Entry, resolved
from rotastack.workflow.study.components import Component, Parameters, in_order
from rotastack.workflow.study.specs import AnyCombinerSpec, CombinerSpec, MemberSpec, PrunerSpec

NO_WEIGHTS = (
    "{}: weights need a pool with rotations and nested cross-validation; for random splits use estimator "
    "regularized_rotation_forest and combiner member"
)


class _Combiner(Document):
    path: ClassVar[str]
    """Dotted path of the class, whose parameters have the names of the other keys."""
    is_voted: ClassVar[bool] = False
    """Whether one job combines all such methods of a data set, because combining takes almost no time."""
    learns: ClassVar[bool] = False
    """Whether the combiner is trained whatever its keys; ``trained`` also asks these."""

    @property
    def trained(self) -> bool:
        """Whether the combiner is trained, on outputs for rows that the members were not trained on."""
        return self.learns

    def resolved(self, estimators: Mapping[str, Entry] = ESTIMATORS) -> AnyCombinerSpec:
        """Return the combiner with its class's path; `estimators` are the short names of the study's task."""
        parameters = self.dump()
        return CombinerSpec(kind=parameters.pop("kind"), class_=self.path, parameters=parameters)


class Vote(_Combiner):
    """The members vote."""

    path: ClassVar[str] = "rotastack.combine.voting.Voting"
    is_voted: ClassVar[bool] = True

    kind: Literal["vote"]
    voting: Annotated[Literal["soft", "hard"], Field(description="mean probability (soft) or majority (hard)")] = "soft"
    scoring: Annotated[
        Literal["accuracy", "balanced_accuracy"] | None,
        Field(description="nested, two classes: the score by which held-out rows choose the threshold; null: 0.5"),
    ] = None

    @property
    def trained(self) -> bool:
        """Whether the threshold is chosen on data."""
        return self.scoring is not None

    def resolved(self, estimators: Mapping[str, Entry] = ESTIMATORS) -> AnyCombinerSpec:
        """Return the combiner with its class's path; without ``scoring`` if there is none."""
        parameters = {"voting": self.voting, **({"scoring": self.scoring} if self.scoring else {})}
        return CombinerSpec(kind=self.kind, class_=self.path, parameters=parameters)


class StackingDocument(_Combiner):
    """A level-1 estimator learns from outputs for rows that the members have not seen."""

    path: ClassVar[str] = "rotastack.combine.stacking.Stacking"
    learns: ClassVar[bool] = True

    kind: Literal["stacking"]
    estimator: Annotated[str, Field(description="class of the level-1 estimator")] = "forest"
    parameters: Parameters = {}

    _sorted = field_validator("parameters")(in_order)

    def resolved(self, estimators: Mapping[str, Entry] = ESTIMATORS) -> AnyCombinerSpec:
        """Return the combiner with its class's path, and its one parameter, the level-1 estimator."""
        estimator = resolved(self.estimator, self.parameters, estimators, estimators)
        return CombinerSpec(kind=self.kind, class_=self.path, parameters={"estimator": estimator})


class LogLinear(_Combiner):
    """The members' log probabilities get weights, fitted to outputs for rows that the members were not trained on."""

    path: ClassVar[str] = "rotastack.combine.log_linear.LogLinearWeights"
    learns: ClassVar[bool] = True

    kind: Literal["log_linear"]
    ridge: Annotated[float, Field(gt=0, description="strength of the penalty on unequal weights")] = 2.0


class Weights(_Combiner):
    """Rotations are weighted by complexity and out-of-bag error."""

    path: ClassVar[str] = "rotastack.combine.rotation_weights.RotationWeights"

    kind: Literal["weights"]
    weighting: Annotated[
        Literal["equal", "cut", "exp", "best", "new", "linear", "oob", "joint"],
        Field(description="weighting of the rotations"),
    ] = "exp"
    h: Annotated[float | int | None, Field(description="parameter of cut and exp; null: chosen from a grid")] = None


class MemberDocument(_Combiner):
    """One of the pool's named outputs decides: a weighting, or an ensemble size."""

    is_voted: ClassVar[bool] = True

    kind: Literal["member"]
    member: Annotated[str, Field(description="a weighting, or an ensemble size of the pool")]

    def resolved(self, estimators: Mapping[str, Entry] = ESTIMATORS) -> AnyCombinerSpec:
        """Return the keys unchanged, because this combiner has no class."""
        return MemberSpec(kind=self.kind, member=self.member)


class Prune(_Combiner):
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

    _sorted = field_validator("parameters")(in_order)

    def resolved(self, estimators: Mapping[str, Entry] = ESTIMATORS) -> AnyCombinerSpec:
        """Return the pruner with its path and parameters, and the rows and members that it selects from."""
        pruner = resolved(self.pruner, self.parameters, PRUNERS)
        return PrunerSpec(kind=self.kind, selection=self.selection, first=self.first, **pruner)


class Other(Component, _Combiner):
    """Any combiner, by its class."""

    kind: Literal["other"]

    @property
    def trained(self) -> bool:
        """Whether the combiner is trained, by the attribute ``trained`` of its class; a class of Rotastack is built."""
        spec = self.resolved()
        own = spec.class_.startswith("rotastack.")
        return bool(getattr(make(spec) if own else load_class(spec.class_), "trained", False))

    def resolved(self, estimators: Mapping[str, Entry] = ESTIMATORS) -> CombinerSpec:  # type: ignore[override]
        """Return the combiner with its class's path and parameters."""
        return CombinerSpec(kind=self.kind, **resolved(self.class_, self.parameters, {}))


AnyCombiner = Annotated[
    Vote | StackingDocument | LogLinear | Weights | MemberDocument | Prune | Other, Field(discriminator="kind")
]
