rule folds:
    input:
        table="results/datasets/{dataset}.parquet",
    output:
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        record=f"{ROOT}/{{dataset}}/folds.run.json",
    log:
        f"{ROOT}/logs/folds/{{dataset}}.log",
    cache: SHARED
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.folds_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        spec=lambda w: PLAN.spec("folds", w.dataset),
        code=PLAN.code("folds"),
    message:
        "{wildcards.dataset}: drawing fold groups or splits"
    shell:
        step("folds")


rule rotations:
    input:
        table="results/datasets/{dataset}.parquet",
    output:
        rotations=f"{ROOT}/{{dataset}}/rotations/{{view}}/{{group}}.nc",
        record=f"{ROOT}/{{dataset}}/rotations/{{view}}/{{group}}.run.json",
    log:
        f"{ROOT}/logs/rotations/{{dataset}}.{{view}}.{{group}}.log",
    cache: SHARED
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.rotations_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        spec=lambda w: PLAN.spec("rotations", w.dataset, w.view, w.group),
        code=lambda w: PLAN.code("rotations", w.view),
    message:
        "{wildcards.dataset}: drawing rotation group {wildcards.group}"
    shell:
        step("rotations")
