"""Data: the registry of data sets, their sources, and preprocessing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={"loading": ["load_dataset"], "preprocessing": ["TablePreprocessor"], "tables": ["read_table"]},
)
