"""A repair of Snakemake's scheduler, which takes a third of a core after some hundred jobs."""

from threading import Timer

from snakemake.scheduling.job_scheduler import JobScheduler

__all__ = ["wait_for_one_pass"]


def wait_for_one_pass() -> None:
    """Let the scheduler wait for one pass at a time.

    In Snakemake 9 each pass orders another one a second later, and so does each finished job. Orders never end, so after
    300 jobs there are 300 passes a second. With this function an order counts only if none is pending.
    """
    JobScheduler._schedule_reevalutation = _order_pass


def _order_pass(scheduler: JobScheduler, delay: float) -> None:
    """Order a pass of the scheduler after `delay` seconds, unless one is pending."""

    def begin() -> None:
        scheduler.__dict__["pass_is_pending"] = False
        scheduler._open_jobs.release()

    if not scheduler.__dict__.get("pass_is_pending", False):
        scheduler.__dict__["pass_is_pending"] = True
        Timer(delay, begin).start()
