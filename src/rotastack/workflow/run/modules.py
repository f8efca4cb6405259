"""The modules of steps and protocols, by their names.

The names are text, so that whoever reads them imports no step, and a step's fingerprint has the modules of this step alone.
"""

_STEPS = "fetch prepare groups train combine score summarize draw published refit explain report track"
STEPS = {name: f"rotastack.workflow.run.steps.{name}" for name in _STEPS.split()}
"""Step -> its module, in the order of the chain."""

PROTOCOLS = {name: f"rotastack.workflow.run.{name}" for name in ("nested", "splits")}
"""Protocol -> the module of its trainings."""
