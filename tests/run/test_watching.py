"""An estimator that crashes, hangs or gives no numbers: its pool has failed and says why, and the job comes to its end."""

import errno
import faulthandler
import json
import multiprocessing
import os
import signal
import time
import warnings

import numpy as np
import pandas as pd
import psutil
import pytest
from tests.quick import first
from tests.run.running import combine, has_ended, train, train_nested

from rotastack.data.artifacts import write_frame
from rotastack.errors import RotastackError
from rotastack.workflow.run.watching import TrainingStoppedError, done_watched, watched

FAULTS = {
    "crash": "the training process crashed (SIGSEGV)",
    "exit": "the training process exited with code 7",
    "leave": "the training process exited with code 3",
    "hang": "the training took longer than 0.5 s (training_limit)",
    "loop": "the training took longer than 0.5 s (training_limit)",
}


@pytest.mark.parametrize("how", first(3, FAULTS))
def test_what_no_exception_tells_of_is_recorded_and_the_study_goes_on(folder, how):
    others = set(psutil.Process().children())
    limit = 0.5 if how in ("hang", "loop") else None
    pool = train(folder, "tests.study.strange.Faulty", {"how": how, "when": 1}, (0, 1, 2), training_limit=limit)
    record = json.loads((folder / "p/pool.run.json").read_text())
    assert (record["status"], record["message"]) == ("failed", f"TrainingStoppedError: {FAULTS[how]}")
    assert np.isnan(pool["proba"]).all()
    _, record = combine(folder, {"kind": "vote"})
    assert record["message"] == f"the pool failed: TrainingStoppedError: {FAULTS[how]}"
    assert set(psutil.Process().children()) <= others, "what hung is gone"


def test_a_limit_that_is_kept_changes_nothing(folder):
    free = train(folder, "lda", splits=(0, 1))
    held = train(folder, "lda", splits=(0, 1), training_limit=60.0)
    assert (free["proba"].values == held["proba"].values).all()
    assert held.attrs["status"] == "ok"


def test_memory_that_ran_out_is_no_fault_of_the_model_unless_it_is_limited(folder):
    """The system kills the process; the job fails, and is tried again with more."""
    said = "SIGKILL ended the training process, probably for lack of memory"
    with pytest.raises(RotastackError, match=said):
        train(folder, "tests.study.strange.Faulty", {"how": "kill"}, (0, 1))
    assert not (folder / "p/pool.nc").exists()
    pool = train(folder, "tests.study.strange.Faulty", {"how": "kill"}, (0, 1), training_limit=60)
    assert said in pool.attrs["message"]
    assert np.isnan(pool["proba"]).all()


@pytest.mark.parametrize("protocol", ["splits", "nested"])
def test_what_gives_no_numbers_has_failed(folder, protocol):
    if protocol == "nested":
        write_frame(folder / "folds", pd.DataFrame({"FG-01": np.arange(150) % 3}))

    def trained(estimator, **parameters):
        if protocol == "splits":
            return train(folder, estimator, parameters, (0, 1))
        return train_nested(folder, estimator, parameters, nested=False)[0]

    rows = {"splits": "3 of 60", "nested": "3 of 50"}[protocol]
    pool = trained("tests.study.strange.Faulty", how="nan")
    assert f"Faulty predicted NaN or infinity for {rows}" in pool.attrs["message"]
    trained("lda")
    outputs, record = combine(folder, {"kind": "other", "class": "tests.study.strange.NoNumbers"}, protocol=protocol)
    assert record["message"].startswith("ValueError: NoNumbers predicted NaN or infinity for ")
    assert np.isnan(outputs["proba"]).all()


