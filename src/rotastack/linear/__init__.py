"""Linear ensembles, whose classes are names of ``rotastack``, and the convex problems of the sources."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submod_attrs={"diversity": ["drm_problem"], "exclusivity": ["exrm_problem"]}
)
