"""A class and its parameters, as a study names them."""

from typing import Annotated, Any

from pydantic import Field, field_validator

from rotastack.base.documents import Document
from rotastack.workflow.study.building import own_class
from rotastack.workflow.study.catalogue import VIEWS, Entry, find, resolved
from rotastack.workflow.study.specs import ClassSpec

Parameters = Annotated[
    dict[str, Any],
    Field(description="parameters of the class, by the names of the class; {class: ..., parameters: ...} is an object"),
]
Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._/=+-]*$")]
_CONTROL = {chr(n) for n in range(32)} - set("\t\n\r") | {"\x7f"}


def check_texts(content: Any) -> None:
    """Check that no text, at any depth, holds characters that files or commands cannot hold: NUL, half characters."""
    if isinstance(content, dict):
        for pair in content.items():
            check_texts(list(pair))
    elif isinstance(content, list):
        for value in content:
            check_texts(value)
    elif isinstance(content, str) and (_CONTROL & set(content) or any("\ud800" <= c <= "\udfff" for c in content)):
        raise ValueError(f"control characters are not allowed in text: {content!r:.80}")


def in_order(value: Any) -> Any:
    """Return parameters with their keys sorted, at any depth, because the order of keys has no meaning."""
    if isinstance(value, dict):
        strange = [key for key in value if not isinstance(key, str)]
        if strange:
            raise ValueError(f"keys of parameters must be text, found {strange[0]!r}")
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(v) for v in value] if isinstance(value, list) else value


class Component(Document):
    """A class and its parameters."""

    class_: Annotated[str, Field(alias="class", description="a short name, one of our classes, or a dotted path")]
    parameters: Parameters = {}

    _sorted = field_validator("parameters")(in_order)

    def resolved(self) -> ClassSpec:
        """Return the class's path and all its parameters."""
        return ClassSpec(**resolved(self.class_, self.parameters))


class ViewComponent(Component):
    """The view of a pool's members: a transform of the numeric columns."""

    @property
    def entry(self) -> Entry:
        """The catalogue entry of the view's class."""
        return find(self.class_, VIEWS, "view")

    @property
    def is_drawn(self) -> bool:
        """Whether rotation groups store its matrices, drawn before training; the step reads two parameters alone."""
        has_matrices = hasattr(own_class(self.entry.path), "from_matrix")
        return has_matrices and self.parameters.keys() <= {"flip", "max_axes"}

    @property
    def key(self) -> str:
        """Name of the view's folder, made from the class and its parameters."""
        parts = [self.entry.path.rpartition(".")[2], *(f"{k}-{v}" for k, v in self.parameters.items())]
        return "-".join("".join(c if c.isalnum() or c in "._-" else "_" for c in part) for part in parts)
