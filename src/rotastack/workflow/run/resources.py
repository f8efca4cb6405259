"""Memory, time and threads of jobs, by the size of the data set and the protocol.

The values are estimates from the study; a job that runs out of memory or time is retried with more. One formula has the
memory of all steps: copies of four sizes, whose numbers (:data:`COPIES`) are fitted to recorded peaks, of tables of 62 to
120,000 rows and 4 to 2000 columns. ``tests/workflow/test_memory.py`` compares estimates and peaks.
"""

from math import prod
from typing import Any

from rotastack.workflow.study.building import is_trained
from rotastack.workflow.study.catalogue import Entry, defaults_of
from rotastack.workflow.study.costs import JOB_SECONDS, USUAL_COST
from rotastack.workflow.study.names import outer
from rotastack.workflow.study.study import Study, classes_of, size_of

BASE_MB = 900
"""The smallest request of a job."""
FIXED_MB = 600
"""Memory of any job: on a cluster two Snakemakes (250), libraries (210), and a small step itself."""
LIBRARIES_MB = 210
"""Memory of a further process of a job."""
COPIES = {
    "prepare": (14, 0, 0, 0),
    "prepare numbers": (6, 0, 0, 0),
    "groups": (4, 0, 0, 0),
    "train": (8, 8, 2, 0),
    "combine": (3, 6, 11, 4),
    "score": (4, 0, 0, 8),
    "draw": (2, 2, 2, 0),
    "refit": (8, 0, 0, 0),
}
"""Step -> the copies that it holds of the table, of a pool's outputs, of its votes, and of a method's outputs."""
SPARE_MINUTES = 5
"""Reserve in every time limit."""
_MOST_DRAWS = 40_000  # rows above which the flagship's trees no longer grow
_VOTES = 6  # bytes for a row and member: votes on test and training rows, and bags


