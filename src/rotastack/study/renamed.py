"""Keys and parameters of the first edition's studies, and what they are called now."""

__all__ = ["OLD_ESTIMATORS", "OLD_PARAMETERS", "RENAMED"]

RENAMED = {
    "learner": "'estimator' (a class or short name) and 'parameters' (named as the class names them)",
    "n_trees": "a parameter: parameters: {n_estimators: ...}",
    "illustrations": "no part of a study: the illustrations are scripts of the folder examples",
    "flip": "a parameter of the view: view: {class: RandomRotation, parameters: {flip: true}}",
    "max_axes": "a parameter of the view: view: {class: RandomRotation, parameters: {max_axes: 1000}}",
    "n_select": "a parameter of the pruner: parameters: {n_select: ...}",
    "lambda": "a parameter of the pruner: parameters: {lambda_: ...}",
    "vote": "a parameter of the pruner: parameters: {vote: ...}",
    "positive": "a parameter of the pruner: parameters: {positive: ...}",
    "rho": "a parameter of the pruner: parameters: {rho: ...}",
    "patience": "a parameter of the pruner: parameters: {patience: ...}",
    "p": "a parameter of the pruner: parameters: {p: ...}",
    "v": "a parameter of the pruner: parameters: {v: ...}",
    "reduce": "a parameter of the pruner: parameters: {reduce: ...}",
    "polish": "a parameter of the pruner: parameters: {polish: ...}",
    "sizes": "'ensemble_sizes'",
}
"""Key -> what it is called now."""

OLD_PARAMETERS = {
    "n_trees": "n_estimators", "n_rounds": "n_estimators or max_iter", "k": "n_neighbors", "folds": "cv",
    "base": "estimator: {class: nearest_neighbor | c45 | naive_bayes | ...}",
    "tree": "estimator: {class: c45 | tree_stump | tree_full | tree_cart | tree}",
    "projection": "kind", "n_bags": "n_estimators", "members": "estimator__n_estimators",
    "features": "the short name exrm_nystroem", "n_components": "nystroem__n_components of the short name exrm_nystroem",
}  # fmt: skip
"""Parameter -> what the class calls it."""

OLD_ESTIMATORS = {
    "plain": "nearest_neighbor, c45 or naive_bayes",
    "bagged_linear": "bagging with parameters: {estimator: {class: primal_svm}}",
    "boosted_linear": "sklearn.ensemble.AdaBoostClassifier with parameters: {estimator: {class: mean_weight, ...}}",
    "rotated_linear": "PooledEnsembleClassifier with parameters: {view: {class: rotation}, estimator: {class: exrm}}",
}
"""Short name -> what to write now."""
