"""Waiting for something that another process does."""

import time


def wait_for(there, seconds=300, process=None, said=str):
    """Wait until a function returns something true, and return that; stop if a process ends before, or the time."""
    until = time.monotonic() + seconds
    while not (found := there()):
        assert process is None or process.poll() is None, said()
        assert time.monotonic() < until, said()
        time.sleep(0.05)
    return found
