# Fold groups (or splits) and rotation groups: what all pools of a study share.
rule groups:
    input:
        table=rules.prepare.output.table,
    output:
        folds=FILES.folds,
        rotations=[FILES.rotations(name) for name in PLAN.rotations],
        record=f"{ROOT}/{{dataset}}/groups.run.json",
    log:
        f"{ROOT}/logs/groups/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.groups_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 5 * attempt,
    params:
        slice=lambda w: SLICES.groups(w.dataset),
        code=lambda w: CODES.groups(),
    message:
        "{wildcards.dataset}: drawing folds and rotations"
    shell:
        "rotastack step groups --slice {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q}"
        " --input table {input.table:q}"
        " --output folds {output.folds:q} --output rotations {output.rotations:q} --output record {output.record:q} 2> {log:q}"
