"""Linear ensembles: exclusivity regularised machine, primal SVM, diversity regularised machine."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "diversity": ["DiversityRegularizedClassifier", "drm_problem"],
        "exclusivity": ["ExclusivityRegularizedClassifier", "exrm_problem"],
        "primal_svm": ["PrimalSVMClassifier"],
        "squared_l1": ["prox_squared_l1", "reweighted_squared_l1"],
    },
)
