"""Statistics: ranks and tests of methods over data sets, tests on one data set, and components of variance."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "bayesian": ["bayesian_signed_rank", "bayesian_table", "signed_rank_draws"],
        "comparison": ["Comparison", "compare"],
        "elo": ["elo"],
        "friedman": ["friedman"],
        "improvability": ["improvability"],
        "nemenyi": ["critical_difference", "nemenyi"],
        "ranks": ["average_ranks"],
        "resamples": ["bootstrap_means", "bootstrap_ranks"],
        "resampled_t": ["corrected_t"],
        "variance": ["kendall_w", "variance_components"],
        "win_matrix": ["win_matrix"],
        "wilcoxon": ["wilcoxon_holm"],
    },
)
