"""Diagnostics: what a fitted pool is like."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "complexity": ["tree_complexity"],
        "margin": ["chebyshev_bound", "margins", "mean_correlation", "raw_margins", "summarize_margins"],
    },
)
