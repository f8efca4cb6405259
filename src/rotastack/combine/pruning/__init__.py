"""Pruners: combiners that keep a subset of the members, with or without weights.

A pruner is fitted to votes and labels. It never sees the members or the columns.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "pruner": ["OrderingPruner"],
        "drep": ["DREPPruner"],
        "kappa": ["KappaPruner"],
        "lp": ["LPPruner", "lp_problem"],
        "margin": ["MarginPruner"],
        "mdm": ["MDMPruner"],
        "meandm": ["MeanDMPruner"],
        "orientation": ["OrientationPruner"],
        "qmm": ["QMMPruner", "qmm_problem"],
        "reduced_error": ["ReducedErrorPruner"],
        "vote_table": ["ordered_curve"],
    },
)
