# The training of a pool on a block of cells: without each outer fold, or for RG-01/FG-01.inner without each pair of folds.
rule train:
    input:
        table=FILES.prepared,
        folds=rules.groups.output.folds,
        rotations=lambda w: expand(
            FILES.rotations("{name}"),
            dataset=w.dataset,
            name=PLAN.rotations_of(w.pool, w.block),
        ),
        parts=lambda w: expand(
            f"{ROOT}/{{dataset}}/pools/{{pool}}/{{block}}.nc",
            dataset=w.dataset,
            pool=PLAN.study.pools[w.pool].of,
            block=w.block,
        ),
    output:
        pool=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{block}}.nc",
        record=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{block}}.run.json",
    log:
        f"{ROOT}/logs/train/{{dataset}}.{{pool}}/{{block}}.log",
    # All other jobs run first, then the longest trainings, so that no long training runs alone at the end.
    priority: lambda w: -1 / RESOURCES.usual_seconds(w.dataset, w.pool, w.block)
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.train_mb(w.dataset, w.pool),
        runtime=lambda w, attempt: attempt * RESOURCES.train_minutes(w.dataset, w.pool),
    params:
        slice=lambda w: JOBS["train", w.dataset, w.pool, w.block].slice,
        key=lambda w: JOBS["train", w.dataset, w.pool, w.block].key,
    message:
        "{wildcards.dataset}: training pool {wildcards.pool} on {wildcards.block}"
    shell:
        "rotastack step train --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q} pool={wildcards.pool:q}"
        " --input table {input.table:q} --input folds {input.folds:q} --input rotations {input.rotations:q}"
        " --input parts {input.parts:q}"
        " --output pool {output.pool:q} --output record {output.record:q} 2> {log:q}"
