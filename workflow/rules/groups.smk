# The fold groups or splits, which all pools of a study share.
rule groups:
    input:
        table=FILES.prepared,
    output:
        folds=FILES.folds,
        record=f"{ROOT}/{{dataset}}/groups.run.json",
    log:
        f"{ROOT}/logs/groups/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.groups_mb(w.dataset),
        runtime=lambda w, attempt: 5 * attempt,
    params:
        slice=lambda w: JOBS["groups", w.dataset].slice,
        key=lambda w: JOBS["groups", w.dataset].key,
    message:
        "{wildcards.dataset}: drawing folds"
    shell:
        "rotastack step groups --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --input table {input.table:q}"
        " --output folds {output.folds:q} --output record {output.record:q} 2> {log:q}"


# The rotation groups of a block, in a file of their own: with one group more, only the new group is trained.
rule rotations:
    input:
        table=FILES.prepared,
    output:
        rotations=FILES.rotations("{view}/{groups}"),
        record=f"{ROOT}/{{dataset}}/rotations/{{view}}/{{groups}}.run.json",
    log:
        f"{ROOT}/logs/rotations/{{dataset}}.{{view}}.{{groups}}.log",
    wildcard_constraints:
        view=r"[^/]+",
        groups=r"RG-\d+(-\d+)?",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.groups_mb(w.dataset),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        slice=lambda w: JOBS["rotations", w.dataset, w.view, w.groups].slice,
        key=lambda w: JOBS["rotations", w.dataset, w.view, w.groups].key,
    message:
        "{wildcards.dataset}: drawing rotations {wildcards.groups} of {wildcards.view}"
    shell:
        "rotastack step groups --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --input table {input.table:q}"
        " --output rotations {output.rotations:q} --output record {output.record:q} 2> {log:q}"
