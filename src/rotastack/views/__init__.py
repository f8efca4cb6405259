"""Views (feature-space transforms of members), and scalers of the columns before a view."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "diffusion": ["DiffusionMap"],
        "discriminant": ["DiscriminantRotation"],
        "double": ["DoubleRotation"],
        "locality": ["LocalityDiscriminantAnalysis"],
        "multi_rotation": ["MultiRotation"],
        "principal": ["PrincipalRotation"],
        "projection": ["RandomProjection"],
        "randomized": ["RandomizedView"],
        "rotation": ["RandomRotation"],
        "subspace": ["RandomSubspace"],
        "scaling": ["MinMaxScaler01", "QuantileScaler", "RelativeRankScaler"],
    },
)