class Resources:
    """The resources of a study's jobs, for Snakemake."""

    def __init__(self, study: Study):
        self.study = study
        self.datasets = dict(study.datasets)  # a copy, which keeps the data sets that are dropped later
        self._largest = {
            dataset: max(study.blocks_for(entry).values(), key=lambda block: [len(part) for part in block.values()])
            for dataset, entry in self.datasets.items()
        }

    def rows(self, dataset: str) -> int:
        """Return the number of rows that the entry states, or else 1000."""
        return size_of(self.datasets[dataset])[0]

    def columns(self, dataset: str) -> int:
        """Return the number of columns that the entry states, or else 50."""
        return size_of(self.datasets[dataset])[1]

    def _entry(self, pool: str) -> Entry:
        """Return the catalogue entry of a pool's estimator; one without traits for a mixed pool."""
        return Entry(self.study.pools[pool].estimator, self.study.pools[pool].parameters)

    def _parameters(self, pool: str) -> dict[str, Any]:
        """Return the parameters of a pool's estimator, with defaults if the class is Rotastack's."""
        return {**defaults_of(self._entry(pool).path), **self.study.pools[pool].parameters}

    def n_trees(self, pool: str) -> int:
        """Return the number of trees or members of an estimator, as far as its parameters show."""
        if of := self.study.pools[pool].of:
            return sum(map(self.n_trees, of))
        traits, stated = self._entry(pool).known_traits, self.study.pools[pool].parameters
        parameters = self._parameters(pool) if traits.trees else stated
        numbers = [n for name in traits.trees or ("n_estimators",) if isinstance(n := parameters.get(name), int)]
        return (traits.families or 1) * (prod(numbers) if numbers else traits.n_trees)

    def _views(self, pool: str) -> int:
        """Return the number of views of a pool, each with a member of its own; 1 without a view."""
        if of := self.study.pools[pool].of:
            return sum(map(self._views, of))
        return self.study.protocol.rotations if self.study.pools[pool].view is not None else 1

    def _classes(self, dataset: str) -> int:
        return classes_of(self.datasets[dataset], 10) if self.study.task.name != "regression" else 3

    def _tested(self, dataset: str) -> int:
        """Return the number of rows for which a cell has outputs."""
        return self.study.protocol.split_rows(self.rows(dataset))[1]

    def _method_megabytes(self, dataset: str) -> float:
        """Return the size of a method's outputs for all cells."""
        return 8e-6 * self.study.protocol.n_cells * self._tested(dataset) * self._classes(dataset)

    def _megabytes(self, step: str, dataset: str, pool: str | None = None) -> float:
        """Return the size of a step's data: copies of the table, of the outputs and votes in a pool's block, and of a method's outputs."""
        table = 8e-6 * self.rows(dataset) * self.columns(dataset)
        sizes = [table, 0.0, 0.0, self._method_megabytes(dataset)]
        if pool is not None:
            members = max(self._views(pool), len(self.study.pools[pool].member_names))
            cells = self.study.protocol.output_cells(self._largest[dataset])
            votes = _VOTES * self.n_trees(pool) if self.study.selections_of(pool) else 0
            sizes[1] = 4e-6 * cells * self._tested(dataset) * members * self._classes(dataset)
            sizes[2] = 1e-6 * cells * self.rows(dataset) * votes
        return sum(n * size for n, size in zip(COPIES[step], sizes, strict=True))

    def train_mb(self, dataset: str, pool: str) -> int:
        """Return the memory that a training job requests."""
        return _request(self._training_megabytes(dataset, pool))

    def usual_mb(self, dataset: str, pool: str) -> int:
        """Return the expected memory of a training job on one machine; ``train_mb`` is its limit."""
        return LIBRARIES_MB + int(self._training_megabytes(dataset, pool))

    def largest_mb(self) -> int:
        """Return the largest request of any job at its first attempt."""
        datasets = self.study.datasets
        trained = [self.train_mb(d, pool) for d in datasets for pool in self.study.used_pools]
        return max([*trained, *map(self.score_mb, datasets), self.draw_mb(), self.tracking_mb()])

    def _training_megabytes(self, dataset: str, pool: str) -> float:
        rows, _ = self.study.protocol.split_rows(self.rows(dataset))
        # A training on splits keeps all its trees until it predicts the test rows.
        trees = self._forest_megabytes(dataset, pool, rows, is_kept=self.study.protocol.name == "splits")
        return self._megabytes("train", dataset, pool) + trees

    def _forest_megabytes(self, dataset: str, pool: str, rows: int, is_kept: bool) -> float:
        """Return the size of the trees of one training, if they are kept; the flagship's trees always count."""
        n_trees, families = self.n_trees(pool), self._entry(pool).known_traits.families
        if families:  # one more, of category pairs; two nodes of 12 bytes for a row, and more than that during growth
            return 66e-6 * min(rows, _MOST_DRAWS) * min(n_trees * (families + 1) // families, 5000)
        if not is_kept:
            return 0
        n_classes = self._classes(dataset)
        if (leaves := self._parameters(pool).get("max_leaf_nodes")) is not None:
            rows = min(rows, leaves * n_classes)  # each boosted tree belongs to one class
        cost = self._entry(pool).cost or USUAL_COST
        return cost.kept_megabytes(min(n_trees, 5000), rows, min(self.columns(dataset), 5000), n_classes)

    def train_minutes(self, dataset: str, pool: str) -> int:
        """Return the time limit of a training job: nine times the expected time if the class has a known cost."""
        trainings = self.study.protocol.trainings(self._largest[dataset]) * self._views(pool)
        guess = 2e-6 * self.n_trees(pool) * self.rows(dataset) * self.columns(dataset) ** 0.5
        seconds = guess if self._entry(pool).cost is None else 3 * self._each_seconds(dataset, pool)
        return int(SPARE_MINUTES + trainings * (seconds + self.study.protocol.training_seconds) / 20)

    def usual_seconds(self, dataset: str, pool: str, block: str) -> float:
        """Return the expected seconds of a training job; ``train_minutes`` is its limit."""
        of_views = self.study.protocol.trainings(self.study.blocks[outer(block)], block != outer(block))
        trainings = of_views * self._views(pool)
        return JOB_SECONDS + trainings * self._each_seconds(dataset, pool)

    def all_usual_seconds(self) -> dict[tuple[str, ...], float]:
        """Return (data set, pool, block) -> expected seconds of each training job."""
        study = self.study
        return {
            (dataset, pool, block): self.usual_seconds(dataset, pool, block)
            for dataset in study.datasets
            for pool in study.used_pools
            for block in study.blocks_of_pool(dataset, pool)
        }

    def _each_seconds(self, dataset: str, pool: str) -> float:
        """Return the expected seconds of one training and of the outputs for its test rows."""
        if self.study.pools[pool].of:  # its members are known
            return 0.0
        cost, n_trees = self._entry(pool).cost or USUAL_COST, self.n_trees(pool)
        train, test = self.study.protocol.split_rows(self.rows(dataset))
        return cost.seconds(n_trees, train, test, self.columns(dataset), classes_of(self.datasets[dataset], 2))

    def combine_mb(self, dataset: str, pool: str) -> int:
        """Return the memory of a combining job."""
        return _request(self._megabytes("combine", dataset, pool))

    def combine_threads(self, label: str) -> int:
        """Return the threads of a combining job: one for 16 cells of a trained combiner, at most four."""
        trained = is_trained(self.study.methods[label].combiner)
        return max(1, min(4, self.study.protocol.n_cells // 16)) if trained else 1

    def combine_minutes(self, dataset: str, label: str) -> int:
        """Return the time limit of a combining job; a trained combiner is fitted for each fold of each cell."""
        protocol = self.study.protocol
        fits = protocol.combiner_fits if is_trained(self.study.methods[label].combiner) else 0
        seconds = fits * (0.5 + 1e-3 * self.rows(dataset)) / self.combine_threads(label)
        return SPARE_MINUTES + int((seconds + 0.5 * protocol.n_cells) / 20)

    def prepare_mb(self, dataset: str) -> int:
        """Return the memory of fetching and of preprocessing; a raw table needs more if it may contain text."""
        is_numeric = self.datasets[dataset].get("kinds") == "numeric"
        return _request(self._megabytes("prepare numbers" if is_numeric else "prepare", dataset))

    def groups_mb(self, dataset: str) -> int:
        """Return the memory of drawing folds or splits, and rotation groups one after the other."""
        drawn = 1e-6 * self.study.protocol.n_cells * self.rows(dataset)
        rotations = 8e-6 * self.study.protocol.rotations * min(self.columns(dataset), 1000) ** 2
        rotations *= bool(self.study.drawn_views)
        return _request(self._megabytes("groups", dataset) + 4 * drawn + 6 * rotations)

    def vote_mb(self, dataset: str) -> int:
        """Return the memory of combining the methods that only vote one after the other."""
        return max(self.combine_mb(dataset, pool) for pool in self.study.voted_pools)

    def score_mb(self, dataset: str) -> int:
        """Return the memory of scoring all methods one after the other."""
        return _request(self._megabytes("score", dataset))

    def vote_minutes(self) -> int:
        """Return the time limit of combining the methods that only vote."""
        seconds = 0.5 * self.study.protocol.n_cells * len(self.study.voted)
        return int(SPARE_MINUTES + seconds / 20)

    def draw_mb(self) -> int:
        """Return the memory of drawing: in each process a data set's scores, and the members of one cell of a block."""
        study, pools = self.study, self.study.pools_with_votes
        n_voters = [self.n_trees(pool) if study.selections_of(pool) else self._views(pool) for pool in pools]
        pairs = sum(1e-6 * 8 * 12 * n**2 for n in n_voters)
        methods = len(study.methods) * study.prunes
        held = [
            max(self._megabytes("draw", d, p) for p in (pools or (None,))) + methods * self._method_megabytes(d)
            for d in study.datasets
        ]
        processes = self.draw_threads()
        return _request(processes * (pairs + max(held)) + (processes - 1) * LIBRARIES_MB)

    def draw_threads(self) -> int:
        """Return the processes of the drawing job: one for the study and each data set, at most four."""
        return min(len(self.study.datasets) + 1, 4)

    def refit_mb(self, dataset: str) -> int:
        """Return the memory of training the largest method on all rows, with all its trees kept, and of explaining it."""
        pools = {self.study.methods[label].pool for label in self.study.refittable}
        rows = self.rows(dataset)
        forests = [self._views(p) * self._forest_megabytes(dataset, p, rows, True) for p in sorted(pools)]
        return _request(self._megabytes("refit", dataset) + 1.2 * max(forests, default=0.0))

    def tracking_mb(self) -> int:
        """Return the memory of logging the data sets to MLflow one after the other, with MLflow's own share."""
        return max(map(self.refit_mb, self.study.datasets)) + 200

    def study_mb(self) -> int:
        """Return the memory of steps that read the scores of all data sets, but no outputs."""
        return _request(0.0)


def _request(megabytes: float) -> int:
    """Return the request, in MB, of a step that needs `megabytes` beside its libraries, at its first attempt."""
    return max(BASE_MB, int(FIXED_MB + megabytes))
