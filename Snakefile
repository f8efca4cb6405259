# Rotastack's workflow: download -> preprocessing -> groups -> pools -> combiners -> evaluation -> tracking.
#   snakemake --cores N                                              the default study of config/config.yaml
#   snakemake --cores N --configfile config/studies/X.yaml           another study
# What a study may say is in src/rotastack/study/model.py; what each step does is in src/rotastack/run/steps.
import sys
from pathlib import Path

from snakemake.utils import min_version

from rotastack.run.launch import config_file, open_plan, remember_parameters, runs_nothing, step

min_version("9.1")


configfile: config_file()


PLAN = open_plan(
    config,
    [str(f) for f in workflow.configfiles],
    main=workflow.is_main_process,
    dry_run=runs_nothing(sys.argv[1:]),
)
ROOT = PLAN.root
# Rules whose outputs checkouts may share: `snakemake --cache` with SNAKEMAKE_OUTPUT_CACHE=folder.
SHARED = False if workflow.workflow_settings.cache is None else "omit-software"


wildcard_constraints:
    dataset=r"[^/]+",
    pool=r"[^/]+",
    method=r"[^/]+",
    view=r"[^/]+",
    group=r"RG-\d+",
    block=r"RG-\d+(-\d+)?/FG-\d+(-\d+)?|S-\d+(-\d+)?",


include: "workflow/rules/data.smk"
include: "workflow/rules/groups.smk"
include: "workflow/rules/pools.smk"
include: "workflow/rules/combine.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/tracking.smk"


rule all:
    default_target: True
    input:
        PLAN.targets(),
    localrule: True


remember_parameters(workflow.rules)
