# For type checkers: what __init__.py hands on. Written by tools/public_names.py.
from rotastack.diagnostics.bounds import c_bound as c_bound
from rotastack.diagnostics.bounds import equilibrium_margin as equilibrium_margin
from rotastack.diagnostics.bounds import linear_bound as linear_bound
from rotastack.diagnostics.bounds import margin_bound as margin_bound
from rotastack.diagnostics.complexity import tree_complexity as tree_complexity
from rotastack.diagnostics.margin import chebyshev_bound as chebyshev_bound
from rotastack.diagnostics.margin import margins as margins
from rotastack.diagnostics.margin import summarize_margins as summarize_margins
from rotastack.diagnostics.pairs import disagreement as disagreement
from rotastack.diagnostics.pairs import kappa as kappa
from rotastack.diagnostics.pairs import kappa_error as kappa_error
from rotastack.diagnostics.pairs import mean_disagreement as mean_disagreement
from rotastack.diagnostics.pairs import paper_diversity as paper_diversity

__all__: list[str]
