"""refit: the chosen method of a data set, trained on all rows, as a model to predict with."""

from typing import Any

import numpy as np

from rotastack.base.fitting import placed
from rotastack.data.loading import columns_by_kind
from rotastack.data.preprocessing import TablePreprocessor, check_target
from rotastack.data.tables import read_raw
from rotastack.ensembles.pooled.classifier import PooledEnsembleClassifier
from rotastack.files import replacing
from rotastack.learners.registry import make_learner
from rotastack.seeds import child, integer_seed, root_sequence
from rotastack.study.artifacts import read_frame
from rotastack.study.components import load, make_combiner, make_pruner
from rotastack.study.job import INFRASTRUCTURE, Job
from rotastack.study.results import best_method
from rotastack.tracking.model_files import dump_model


def run(job: Job) -> None:
    """Read inputs ``raw`` and ``scores``, write output ``model``: a pipeline from raw table to label.

    If no method can be refitted (all failed) the model file is empty and the record says so.
    """
    from sklearn.pipeline import Pipeline

    spec = job.spec
    dataset = spec["dataset"]
    with job.recorded() as record:
        scores, _ = read_frame(job.input("scores"))
        label = best_method(scores, spec["methods"]) if spec["refit"] == "best" else spec["refit"]
        if label is None:
            record.status, record.message = "failed", "no method succeeded on this data set"
            with replacing(job.output("model")) as temporary:
                temporary.touch()
            return
        raw = read_raw(job.input("raw"))
        features = raw.drop(columns="target")
        kinds = columns_by_kind(list(features.columns), spec["kinds"], dataset)
        preprocessor = TablePreprocessor(kinds).fit(features)
        owners = [c for c, levels in preprocessor.categories_.items() for _ in levels[1:]]
        classifier = _estimator(spec, spec["methods"][label], preprocessor.dummies_, owners)
        seed = child(root_sequence(spec["seed"]), "refit", dataset, label)
        classifier.set_params(random_state=integer_seed(seed), n_jobs=job.threads)
        model = Pipeline([("table", preprocessor), ("classifier", classifier)])
        try:
            model.fit(features, check_target(raw["target"], dataset).to_numpy())
            classifier.set_params(n_jobs=None)
            dump_model(model, job.output("model"))
        except INFRASTRUCTURE:
            raise
        except Exception as error:  # a model that fails is a result; the study goes on
            record.fail(error)
            with replacing(job.output("model")) as temporary:
                temporary.touch()
            return
        record.metrics = {
            "method": label,
            "cross_validated_error": float(scores.loc[scores["method"] == label, "error"].mean()),
            "training_error": float(np.mean(model.predict(features) != check_target(raw["target"], dataset))),
            "model_bytes": job.output("model").stat().st_size,
        }


def _estimator(spec, method, dummies, owners=()) -> Any:
    """Return the estimator that is the workflow's method: same views, learner, combiner and folds."""
    pool = method["pool"]
    view: Any = None
    n_members = 1
    n_numeric = int((~dummies).sum())
    learner = _learner(method)
    if spec["holdout"] or hasattr(learner, "dummies"):
        learner = placed(learner, n_numeric, len(dummies) - n_numeric, owners)
    if spec["holdout"]:
        learner = _pruned(method, learner)
        return PooledEnsembleClassifier(
            None, learner, n_estimators=1, scaling=pool["scaling"],
            categorical_features=np.flatnonzero(dummies).tolist(),
        )  # fmt: skip
    if pool["view"] == "rotation":
        rotation = load("rotastack.views.rotation").RandomRotation
        n_members = spec["rotations"]
        view = [
            ("identity", None, 1),
            ("rotation", rotation(flip=spec["flip"], max_axes=spec["max_axes"]), n_members - 1),
        ]
    return PooledEnsembleClassifier(
        view,
        learner,
        make_combiner(method["combiner"]),
        n_estimators=n_members,
        scaling=pool["scaling"],
        categorical_features=np.flatnonzero(dummies).tolist(),
        cv=spec["folds"],
    )


def _pruned(method, learner) -> Any:
    """Return the learner, pruned if the method chooses among its members."""
    combiner = method["combiner"]
    if combiner["kind"] != "prune":
        return learner
    first = {"n_estimators": combiner["first"]} if "first" in combiner else {}
    pruned = load("rotastack.ensembles.pruned").PrunedEnsembleClassifier
    if combiner["pruner"] == "none":  # all members, in the way that they vote in the study
        every = load("rotastack.combine.pruning.meandm").MeanDMPruner(1.0, combiner.get("vote", "simple"))
        return pruned(learner.set_params(**first), every, "train")
    # What was chosen by test rows for a comparison can only be chosen by training rows here.
    selection = "oob" if combiner["selection"] == "oob" else "train"
    return pruned(learner.set_params(**first), make_pruner(combiner), selection)


def _learner(method) -> Any:
    """Return the learner; of one with several members, the estimator that is the chosen member."""
    learner = make_learner(method["pool"]["learner"])
    if "member" not in method["combiner"]:
        return learner
    if method["pool"]["sizes"]:
        return learner.set_params(n_estimators=int(method["combiner"]["member"]))
    parameters = {k: v for k, v in learner.get_params().items() if k != "weightings"}
    chosen = load("rotastack.ensembles.forests.regularized").RegularizedRotationForestClassifier
    return chosen(weighting=method["combiner"]["member"], **parameters)
