"""A class and its parameters, as a study names them."""

from typing import Annotated, Any

from pydantic import Field

from rotastack.workflow.study.building import own_class
from rotastack.workflow.study.specs import ClassSpec, Parameters

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._/=+-]*$")]
_CONTROL = {chr(n) for n in range(32)} - set("\t\n\r") | {"\x7f"}


def check_texts(content: Any) -> None:
    """Raise a ValueError for a text, at any depth, with characters that files or commands cannot hold: NUL, half characters."""
    if isinstance(content, dict):
        for pair in content.items():
            check_texts(list(pair))
    elif isinstance(content, list):
        for value in content:
            check_texts(value)
    elif isinstance(content, str) and (_CONTROL & set(content) or any("\ud800" <= c <= "\udfff" for c in content)):
        raise ValueError(f"control characters are not allowed in text: {content!r:.80}")


class Component(ClassSpec):
    """A class and its parameters."""

    parameters: Parameters = {}


class ViewComponent(Component):
    """The view of a pool's members: a transform of the numeric columns."""

    @property
    def is_drawn(self) -> bool:
        """Whether rotation groups store its matrices, drawn before training; the step reads two parameters alone."""
        return hasattr(own_class(self.class_), "from_matrix") and self.parameters.keys() <= {"flip", "max_axes"}

    @property
    def key(self) -> str:
        """Name of the view's folder, made from the class and its parameters."""
        parts = [self.class_.rpartition(".")[2], *(f"{k}-{v}" for k, v in self.parameters.items())]
        return "-".join("".join(c if c.isalnum() or c in "._-" else "_" for c in part) for part in parts)
