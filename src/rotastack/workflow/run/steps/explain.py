"""explain: explain a data set's model, on a page and for the report."""

from rotastack.files import read_json
from rotastack.project import report_texts
from rotastack.workflow.run.job import Job, Outcome
from rotastack.workflow.study.specs import ExplainSpec
from rotastack.workflow.use.explaining import explain_saved
from rotastack.workflow.use.explanation import write_explanation


def run(job: Job) -> None:
    """Read inputs ``raw``, ``model`` and ``refit``; write outputs ``explanation``, with its figures, and ``page``."""
    spec, refit = job.spec(ExplainSpec), read_json(job.input("refit"))
    with job.recorded() as record:
        content = {"study": spec.study, "dataset": spec.dataset, "words": [f"There is no model: {refit['message']}."]}
        outcome = Outcome()
        if refit["status"] == "ok":  # else the study goes on without a model
            with outcome.may_fail():
                where = job.input("model"), job.input("raw"), spec.study, spec.dataset
                content = explain_saved(*where, spec.score, spec.trusted)
            if outcome.message:
                content["words"] = [f"The model of {spec.dataset} could not be explained: {outcome.message}"]
        job.check_contents(report_texts())
        told = write_explanation(content, job.output("explanation"), job.output("page"))
        record.failed_at(content["words"] if outcome.message else told)
