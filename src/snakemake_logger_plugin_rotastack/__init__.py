"""The logger of ``rotastack run``, under the name by which Snakemake finds it: ``--logger rotastack``."""

from rotastack.workflow.run.progress import LogHandler, LogHandlerSettings

__all__ = ["LogHandler", "LogHandlerSettings"]
