"""The study as a pydantic model: the keys that its YAML file may have, their meaning and their defaults.

This module has the top-level keys. The keys of combiners, views, evaluation, protocols and own data sets are in
:mod:`~rotastack.workflow.study.combiners`, ``components``, ``evaluation``, ``protocols`` and :mod:`rotastack.data.registry`.
Each default and description is stated with its key alone; ``config/study.schema.json`` is exported from these.
:mod:`rotastack.workflow.study.classes` checks that classes and parameters exist and fit together.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from rotastack.base.documents import Document
from rotastack.base.traits import TaskName
from rotastack.data.registry import OwnDataset
from rotastack.errors import nearest
from rotastack.stats.metrics import METRICS, score_named
from rotastack.workflow.study.catalogue import ESTIMATORS, Entry, resolved
from rotastack.workflow.study.combiners import AnyCombiner, MemberDocument, Prune
from rotastack.workflow.study.components import Label, Parameters, ViewComponent, check_texts, in_order
from rotastack.workflow.study.evaluation import Evaluation
from rotastack.workflow.study.names import MEASURES_OF_PRUNING, MEASURES_OF_TRAINING, slug, unfit
from rotastack.workflow.study.protocols.nested import Nested
from rotastack.workflow.study.protocols.splits import CrossValidation, GivenSplits, RandomSplits
from rotastack.workflow.study.specs import Noise, PoolSpec
from rotastack.workflow.study.task import TASKS
from rotastack.workflow.tracking.model_types import check_trusted

Dataset = Annotated[
    Annotated[str, Tag("name")] | Annotated[OwnDataset, Tag("entry")],
    Discriminator(lambda value: "name" if isinstance(value, str) else "entry"),
]


AnyProtocol = Nested | RandomSplits | CrossValidation | GivenSplits


class PoolDocument(Document):
    """How the members of a pool are trained."""

    view: Annotated[
        ViewComponent | None,
        Field(
            description="identity: one member on the columns; any view or transformer, by name or as "
            "{class: ..., parameters: ...}: one member per rotation of the group, the first without rotation"
        ),
    ] = None
    scaling: Annotated[
        Literal["minmax", "quantile", "rank", "symmetric"] | None,
        Field(
            description="scaler of the numeric columns, fitted to training rows: to [0, 1], by two quantiles, to ranks, to "
            "[-1, 1]. Estimators that accept categories and missing values get the columns unchanged"
        ),
    ] = "minmax"
    estimator: Annotated[
        str,
        Field(
            description="class of the members, needed without of: a short name, one of our classes, or a dotted path"
        ),
    ] = ""
    parameters: Parameters = {}
    of: Annotated[
        list[str],
        Field(description="names of pools, instead of all other keys: their members are one pool, not trained again"),
    ] = []
    training_limit: Annotated[
        float | None,
        Field(
            gt=0,
            description="time limit of one training, in seconds. A pool above the limit, or out of memory, fails. null: no "
            "limit, and a job out of memory is repeated with more memory. With a limit, results depend on the machine's speed",
        ),
    ] = None
    diversity: Annotated[
        bool,
        Field(description="protocol of splits, forests: also record margins and correlation of the trees on test rows"),
    ] = False
    training_error: Annotated[bool, Field(description="protocol of splits: also record the error on training rows")] = (
        False
    )
    ensemble_sizes: Annotated[
        list[Annotated[int, Field(ge=1)]],
        Field(
            description="protocol of splits, ensembles that average their members: also record the outputs of the first "
            "members; a method chooses one number by combiner member, such as member: '5'"
        ),
    ] = []
    noise: Annotated[
        Noise, Field(description="protocol of splits: noise in the training rows, equal for all pools")
    ] = Noise()
    repeats: Annotated[
        dict[str, Annotated[int, Field(ge=1)]],
        Field(description="protocol of splits: data set -> number of splits to run, for slow estimators"),
    ] = {}

    _sorted = field_validator("parameters")(in_order)

    @model_validator(mode="after")
    def _trained_or_mixed(self) -> Self:
        others = sorted(self.model_fields_set - {"of"})
        if self.of and others:
            raise ValueError(f"{others[0]!r} is not allowed with 'of': the members are those of the named pools")
        if not self.of and "estimator" not in others:
            raise ValueError("key 'estimator' is missing")
        return self

    @field_validator("view", mode="before")
    @classmethod
    def _named_view(cls, value: Any) -> Any:
        if value == "identity":
            return None
        return {"class": value} if isinstance(value, str) else value

    def resolved(self, estimators: Mapping[str, Entry] = ESTIMATORS) -> PoolSpec:
        """Return the pool with the path and the parameters of each class; `estimators` are those of the study's task."""
        given = {key: getattr(self, key) for key in PoolSpec.model_fields}
        if not self.of:
            estimator = resolved(self.estimator, self.parameters, estimators, estimators)
            given |= {"estimator": estimator["class"], "parameters": estimator["parameters"]}
        return PoolSpec(**given | {"view": None if self.view is None else self.view.resolved()})

    @property
    def member_names(self) -> list[str]:
        """Names of the outputs of one training on a split: ensemble sizes, weightings, or ``all`` for all members."""
        named = self.parameters.get("weightings")
        if self.ensemble_sizes:
            return [str(size) for size in self.ensemble_sizes]
        if isinstance(named, list) and all(isinstance(name, str) for name in named) and named:
            return list(dict.fromkeys(named))
        return ["all"]  # the class itself refuses weightings of another form


