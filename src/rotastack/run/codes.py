"""Fingerprints of the code of each step, as parameters of the rules: an edit reruns only the steps that use it."""

from functools import cached_property
from itertools import chain

from rotastack.run.fingerprint import fingerprint, states
from rotastack.run.modules import PROTOCOLS, STEPS
from rotastack.study.building import REFITTED, combiner_modules, pool_modules
from rotastack.study.study import Study

__all__ = ["Codes"]


class Codes:
    """The fingerprints of a study's steps.

    Parameters
    ----------
    study : Study
    """

    def __init__(self, study: Study):
        self.study = study
        self._datasets = dict(study.datasets)  # a copy, which keeps the data sets that are dropped later

    def step(self, name: str) -> str:
        """Return the fingerprint of a step that runs the same code in every study."""
        return fingerprint(STEPS[name])

    def fetch(self, dataset: str) -> str:
        """Return the fingerprint of fetching a table from its sources."""
        return fingerprint(STEPS["fetch"], *self._sources(dataset))

    def groups(self) -> str:
        """Return the fingerprint of drawing folds."""
        return fingerprint(STEPS["groups"], self._protocol("groups"))

    def rotations(self, view: str) -> str:
        """Return the fingerprint of drawing the rotations of a view."""
        return fingerprint(STEPS["groups"], *self._views.get(view, ()))

    def train(self, pool: str) -> str:
        """Return the fingerprint of training a pool."""
        return fingerprint(STEPS["train"], self._protocol("train"), *self._pools[pool])

    def combine(self, label: str) -> str:
        """Return the fingerprint of a method's combiner."""
        return fingerprint(STEPS["combine"], self._protocol("combine"), *self._combiners[label])

    def score(self) -> str:
        """Return the fingerprint of scoring, and of the methods whose combiner learns nothing."""
        modules = [self._protocol("groups")]
        for label in self.study.quick:
            modules += [self._protocol("combine"), *self._combiners[label]]
        return fingerprint(STEPS["score"], *modules)

    def refit(self) -> str:
        """Return the fingerprint of refitting any method that may become the model."""
        return fingerprint(STEPS["refit"], *self._refitted)

    def states(self) -> dict[str, str]:
        """Return all modules and libraries behind the study's results: name -> hash of the code, or version."""
        modules = [*STEPS.values(), *PROTOCOLS[self.study.protocol.package].values(), *self._refitted]
        for dataset in self._datasets:
            modules += self._sources(dataset)
        for parts in (self._views, self._pools, self._combiners):
            modules += chain.from_iterable(parts.values())
        return states(*modules)

    def _protocol(self, step: str) -> str:
        return PROTOCOLS[self.study.protocol.package][step]

    def _sources(self, dataset: str) -> list[str]:
        return [f"rotastack.data.sources.{next(iter(s))}" for s in self._datasets[dataset]["sources"]]

    @cached_property
    def _views(self) -> dict[str, list[str]]:
        """Key of a drawn view -> its modules."""
        return {view.key: [view.entry.module] for view in self.study.drawn_views}

    @cached_property
    def _refitted(self) -> list[str]:
        """Modules of the methods that may become the model."""
        modules: list[str] = []
        for label in self.study.refittable:
            method = self.study.methods[label]
            modules += [*self._pools[method.pool], *self._combiners[label]]
            modules += [REFITTED[kind] for kind in [method.combiner.kind] if kind in REFITTED]
        return modules

    @cached_property
    def _pools(self) -> dict[str, list[str]]:
        """Pool -> modules of its estimator and view."""
        estimators = self.study.task.estimators
        return {name: pool_modules(pool.resolved(estimators)) for name, pool in self.study.pools.items()}

    @cached_property
    def _combiners(self) -> dict[str, list[str]]:
        """Method -> modules of its combiner."""
        estimators = self.study.task.estimators
        return {m: combiner_modules(method.combiner.resolved(estimators)) for m, method in self.study.methods.items()}
