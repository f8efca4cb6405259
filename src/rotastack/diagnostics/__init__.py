"""Diagnostics of fitted pools: margins, bounds on the error, diversity of members, complexity of trees."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "bounds": ["c_bound", "equilibrium_margin", "linear_bound", "margin_bound"],
        "complexity": ["tree_complexity"],
        "margin": ["chebyshev_bound", "margins", "summarize_margins"],
        "pairs": ["disagreement", "kappa", "kappa_error", "mean_disagreement", "paper_diversity"],
    },
)