class Method(Document):
    """A method to compare: a pool and a combiner."""

    pool: Annotated[str, Field(description="name of a pool")]
    combiner: Annotated[AnyCombiner, Field(description="combiner of the pool's outputs")]


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
    methods: Annotated[dict[Label, Method], Field(min_length=2, description="method label -> pool and combiner")]
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
    def _plain_texts(cls, data: Any) -> Any:
        check_texts(data)
        return data

    @model_validator(mode="before")
    @classmethod
    def _usual_protocol(cls, data: Any) -> Any:
        protocol = data.get("protocol") if isinstance(data, dict) else None
        if isinstance(protocol, dict) and "kind" not in protocol:
            return {**data, "protocol": {"kind": "nested", **protocol}}
        return data

    _trusted = field_validator("trusted")(check_trusted)

    @model_validator(mode="after")
    def _fits_together(self) -> "StudyDocument":
        n_blocks = len(self.protocol.blocks(self.blocks.filled(self.protocol.n_cells)))
        if n_blocks > 5000:
            raise ValueError(f"blocks: {n_blocks} jobs per pool and data set are too many; use larger blocks")
        entries = [item if isinstance(item, str) else item.name for item in self.datasets]
        named = {"datasets": entries, "pools": self.pools, "methods": self.methods, "name": [self.name]}
        for key, name in ((key, name) for key, names in named.items() for name in names):
            if why := unfit(slug(name)):
                raise ValueError(f"{key}: {name!r} {why}")
        labels = list(self.methods)
        slugs = [slug(label) for label in labels]
        for name, pool in self.pools.items():
            try:
                self.protocol.check_pool(pool)
                TASKS[self.task].check_pool(pool)
            except ValueError as error:
                raise ValueError(f"pools.{name}: {error}") from None
            self._check_parts(name, pool.of)
            alone = [key for key in ("diversity", "ensemble_sizes") if getattr(pool, key)]
            if pool.view is not None and alone:
                raise ValueError(f"pools.{name}: {alone[0]} needs a single ensemble; a pool with a view has several")
        own = self.protocol.own_blocks
        strange = sorted(self.blocks.model_fields_set - set(own))
        if strange:
            raise ValueError(
                f"blocks: {strange[0]!r} is not allowed for protocol.kind {self.protocol.kind}; "
                f"allowed: {', '.join(map(repr, own))}"
            )
        for label, method in self.methods.items():
            if slugs.count(slug(label)) > 1:
                raise ValueError(f"methods: {label!r} and another label differ in punctuation only; rename one")
            if method.pool not in self.pools:
                raise ValueError(
                    f"methods.{label}.pool: pool {method.pool!r} is unknown{nearest(method.pool, list(self.pools))}; "
                    f"pools: {', '.join(self.pools)}"
                )
            self._check_combiner(method, f"methods.{label}.combiner")
        measures = (*MEASURES_OF_TRAINING, *MEASURES_OF_PRUNING) if self.protocol.package == "splits" else ()
        self.evaluation.check(labels, self.optimistic, [*METRICS[self.task], *measures])
        if self.evaluation.score is not None:
            try:
                score_named(self.evaluation.score, self.task)
            except ValueError as error:
                raise ValueError(f"evaluation.score: {error}") from None
        if self.model.threshold is not None and self.task == "regression":
            raise ValueError("model.threshold is for classification; the study's task is regression")
        for key, value, extra in [
            ("evaluation.control", self.evaluation.control, []),
            ("model.refit", self.model.refit, ["best", "none"]),
        ]:
            if value is not None and value not in labels + extra:
                raise ValueError(
                    f"{key}: {value!r} is not a method{nearest(value, labels + extra)}; "
                    f"allowed: {', '.join(extra + labels)}"
                )
            if key == "model.refit" and value in labels and self.pools[self.methods[value].pool].of:
                raise ValueError(f"{key}: {value!r} has a mixed pool, which has no model; name another method")
            if value in self.optimistic:
                raise ValueError(f"{key}: {value!r} chooses members by the test rows; name another method")
        return self

    def _check_parts(self, name: str, of: list[str]) -> None:
        """Raise a ValueError unless a mixed pool names at least two trained pools, with equal noise and splits."""
        trained = [pool for pool, document in self.pools.items() if not document.of]
        for part in of:
            if part not in trained or of.count(part) > 1 or len(of) < 2:
                raise ValueError(
                    f"pools.{name}.of: needs two or more different pools with an estimator, found {part!r}"
                    f"{nearest(part, trained)}; pools: {', '.join(trained)}"
                )
            for key in ("noise", "repeats", "ensemble_sizes"):
                if getattr(self.pools[part], key) != getattr(self.pools[of[0]], key) or self.pools[part].ensemble_sizes:
                    raise ValueError(f"pools.{name}.of: {part!r} and {of[0]!r} differ in {key}, or have ensemble_sizes")

    def _check_combiner(self, method: Method, where: str) -> None:
        pool = self.pools[method.pool]
        if pool.ensemble_sizes and not isinstance(method.combiner, MemberDocument):
            raise ValueError(f"{where}: the pool has ensemble_sizes; use combiner member, with one of the sizes")
        self.protocol.check_combiner(method.combiner, pool, where)
        TASKS[self.task].check_combiner(method.combiner, where)

    @property
    def optimistic(self) -> list[str]:
        """Methods that choose members by the test rows: they are shown, but not ranked and never the best."""
        chosen = ((label, method.combiner) for label, method in self.methods.items())
        return [label for label, c in chosen if isinstance(c, Prune) and c.selection == "test"]
