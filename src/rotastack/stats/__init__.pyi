# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.stats.bayesian import bayesian_signed_rank as bayesian_signed_rank
from rotastack.stats.bayesian import bayesian_table as bayesian_table
from rotastack.stats.bayesian import signed_rank_draws as signed_rank_draws
from rotastack.stats.comparison import Comparison as Comparison
from rotastack.stats.comparison import compare as compare
from rotastack.stats.elo import elo as elo
from rotastack.stats.friedman import friedman as friedman
from rotastack.stats.improvability import improvability as improvability
from rotastack.stats.nemenyi import critical_difference as critical_difference
from rotastack.stats.nemenyi import nemenyi as nemenyi
from rotastack.stats.ranks import average_ranks as average_ranks
from rotastack.stats.resamples import bootstrap_means as bootstrap_means
from rotastack.stats.resamples import bootstrap_ranks as bootstrap_ranks
from rotastack.stats.resampled_t import corrected_t as corrected_t
from rotastack.stats.variance import kendall_w as kendall_w
from rotastack.stats.variance import variance_components as variance_components
from rotastack.stats.win_matrix import win_matrix as win_matrix
from rotastack.stats.wilcoxon import wilcoxon_holm as wilcoxon_holm

__all__: list[str]
