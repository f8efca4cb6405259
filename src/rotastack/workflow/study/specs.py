"""The specs of steps: for each step a model of its part of the study, which a rule hands on as one line of JSON, the slice.

The slice is a part of the job's key: the step runs again if the slice changes. Equal specs have equal slices, and a slice
has no value that is its key's default. :mod:`rotastack.workflow.run.keys` makes the specs of a study.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from rotastack.base.documents import Document
from rotastack.base.traits import TaskName
from rotastack.workflow.study.claims import Claim, Sweep

ProtocolName = Literal["nested", "splits"]
Axes = list[str]
"""Names of the numbers that identify a cell: axes of arrays, and columns of the scores."""


class Spec(Document):
    """The part of a study that a step gets."""

    model_config = ConfigDict(ser_json_inf_nan="constants")

    def content(self) -> dict[str, Any]:
        """Return the spec as plain mappings, without defaults; keys keep their order, which has a meaning for methods."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    def line(self) -> str:
        """Return the spec as JSON on one line."""
        return json.dumps(self.content(), separators=(",", ":"))


def _in_order(value: Any) -> Any:
    """Return parameters with their keys sorted, at any depth, because the order of keys has no meaning."""
    if isinstance(value, dict):
        if strange := [key for key in value if not isinstance(key, str)]:
            raise ValueError(f"keys of parameters must be text, found {strange[0]!r}")
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(v) for v in value] if isinstance(value, list) else value


Parameters = Annotated[
    dict[str, Any],
    AfterValidator(_in_order),
    Field(description="parameters of the class, by the names of the class; {class: ..., parameters: ...} is an object"),
]
Scaling = Annotated[
    Literal["minmax", "quantile", "rank", "symmetric"] | None,
    Field(
        description="scaler of the numeric columns, fitted to training rows: to [0, 1], by two quantiles, to ranks, to "
        "[-1, 1]. Estimators that accept categories and missing values get the columns unchanged"
    ),
]


class ClassSpec(Spec):
    """The dotted path of a class, and all its parameters."""

    class_: Annotated[str, Field(alias="class", description="a short name, one of our classes, or a dotted path")]
    parameters: Parameters


class Noise(Document):
    """Noise in training rows, the same for all pools."""

    labels: Annotated[float, Field(ge=0, le=1, description="share of training rows with a random other class")] = 0
    features: Annotated[
        float, Field(ge=0, description="standard deviation of normal noise added to scaled numeric columns")
    ] = 0


class PoolSpec(Spec):
    """A pool, with the path and the parameters of each class; a study has the same keys."""

    view: ClassSpec | None
    scaling: Scaling
    estimator: Annotated[
        str,
        Field(
            description="class of the members, needed without of: a short name, one of our classes, or a dotted path"
        ),
    ] = ""
    parameters: Parameters
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


class CombinerSpec(ClassSpec):
    """A combiner."""

    kind: Literal["vote", "stacking", "log_linear", "weights", "other"]


class PrunerSpec(ClassSpec):
    """A pruner, the rows by which it chooses members, and the number of members to choose from."""

    kind: Literal["prune"]
    selection: Literal["oob", "train", "test"] | None
    first: int | None


class MemberSpec(Spec):
    """One of the pool's named outputs, which has no class."""

    kind: Literal["member"]
    member: str


AnyCombinerSpec = Annotated[CombinerSpec | PrunerSpec | MemberSpec, Field(discriminator="kind")]


class MethodSpec(Spec):
    """A pool and a combiner."""

    pool: PoolSpec
    combiner: AnyCombinerSpec


class _Seeded(Spec):  # for steps that draw random numbers
    seed: int
    dataset: str


class _FromOutside(Spec):
    contents: dict[str, str] = {}  # file from outside of the study -> hash


class FetchSpec(_FromOutside):
    """The sources of a table, and the rows, columns and classes that the registry or the study states."""

    dataset: str
    entry: dict[str, Any]


class PrepareSpec(Spec):
    """The task, the kinds and encoding of columns, the columns that divide rows, the noise columns and the smallest class."""

    dataset: str
    task: TaskName
    kinds: str | dict[str, Any] = "auto"
    divided_by: dict[str, str] = {}
    copies_together: bool = False
    is_own: bool = False  # whether the table is a file of the user's, which is checked for leaks and other doubts
    encoding: str = "dummies"
    noise_columns: int = 0
    smallest_class: int = 0
    seed: int = 0


class FoldGroupsSpec(_Seeded):
    """Fold groups of nested cross-validation."""

    protocol: Literal["nested"]
    fold_groups: int
    folds: int


