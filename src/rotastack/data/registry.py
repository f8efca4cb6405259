"""The registry of data sets: their titles, sources, and expected sizes."""

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from rotastack.base.documents import Document, Field, load_yaml, model_validator
from rotastack.data.sources.source import Source
from rotastack.errors import RotastackError, nearest
from rotastack.project import project_file

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
"""Name of a data set, which is part of file names."""
Kind = Literal["numeric", "categorical", "auto"]


class Kinds(Document):
    """Lists of columns by their kind."""

    numeric: Annotated[list[str], Field(description="numbers; missing values are allowed")] = []
    categorical: Annotated[list[str], Field(description="categories; missing is a category")] = []
    text: Annotated[list[str], Field(description="free text, encoded by its words in each training set")] = []
    ordered: Annotated[
        dict[str, Annotated[list[str], Field(min_length=2)]],
        Field(
            description="columns with their values from the first to the last; a value becomes the number of its place"
        ),
    ] = {}
    id: Annotated[list[str], Field(description="dropped")] = []
    leak: Annotated[list[str], Field(description="dropped")] = []
    others: Annotated[Kind, Field(description="kind of all other columns")] = "numeric"


class _Entry(Document):
    title: Annotated[str, Field(description="full name")] = ""
    sources: Annotated[
        list[Annotated[dict[str, Any], Field(min_length=1, max_length=1)]],
        Field(
            description="sources of the table, in order of preference; each a mapping of one source (bundled, "
            "generated, openml, uci, file) to its parameters. Sources on the network come after the mirror folder"
        ),
    ] = []
    mirror: Annotated[
        str,
        Field(
            pattern=r"^([A-Za-z0-9][A-Za-z0-9_.-]*)?$",
            description="name of the file in a mirror folder, without .csv.gz or .npz; by default the data set's name",
        ),
    ] = ""
    task: Annotated[
        Literal["classification", "regression"] | None,
        Field(
            description="task of the target: classes or numbers; studies of the other task refuse the data set. Null: classes in the "
            "registry; in a study, the study's task"
        ),
    ] = None
    rows: Annotated[int | None, Field(ge=2, description="expected number of rows")] = None
    columns: Annotated[
        int | list[str] | None, Field(description="expected number of feature columns, or their names in order")
    ] = None
    classes: Annotated[
        dict[str | int, Annotated[int, Field(ge=1)]],
        Field(description="class label -> expected number of rows, if known"),
    ] = {}
    kinds: Annotated[
        Kind | Kinds,
        Field(description="kind of all columns, or columns under numeric, categorical, ordered, text, id and leak"),
    ] = "auto"
    homepage: Annotated[str, Field(description="address of the data set's page")] = ""
    citation: Annotated[str, Field(description="reference to cite")] = ""
    licence: Annotated[str, Field(description="licence of the data")] = ""
    note: Annotated[str, Field(description="further remarks")] = ""


class _Registered(_Entry):
    """An entry of ``config/datasets.yaml``."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for key in ("title", "sources", "rows", "columns"):
            if key not in self.model_fields_set:
                raise ValueError(f"key {key!r} is missing")
        return self


class Extent(Document):
    """Approximate size of a data set."""

    rows: Annotated[int, Field(ge=1, description="number of rows")]
    columns: Annotated[int, Field(ge=1, description="number of columns after dummy encoding")]
    classes: Annotated[int | None, Field(ge=2, description="number of classes")] = None


class OwnDataset(_Entry):
    """A data set that a study file describes: by its sources, or by a registered data set that it is like."""

    name: Annotated[Name, Field(description="name in the study")]
    like: Annotated[str | None, Field(description="registered data set with the same entry")] = None
    noise_columns: Annotated[int, Field(ge=0, description="number of added columns of N(0, 1) noise")] = 0
    smallest_class: Annotated[
        int, Field(ge=0, description="classes with fewer rows are left out, with their rows; 0: all classes stay")
    ] = 0
    encoding: Annotated[
        Literal["dummies", "onehot"],
        Field(
            description="encoding of C categories for numeric estimators: dummies gives C - 1 columns, as in the thesis, onehot "
            "gives C"
        ),
    ] = "dummies"
    roughly: Annotated[
        Extent | None, Field(description="approximate size of the table, for memory and time; not checked")
    ] = None

    @model_validator(mode="after")
    def _from_somewhere(self) -> Self:
        if not self.sources and not self.mirror and self.like is None:
            raise ValueError("a data set that is not registered needs the key 'sources', 'mirror' or 'like'")
        return self


class _Registry(Document):
    entries: dict[Name, _Registered]


@cache
def registry() -> dict[str, dict[str, Any]]:
    """Return the checked entries of ``config/datasets.yaml``; callers must not change the cached result."""
    path = project_file("config/datasets.yaml")
    checked = _Registry.read({"entries": load_yaml(path)}, str(path)).entries
    return {name: {"task": "classification", **item.model_dump(exclude_unset=True)} for name, item in checked.items()}


def make_sources(name: str, spec: Mapping[str, Any]) -> list[Source]:
    """Return the sources of an entry, in order of preference; their kinds are the files of ``data/sources``."""
    kinds = sorted({p.stem for p in Path(__file__).with_name("sources").glob("*.py")} - {"__init__", "source"})
    columns = spec.get("columns")
    names = columns if isinstance(columns, list) else None
    made = []
    for item in spec["sources"]:
        ((kind, value),) = item.items()
        if kind not in kinds:
            raise RotastackError(
                f"{name}: source {kind!r} is unknown{nearest(kind, kinds)}; allowed: {', '.join(kinds)}"
            )
        module = importlib.import_module(f"rotastack.data.sources.{kind}")
        made.append(getattr(module, f"{kind.capitalize()}Source")(value, name, names, spec.get("kinds")))
    return made
