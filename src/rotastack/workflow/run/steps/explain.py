"""explain: explain a data set's model, on a page and for the report."""

from rotastack.files import read_json
from rotastack.workflow.run.job import Job
from rotastack.workflow.use.explaining import explain_saved
from rotastack.workflow.use.explanation import write_explanation


def run(job: Job) -> None:
    """Read inputs ``raw``, ``model`` and ``refit``; write outputs ``explanation``, with its figures, and ``page``."""
    refit = read_json(job.input("refit"))
    study, dataset = job.about["study"], job.about["dataset"]
    with job.recorded():
        if refit["status"] == "ok":
            content = explain_saved(job.input("model"), job.input("raw"), study, dataset, job.slice["score"])
        else:  # the study goes on without a model
            content = {"study": study, "dataset": dataset, "words": [f"No model was made: {refit['message']}."]}
        write_explanation(content, job.output("explanation"), job.output("page"))
