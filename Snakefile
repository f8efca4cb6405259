# Rotastack's workflow: fetch -> prepare -> groups -> train -> combine -> score -> summarize -> draw, refit -> report -> track.
#   snakemake --cores N                                              the default study of config/config.yaml
#   snakemake --cores N --configfile config/studies/X.yaml           another study
# The keys of a study's file are in src/rotastack/workflow/study/model.py; each step is a module of src/rotastack/workflow/run/steps.
# JOBS, from src/rotastack/workflow/run/keys.py, has the slice and the key of each job.
import shlex

from snakemake.utils import min_version

from rotastack.workflow.run import progress
from rotastack.workflow.run.launch import config_file, drop_rate_limit, open_plan, start_run

min_version("9.1")


configfile: config_file()


PLAN = open_plan(
    config,
    [str(file) for file in workflow.configfiles],
    is_main=workflow.is_main_process,
)
ROOT, FILES, JOBS, RESOURCES = PLAN.root, PLAN.files, PLAN.jobs, PLAN.resources


wildcard_constraints:
    dataset=r"[^/]+",
    pool=r"[^/]+",
    block=r"RG-\d+(-\d+)?/FG-\d+(-\d+)?(\.inner)?|S-\d+(-\d+)?",


include: "workflow/rules/data.smk"
include: "workflow/rules/groups.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/combine.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/models.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/track.smk"


# The files that a user may want: a deleted one is made again.
rule all:
    default_target: True
    input:
        FILES.report,
        PLAN.published_page,
        rules.track.output,
        rules.draw.output.figures,
        rules.summarize.output,
        expand(rules.score.output, dataset=PLAN.datasets),
        expand(FILES.method("{method}"), dataset=PLAN.datasets, method=PLAN.methods),
        expand(rules.refit.output.model, dataset=PLAN.refitted),
        expand(rules.explain.output.page, dataset=PLAN.explained),
    localrule: True


onstart:
    drop_rate_limit(workflow)
    start_run(PLAN, workflow)


onsuccess:
    PLAN.drop_leftovers()
    if not JOBS["report"].is_stale:
        PLAN.copy_pages()
    from rotastack.cli.answer import Answer

    progress.answers.append(lambda: Answer(PLAN).as_text())
