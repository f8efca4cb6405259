# Rotastack's workflow: download -> preprocessing -> groups -> pools -> combiners -> evaluation -> tracking.
#   snakemake --cores N                                              the default study of config/config.yaml
#   snakemake --cores N --configfile config/studies/X.yaml           another study
# What a study may say is in workflow/schemas; what each step does is in src/rotastack/study/steps.
import sys

from snakemake.utils import min_version

from rotastack.study.opening import config_file, open_plan, runs_nothing

min_version("9.1")


configfile: config_file()


PLAN = open_plan(
    config,
    [str(f) for f in workflow.configfiles],
    main=workflow.is_main_process,
    dry_run=runs_nothing(sys.argv[1:]),
)
ROOT = PLAN.root


wildcard_constraints:
    dataset=r"[^/]+",
    pool=r"[^/]+",
    method=r"[^/]+",
    group=r"RG-\d+",
    rg=r"RG-\d+(-\d+)?",
    fg=r"(FG|R)-\d+(-\d+)?",


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
