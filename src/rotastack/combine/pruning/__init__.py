"""Pruners: combiners that keep some of the members, with or without weights.

A pruner is given votes and labels, never the members themselves.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "all_members": ["AllMembers"],
        "base": ["OrderingPruner"],
        "curves": ["ordered_curve"],
        "drep": ["DREPPruner"],
        "kappa": ["KappaPruner"],
        "lp": ["LPPruner", "lp_problem"],
        "margin": ["MarginPruner"],
        "mdm": ["MDMPruner"],
        "meandm": ["MeanDMPruner"],
        "orientation": ["OrientationPruner"],
        "qmm": ["QMMPruner"],
        "quadratic": ["qmm_problem"],
        "reduced_error": ["ReducedErrorPruner"],
    },
)
