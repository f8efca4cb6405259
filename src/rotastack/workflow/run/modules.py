"""The names of the modules that run the steps; a step imports its own modules alone, so its fingerprint has no other."""

_STEPS = "fetch prepare groups train combine score summarize draw published refit explain report track"
STEPS = {name: f"rotastack.workflow.run.steps.{name}" for name in _STEPS.split()}
"""Step -> its module, in the order of the chain."""

PROTOCOLS = {name: f"rotastack.workflow.run.{name}" for name in ("nested", "splits")}
"""Protocol -> the module of its trainings."""
