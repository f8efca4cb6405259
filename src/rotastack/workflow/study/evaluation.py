"""The evaluation keys of a study: comparisons, claims, groups, and figures of the error against a parameter."""

from collections.abc import Container, Sequence
from typing import Annotated, Literal

from pydantic import Field, field_validator

from rotastack.base.documents import Document
from rotastack.base.traits import TaskName
from rotastack.errors import nearest
from rotastack.stats.metrics import METRICS, ranked_scores, score_named
from rotastack.workflow.study.claims import Claim, Sweep
from rotastack.workflow.study.components import Label


def check_label(key: str, label: str, labels: list[str], optimistic: Container[str] = ()) -> None:
    """Raise a ValueError unless a key's label is that of a method, which is not `optimistic`."""
    if label not in labels:
        raise ValueError(f"{key}: {label!r} is not a method{nearest(label, labels)}; allowed: {', '.join(labels)}")
    if label in optimistic:
        raise ValueError(f"{key}: {label!r} chooses members by the test rows; name another method")


class Group(Document):
    """Methods that are compared among themselves."""

    title: Annotated[str, Field(description="title of the group in the report; empty: its name")] = ""
    methods: Annotated[
        dict[Label, str],
        Field(
            min_length=2, description="label within the group -> method; the first method is the control of the group"
        ),
    ]

    @field_validator("methods")
    @classmethod
    def _each_once(cls, value: dict[str, str]) -> dict[str, str]:
        for method in value.values():
            if list(value.values()).count(method) > 1:
                raise ValueError(f"{method!r} occurs twice in the group; drop one")
        return value


class PublishedColumns(Document):
    """Published results that stand beside the study's own."""

    table: Annotated[str, Field(pattern="^[a-z0-9_-]+$", description="the name of a CSV file in config/published")]
    methods: Annotated[list[str], Field(description="methods of the file; empty: all methods with a score")] = []
    suffix: Annotated[
        str,
        Field(
            alias="as",
            pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._/=+-]*$",
            description="label in brackets after each method's name",
        ),
    ] = "published"
    failed: Annotated[
        Literal["missing", "mean"],
        Field(
            description="score of a failed method: none, so the data set has no ranks, or the mean of the "
            "table's methods"
        ),
    ] = "missing"
    protocol: Annotated[
        str, Field(min_length=1, description="differences of its protocol from the study's, in a sentence")
    ]


class Evaluation(Document):
    """How the scores are evaluated: comparisons, groups, claims and figures."""

    alpha: Annotated[float, Field(gt=0, lt=0.5, description="significance level")] = 0.05
    score: Annotated[
        str | None,
        Field(
            description="score by which methods are ranked and tested, and the best is chosen: "
            f"{'; '.join(', '.join(ranked_scores(task)) for task in METRICS)}; pinball ranks only methods that "
            "predict intervals; or scikit-learn's name of a score. Null: error, or rmse for a regression"
        ),
    ] = None
    average: Annotated[
        Literal["mean", "median"],
        Field(
            description="how the scores of a method on the cells of a data set become one, for ranks and tests over data sets"
        ),
    ] = "mean"
    control: Annotated[str | None, Field(description="control method of all comparisons; null: the first")] = None
    pairs: Annotated[
        list[Annotated[list[str], Field(min_length=2, max_length=2)]],
        Field(description="pairs of methods with counts of wins and ties; empty: each method against the control"),
    ] = []
    shown: Annotated[
        list[str],
        Field(
            description="methods in figures of differences to the control, margins, curves and diversity; empty: all"
        ),
    ] = []
    groups: Annotated[
        dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")], Group],
        Field(
            description="group -> methods, compared within the group. Groups with the same labels are also compared "
            'together, as "all": one row per data set and group'
        ),
    ] = {}
    left_out: Annotated[
        dict[str, str],
        Field(
            description="data set -> reason for its exclusion from ranks and tests; the data set is run and shown, and readers of the page can include it"
        ),
    ] = {}
    claims: Annotated[
        list[Claim],
        Field(
            description="statements to test over the data sets, or over the splits of one: disagreement of DRSF is higher than that of RotF"
        ),
    ] = []
    sweeps: Annotated[list[Sweep], Field(description="figures of the mean error against a parameter")] = []
    published_columns: Annotated[
        list[PublishedColumns],
        Field(description="published results for separate ranks in the report; the study's tests ignore them"),
    ] = []

    @field_validator("groups")
    @classmethod
    def _not_all(cls, value: dict[str, Group]) -> dict[str, Group]:
        if "all" in value:
            raise ValueError('the name "all" is reserved for all groups together; choose another name')
        return value

    def check(self, labels: list[str], optimistic: Container[str], task: TaskName, measures: Sequence[str]) -> None:
        """Raise a ValueError, with the key, for a method or a quantity that does not exist; `measures` are quantities beside the scores."""
        quantities = [*METRICS[task], *measures]
        for claim in self.claims:
            if claim.what not in quantities:
                raise ValueError(
                    f"evaluation.claims.what: {claim.what!r} is unknown{nearest(claim.what, quantities)}; "
                    f"allowed: {', '.join(quantities)}"
                )
        named = [("pairs", label) for pair in self.pairs for label in pair]
        named += [("shown", label) for label in self.shown]
        named += [(f"claims.{key}", getattr(claim, key)) for claim in self.claims for key in ("of", "than")]
        for k, sweep in enumerate(self.sweeps):
            named += [(f"sweeps.{k}.lines.{name}", m) for name, line in sweep.lines.items() for m in line]
        for key, label in named:
            check_label(f"evaluation.{key}", label, labels)
        for name, group in self.groups.items():
            for label, method in group.methods.items():
                check_label(f"evaluation.groups.{name}.methods.{label}", method, labels, optimistic)
        if self.control is not None:
            check_label("evaluation.control", self.control, labels, optimistic)
        if self.score is not None:
            try:
                score_named(self.score, task)
            except ValueError as error:
                raise ValueError(f"evaluation.score: {error}") from None
