"""Data: the registry of data sets, their sources, and preprocessing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    "rotastack",
    submod_attrs={
        "data.loading": ["load_dataset"],
        "base.preprocessing": ["TablePreprocessor"],
        "data.tables": ["read_table"],
    },
)