def test_only_what_may_crash_or_is_limited_gets_a_process_of_its_own(folder):
    train(folder, "tests.study.strange.Mute", splits=(0,))
    assert json.loads((folder / "p/pool.run.json").read_text())["status"] == "ok"
    ours = {"estimator": "rotastack.trees.Forest", "parameters": {"estimator": {"class": "sklearn.svm.SVC"}}}
    for content, limit, expected in [
        ({"pool": ours, "view": None}, None, False),
        ({"pool": ours, "view": None}, 9.0, True),
        ({"pool": {**ours, "view": {"class": "umap.UMAP", "parameters": {}}}}, None, True),
        ({"estimator": "sklearn.ensemble.Bagging", "parameters": {"x": [{"class": "a.B"}]}}, None, True),
    ]:
        assert (done_watched(os.getpid, content, limit) != os.getpid()) == expected


def apart(work, limit=None):
    """Do work as that of a class that is not ours."""
    return done_watched(work, {"estimator": "anybodys.Class"}, limit)


def raising(error):
    def work():
        raise error

    return work


def test_the_limit_is_of_each_training():
    def trainings(seconds):
        for k in range(3):
            time.sleep(seconds)
            yield k

    assert list(watched(trainings(0.2), {}, 0.4)) == [0, 1, 2]
    with pytest.raises(TrainingStoppedError, match=r"the training took longer than 0.1 s"):
        list(watched(trainings(0.2), {}, 0.1))


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device", "results/x.nc"), KeyboardInterrupt()]
)
def test_errors_that_are_no_fault_of_the_model_are_raised_here(error):
    with pytest.raises(type(error)) as caught:
        apart(raising(error))
    assert str(caught.value) == str(error)


def test_an_error_of_a_model_keeps_its_name_and_text_whatever_its_class_needs():
    class NeedsTwoError(Exception):
        def __init__(self, number, letter):
            super().__init__(f"{number} {letter}")

    with pytest.raises(Exception, match="^1 a$") as caught:
        apart(raising(NeedsTwoError(1, "a")))
    assert type(caught.value).__name__ == "NeedsTwoError"


def test_warnings_of_a_fork_are_those_of_the_job():
    class NoProgressWarning(FutureWarning):
        pass

    def work():
        warnings.warn("slowly", NoProgressWarning, stacklevel=1)
        return 1

    with pytest.warns(FutureWarning, match="^slowly$"):
        assert apart(work) == 1


def test_memory_that_runs_out_within_a_limit_is_a_fault_of_the_model():
    with pytest.raises(MemoryError):
        apart(raising(MemoryError()))
    with pytest.raises(TrainingStoppedError, match="the training ran out of memory"):
        apart(raising(MemoryError()), limit=60)


def test_what_an_estimator_has_started_holds_nothing_up_and_ends_with_it(tmp_path):
    """A process that outlives the one that trained holds the pipe open."""

    def work():
        if child := os.fork():
            (tmp_path / "pid").write_text(str(child))
            faulthandler.disable()
            os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(1000)

    with pytest.raises(TrainingStoppedError, match=r"^the training process crashed \(SIGSEGV\)$"):
        apart(work)
    assert has_ended(int((tmp_path / "pid").read_text()))


@pytest.mark.slow
def test_processes_that_worked_for_an_estimator_end_with_its_training(tmp_path):
    """joblib keeps them for five minutes, for a next call that never comes."""
    from joblib import Parallel, delayed

    def work():
        pids = Parallel(n_jobs=2)(delayed(os.getpid)() for _ in range(8))
        (tmp_path / "pids").write_text(" ".join(map(str, set(pids) - {os.getpid()})))

    assert apart(work) is None
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert pids
    assert all(map(has_ended, pids))


def test_nothing_trains_on_when_the_job_is_killed(tmp_path):
    """Its fork is gone, too: else it would write files under the hands of the next run."""

    def work():
        (tmp_path / "pid").write_text(str(os.getpid()))
        time.sleep(1000)

    job = multiprocessing.get_context("fork").Process(target=apart, args=(work,))
    job.start()
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.02)
    trains = int((tmp_path / "pid").read_text())
    job.kill()
    job.join()
    assert has_ended(trains)
