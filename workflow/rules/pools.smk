rule train:
    input:
        table="results/datasets/{dataset}.parquet",
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        rotations=lambda w: PLAN.rotation_files(w.dataset, w.pool, w.block),
    output:
        pool=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{block}}.nc",
        record=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{block}}.run.json",
    log:
        f"{ROOT}/logs/train/{{dataset}}.{{pool}}/{{block}}.log",
    cache: SHARED
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.train_mb(w.dataset, w.pool, attempt),
        runtime=lambda w, attempt: PLAN.resources.train_minutes(w.dataset, w.pool, attempt),
    params:
        spec=lambda w: PLAN.spec("train", w.dataset, w.pool, w.block),
        code=lambda w: PLAN.code("train", w.pool),
        pool=lambda w: w.pool,
    message:
        "{wildcards.dataset}: training pool {wildcards.pool} on {wildcards.block}"
    shell:
        step("train")