class SplitsSpec(_Seeded):
    """Splits of one of three kinds; each kind reads some of the keys."""

    protocol: Literal["splits"]
    kind: Literal["holdout", "crossval", "given"]
    repeats: int = 1
    train: float | int = 0.7
    test: int | None = None
    folds: int = 10
    weka_seed: int | None = None
    splits: int = 0
    groups: str | None = None
    time: str | None = None
    copies_together: bool = False


class RotationsSpec(_Seeded):
    """A view whose rotations are drawn before all training, and the rotation groups of one file."""

    view: ClassSpec
    groups: list[str]
    rotations: int


class _TrainingSpec(_Seeded):
    name: str
    pool: PoolSpec
    rotations: int = 1


class NestedTrainingSpec(_TrainingSpec):
    """A pool, the numbers of the groups of a block, and whether outer folds are held out, or pairs of folds."""

    protocol: Literal["nested"]
    rotation_groups: list[int]
    fold_groups: list[int]
    folds: int
    inner: bool


class SplitTrainingSpec(_TrainingSpec):
    """A pool, the numbers of the splits of a block, and the rows by which pruners choose members."""

    protocol: Literal["splits"]
    splits: list[int]
    repeats: int
    members: list[str]
    selections: list[str] = []


class CombiningSpec(_Seeded):
    """A method's combiner."""

    protocol: ProtocolName
    method: str
    combiner: AnyCombinerSpec


class VotedMethod(Spec):
    """A method that only votes, its pool and its key."""

    spec: CombiningSpec
    pool: str
    key: str


class VotingSpec(Spec):
    """The methods of a data set that only vote, and the number of blocks of each of their pools."""

    votes: list[VotedMethod]
    pools: list[str]
    blocks: int


class ScoringSpec(Spec):
    """The methods with their pools and main score, and the axes that number a cell."""

    dataset: str
    score: str
    protocol: ProtocolName
    axes: Axes
    methods: list[str]
    pools: list[str]
    copies_together: bool = False
    is_own: bool = False  # whether the table is a file of the user's


class _ComparedSpec(Spec):
    task: TaskName
    score: str
    axes: Axes
    alpha: float
    control: str
    methods: list[str]
    optimistic: list[str] = []
    groups: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}
    average: str = "mean"


class SummarySpec(_ComparedSpec, _FromOutside):
    """The comparisons in tables and tests over the study."""

    pairs: list[list[str]] = []
    claims: list[Claim] = []
    published_columns: list[dict[str, Any]] = []
    printed_names: dict[str, str] = {}
    rotation_pairs: list[list[str]] = []
    titles: dict[str, str] = {}
    test_to_train: dict[str, float | None] = {}
    threshold: float | None = None
    chooses: bool = False  # whether the best method becomes the model


class FiguresSpec(_ComparedSpec):
    """The methods, data sets and pools that figures show; pools that are `silent` hold no votes."""

    datasets: list[str] = []
    shown: list[str] = []
    sweeps: dict[str, Sweep] = {}
    votes: list[str] = []
    silent: list[str] = []


class PublishedSpec(_FromOutside):
    """The title, the test level, the groups of methods and the skipped data sets, for the comparison with published results."""

    title: str
    alpha: float
    average: str = "mean"
    groups: list[dict[str, Any]] = []
    skipped: list[str] = []


class RefitSpec(_Seeded):
    """The methods that may become the model of a data set, and how one is chosen."""

    task: TaskName
    score: str
    refit: str
    methods: dict[str, MethodSpec]
    rotations: int
    folds: int
    rotation_groups: int = 1
    kinds: str | dict[str, Any] = "auto"
    divided_by: dict[str, str] = {}
    threshold: float | None = None
    axes: Axes = []
    alpha: float = 0.05
    trusted: list[str] = []


class ExplainSpec(_FromOutside):
    """The score for the explanation of a model."""

    study: str
    dataset: str
    score: str
    trusted: list[str] = []


class ReportSpec(_FromOutside):
    """The study without its blocks and sizes, and facts that follow from it."""

    name: str
    title: str
    description: str
    seed: int
    task: TaskName
    datasets: list[Any]
    missing: str | None
    published: str | None
    protocol: dict[str, Any]
    pools: dict[str, dict[str, Any]]
    methods: dict[str, dict[str, Any]]
    evaluation: dict[str, Any]
    model: dict[str, Any]
    score: str
    control: str
    optimistic: list[str]
    rotated: list[str]
    cells: str
    trusted: list[str] = []
    skipped: list[str] = []
    tracked_at: str = ""
