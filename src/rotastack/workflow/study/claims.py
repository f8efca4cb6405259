"""Claims and sweeps of a study: statements on its methods that are tested, and figures of the error against a parameter."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from rotastack.base.documents import Document


class Claim(Document):
    """A statement that the study tests over its data sets, or over the splits of one."""

    what: Annotated[
        str,
        Field(
            description="error, or any other column of the scores: roc_auc, disagreement, member_accuracy, test_margin, members"
        ),
    ]
    of: Annotated[str, Field(description="a method")]
    than: Annotated[str, Field(description="method of the comparison")]
    expect: Annotated[Literal["higher", "lower", "equal"], Field(description="direction of the claim")]


class Sweep(Document):
    """A figure of the mean error against a parameter, one method for each value."""

    title: Annotated[str, Field(description="title of the figure")]
    axis: Annotated[str, Field(description="label of the axis")]
    values: Annotated[list[float], Field(min_length=2, description="values of the parameter, in increasing order")]
    lines: Annotated[
        dict[str, Annotated[list[str], Field(min_length=1)]],
        Field(
            min_length=1, description="label -> one method per value, or a single method, drawn as a horizontal line"
        ),
    ]
    log: Annotated[bool, Field(description="a logarithmic axis")] = False

    @model_validator(mode="after")
    def _one_method_per_value(self) -> Self:
        if any(b <= a for a, b in pairwise(self.values)) or (self.log and self.values[0] <= 0):
            raise ValueError(f"values {self.values} must increase{' from more than 0' if self.log else ''}")
        for name, line in self.lines.items():
            if len(line) not in (1, len(self.values)):
                raise ValueError(
                    f"lines.{name}: {len(line)} methods for {len(self.values)} values; name one method per value, or a "
                    "single method"
                )
        return self
