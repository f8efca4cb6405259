"""Snakemake's scheduler waits for one pass at a time."""

import time
from threading import Semaphore
from types import SimpleNamespace

from snakemake.scheduling.job_scheduler import JobScheduler

from rotastack.workflow.run.scheduling import wait_for_one_pass


def test_many_orders_of_a_pass_are_one_pass(monkeypatch):
    monkeypatch.setattr(JobScheduler, "_schedule_reevalutation", JobScheduler._schedule_reevalutation)
    wait_for_one_pass()
    scheduler = SimpleNamespace(_open_jobs=Semaphore(0))
    for expected in (1, 2):
        for _ in range(20):
            JobScheduler._schedule_reevalutation(scheduler, 0.05)
        assert scheduler._open_jobs.acquire(timeout=30)
        time.sleep(0.2)
        assert not scheduler._open_jobs.acquire(blocking=False), f"round {expected} began more than one pass"
