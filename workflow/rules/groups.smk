# Fold groups (or splits): what all pools of a study share.
rule groups:
    input:
        table=rules.prepare.output.table,
    output:
        folds=FILES.folds,
        record=f"{ROOT}/{{dataset}}/groups.run.json",
    log:
        f"{ROOT}/logs/groups/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.groups_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        slice=lambda w: SLICES.groups(w.dataset),
        code=lambda w: CODES.groups(),
    message:
        "{wildcards.dataset}: drawing folds"
    shell:
        "rotastack step groups --slice {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q}"
        " --input table {input.table:q}"
        " --output folds {output.folds:q} --output record {output.record:q} 2> {log:q}"


# A rotation group, by the same step: each is a job of its own, so that a group more trains the new one alone.
rule rotations:
    input:
        table=rules.prepare.output.table,
    output:
        rotations=FILES.rotations("{view}/{group}"),
        record=f"{ROOT}/{{dataset}}/rotations/{{view}}/{{group}}.run.json",
    log:
        f"{ROOT}/logs/rotations/{{dataset}}.{{view}}.{{group}}.log",
    wildcard_constraints:
        view=r"[^/]+",
        group=r"RG-\d+",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.groups_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        slice=lambda w: SLICES.rotations(w.dataset, w.view, w.group),
        code=lambda w: CODES.rotations(w.view),
    message:
        "{wildcards.dataset}: drawing rotations {wildcards.group} of {wildcards.view}"
    shell:
        "rotastack step groups --slice {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q}"
        " --input table {input.table:q}"
        " --output rotations {output.rotations:q} --output record {output.record:q} 2> {log:q}"
