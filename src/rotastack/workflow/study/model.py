"""The study as a pydantic model: the keys that its YAML file may have, their meaning and their defaults.

This module has the top-level keys. The keys of combiners, views, evaluation, protocols and own data sets are in
:mod:`~rotastack.workflow.study.combiners`, ``components``, ``evaluation``, ``protocols`` and :mod:`rotastack.data.registry`.
Each default and description is stated with its key alone; ``config/study.schema.json`` is exported from these.
:mod:`rotastack.workflow.study.resolving` looks up the classes, and :mod:`rotastack.workflow.study.classes` imports and checks them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from rotastack.base.documents import Document
from rotastack.base.traits import TaskName
from rotastack.data.registry import OwnDataset
from rotastack.errors import nearest
from rotastack.workflow.study.combiners import AnyCombiner, MemberDocument, Prune
from rotastack.workflow.study.components import Label, ViewComponent, check_texts
from rotastack.workflow.study.evaluation import Evaluation, check_label
from rotastack.workflow.study.names import MEASURES_OF_PRUNING, MEASURES_OF_TRAINING, slug, unfit
from rotastack.workflow.study.protocols import CrossValidation, GivenSplits, Nested, RandomSplits
from rotastack.workflow.study.specs import Parameters, PoolSpec, Scaling
from rotastack.workflow.study.task import TASKS
from rotastack.workflow.tracking.model_types import check_trusted

Dataset = Annotated[
    Annotated[str, Tag("name")] | Annotated[OwnDataset, Tag("entry")],
    Discriminator(lambda value: "name" if isinstance(value, str) else "entry"),
]


AnyProtocol = Nested | RandomSplits | CrossValidation | GivenSplits


class PoolDocument(PoolSpec):
    """How the members of a pool are trained."""

    view: Annotated[
        ViewComponent | None,
        Field(
            description="identity: one member on the columns; any view or transformer, by name or as "
            "{class: ..., parameters: ...}: one member per rotation of the group, the first without rotation"
        ),
    ] = None
    scaling: Scaling = "minmax"
    parameters: Parameters = {}
    repeats: Annotated[
        dict[str, Annotated[int, Field(ge=1)]],
        Field(description="protocol of splits: data set -> number of splits to run, for slow estimators"),
    ] = {}

    @field_validator("view", mode="before")
    @classmethod
    def _named_view(cls, value: Any) -> Any:
        if value == "identity":
            return None
        return {"class": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _keys_fit_together(self) -> Self:
        others = sorted(self.model_fields_set - {"of"})
        if self.of and others:
            raise ValueError(f"{others[0]!r} is not allowed with 'of': the members are those of the named pools")
        if not self.of and "estimator" not in others:
            raise ValueError("key 'estimator' is missing")
        for key in ("diversity", "ensemble_sizes"):
            if self.view is not None and getattr(self, key):
                raise ValueError(f"{key} needs a single ensemble; a pool with a view has several")
        return self

    def check(self, where: str, pools: Mapping[str, "PoolDocument"]) -> None:
        """Raise a ValueError, with the key, unless a mixed pool names at least two trained pools, with equal noise and splits."""
        trained = [name for name, pool in pools.items() if not pool.of]
        for part in self.of:
            if part not in trained or self.of.count(part) > 1 or len(self.of) < 2:
                raise ValueError(
                    f"{where}.of: needs two or more different pools with an estimator, found {part!r}{nearest(part, trained)}; "
                    f"pools: {', '.join(trained)}"
                )
            for key in ("noise", "repeats", "ensemble_sizes"):
                if getattr(pools[part], key) != getattr(pools[self.of[0]], key) or pools[part].ensemble_sizes:
                    raise ValueError(f"{where}.of: {part!r} and {self.of[0]!r} differ in {key}, or have ensemble_sizes")

    @property
    def member_names(self) -> list[str]:
        """Names of the outputs of one training on a split: ensemble sizes, weightings, or ``all`` for all members."""
        named = self.parameters.get("weightings")
        if self.ensemble_sizes:
            return [str(size) for size in self.ensemble_sizes]
        if isinstance(named, list) and all(isinstance(name, str) for name in named) and named:
            return list(dict.fromkeys(named))
        return ["all"]  # the class itself refuses weightings of another form


class MethodDocument(Document):
    """A method to compare: a pool and a combiner."""

    pool: Annotated[str, Field(description="name of a pool")]
    combiner: Annotated[AnyCombiner, Field(description="combiner of the pool's outputs")]

    def check(self, where: str, pools: Mapping[str, PoolDocument]) -> None:
        """Raise a ValueError, with the key, if there is no such pool, or if the combiner does not choose one of its sizes."""
        if self.pool not in pools:
            raise ValueError(
                f"{where}.pool: pool {self.pool!r} is unknown{nearest(self.pool, list(pools))}; pools: {', '.join(pools)}"
            )
        if pools[self.pool].ensemble_sizes and not isinstance(self.combiner, MemberDocument):
            raise ValueError(
                f"{where}.combiner: the pool has ensemble_sizes; use combiner member, with one of the sizes"
            )


class Refit(Document):
    """The model that is refitted to all rows of a data set."""

    refit: Annotated[
        str, Field(description="method of the final model: best (of each data set), a method's label, or none")
    ] = "best"
    threshold: Annotated[
        float | None,
        Field(
            gt=0,
            lt=1,
            description="two classes: smallest probability of the rarer class for which the model predicts this class; null: "
            "the more probable class",
        ),
    ] = None
    explain: Annotated[
        bool, Field(description="whether the report explains the model: importances of columns, partial dependence")
    ] = False

    def check(self, labels: list[str], optimistic: list[str], mixed: list[str], task: TaskName) -> None:
        """Raise a ValueError, with the key, for a method without a model; pools of several kinds (`mixed`) have none."""
        if self.threshold is not None and task == "regression":
            raise ValueError("model.threshold is for classification; the study's task is regression")
        check_label("model.refit", self.refit, ["best", "none", *labels], optimistic)
        if self.refit in mixed:
            raise ValueError(f"model.refit: {self.refit!r} has a mixed pool, which has no model; name another method")


MOST_BLOCKS = 5000
"""The most jobs of a pool on a data set."""
_USUAL = "null: 10, or fewer on a large data set"


class Blocks(Document):
    """Numbers of cells that one job trains; the results do not depend on them."""

    rotation_groups: Annotated[int, Field(ge=1, description="nested protocol: rotation groups in a job")] = 1
    fold_groups: Annotated[int | None, Field(ge=1, description=f"nested protocol: fold groups in a job; {_USUAL}")] = (
        None
    )
    splits: Annotated[int | None, Field(ge=1, description=f"protocol of splits: splits in a job; {_USUAL}")] = None

    def filled(self, cells: int) -> Self:
        """Return the blocks with `cells` where the study gives no number."""
        unknown = {key: cells for key in ("fold_groups", "splits") if getattr(self, key) is None}
        return self.model_copy(update=unknown)

    def check(self, protocol: AnyProtocol) -> None:
        """Raise a ValueError for blocks of another protocol, and for more blocks than a study may have."""
        n_blocks = len(protocol.blocks(self.filled(protocol.n_cells)))
        if n_blocks > MOST_BLOCKS:
            raise ValueError(f"blocks: {n_blocks} jobs per pool and data set are too many; use larger blocks")
        for key in sorted(self.model_fields_set - set(protocol.own_blocks)):
            raise ValueError(
                f"blocks: {key!r} is not allowed for protocol.kind {protocol.kind}; "
                f"allowed: {', '.join(map(repr, protocol.own_blocks))}"
            )


class StudyDocument(Document):
    """A study: data sets, methods and a protocol."""

    name: Annotated[
        str,
        Field(
            pattern=r"^[a-z0-9][a-z0-9_-]*$",
            description="folder below results/ and MLflow experiment: small letters, digits, - and _",
        ),
    ]
    title: Annotated[str, Field(description="heading of the report")] = ""
    description: Annotated[str, Field(description="question of the study, and its differences from the source")] = ""
    seed: Annotated[int, Field(ge=0, description="seed of all random numbers")] = 0
    task: Annotated[
        TaskName,
        Field(
            description="kind of the targets: classes or numbers. Short names of estimators are classifiers or "
            "regressors accordingly, and the main score is error or RMSE"
        ),
    ] = "classification"
    datasets: Annotated[
        list[Dataset], Field(min_length=1, description="names of config/datasets.yaml, or your own entries")
    ]
    sizes: Annotated[
        dict[Annotated[str, Field(pattern="^[a-z0-9]+$")], dict[str, Any]],
        Field(
            description="size -> changes of the full study; `rotastack run STUDY --size small` uses one. "
            "Mappings are merged, other values are replaced"
        ),
    ] = {}
    missing: Annotated[
        Literal["stop", "skip"] | None,
        Field(description="action for a data set that is not available; null: the setting of config/config.yaml"),
    ] = None
    published: Annotated[
        str | None,
        Field(
            pattern="^[a-z0-9_-]+$",
            description="published results to compare with: the name of a CSV file in config/published",
        ),
    ] = None
    protocol: Annotated[
        AnyProtocol,
        Field(
            discriminator="kind",
            description="repeated nested cross-validation (thesis, section 3.3.2), random splits (section 1.6.3), plain "
            "cross-validation, or the given splits of the data sets",
        ),
    ] = Nested()
    blocks: Annotated[
        Blocks, Field(description="numbers of groups or splits that one job trains; results do not depend on them")
    ] = Blocks()
    pools: Annotated[
        dict[Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_]*$")], PoolDocument],
        Field(min_length=1, description="pool name -> training of its members"),
    ]
    methods: Annotated[
        dict[Label, MethodDocument], Field(min_length=2, description="method label -> pool and combiner")
    ]
    evaluation: Annotated[Evaluation, Field(description="comparison of the methods by their scores")] = Evaluation()
    model: Annotated[Refit, Field(description="final model of each data set")] = Refit()
    trusted: Annotated[list[str], Field(description="modules whose classes and functions a final model may use")] = []

    @field_validator("name")
    @classmethod
    def _free_name(cls, value: str) -> str:
        if value in ("datasets", "mlflow", "logs"):
            raise ValueError(
                f"the name {value!r} is reserved: results/{value} belongs to the workflow; choose another name"
            )
        return value

    @model_validator(mode="before")
    @classmethod
    def _with_usual_protocol(cls, data: Any) -> Any:
        check_texts(data)
        protocol = data.get("protocol") if isinstance(data, dict) else None
        if isinstance(protocol, dict) and "kind" not in protocol:
            return {**data, "protocol": {"kind": "nested", **protocol}}
        return data

    _trusted = field_validator("trusted")(check_trusted)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self.blocks.check(self.protocol)
        self._check_names()
        for name, pool in self.pools.items():
            pool.check(f"pools.{name}", self.pools)
            try:
                self.protocol.check_pool(pool)
                TASKS[self.task].check_pool(pool)
            except ValueError as error:
                raise ValueError(f"pools.{name}: {error}") from None
        for label, method in self.methods.items():
            method.check(f"methods.{label}", self.pools)
        measures = (*MEASURES_OF_TRAINING, *MEASURES_OF_PRUNING) if self.protocol.name == "splits" else ()
        self.evaluation.check(list(self.methods), self.optimistic, self.task, measures)
        mixed = [label for label, method in self.methods.items() if self.pools[method.pool].of]
        self.model.check(list(self.methods), self.optimistic, mixed, self.task)
        return self

    def _check_names(self) -> None:
        """Raise a ValueError for a name that no file can have, and for labels with one file."""
        entries = [item if isinstance(item, str) else item.name for item in self.datasets]
        named = {"datasets": entries, "pools": self.pools, "methods": self.methods, "name": [self.name]}
        for key, name in ((key, name) for key, names in named.items() for name in names):
            if why := unfit(slug(name)):
                raise ValueError(f"{key}: {name!r} {why}")
        slugs = [slug(label) for label in self.methods]
        for label in self.methods:
            if slugs.count(slug(label)) > 1:
                raise ValueError(f"methods: {label!r} and another label differ in punctuation only; rename one")

    @property
    def optimistic(self) -> list[str]:
        """Methods that choose members by the test rows: they are shown, but not ranked and never the best."""
        chosen = self.methods.items()
        return [label for label, m in chosen if isinstance(m.combiner, Prune) and m.combiner.selection == "test"]
