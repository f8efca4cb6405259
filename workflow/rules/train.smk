# A pool on a block of cells. Folds and rotations are ancient: groups that were drawn anew with the same parameters and
# code hold the same numbers, so that a rotation group more trains the new one alone. `drawn` and `code` tell of any other change.
rule train:
    input:
        table=rules.prepare.output.table,
        folds=ancient(FILES.folds),
        rotations=ancient(
            lambda w: [FILES.rotations(name).format(dataset=w.dataset) for name in PLAN.rotations_of(w.pool, w.block)]
        ),
    output:
        pool=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{block}}.nc",
        record=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{block}}.run.json",
    log:
        f"{ROOT}/logs/train/{{dataset}}.{{pool}}/{{block}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.train_mb(w.dataset, w.pool, attempt),
        runtime=lambda w, attempt: RESOURCES.train_minutes(w.dataset, w.pool, attempt),
    params:
        slice=lambda w: SLICES.train(w.dataset, w.pool, w.block),
        drawn=lambda w: SLICES.drawn(w.dataset, w.pool),
        code=lambda w: CODES.train(w.pool),
    message:
        "{wildcards.dataset}: training pool {wildcards.pool} on {wildcards.block}"
    shell:
        "rotastack step train --slice {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q} pool={wildcards.pool:q}"
        " --input table {input.table:q} --input folds {input.folds:q} --input rotations {input.rotations:q}"
        " --output pool {output.pool:q} --output record {output.record:q} 2> {log:q}"
