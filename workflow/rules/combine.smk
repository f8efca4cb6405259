rule combine:
    input:
        table="results/datasets/{dataset}.parquet",
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        pool=lambda w: PLAN.pool_files(w.dataset, PLAN.pool_of(w.method)),
    output:
        method=f"{ROOT}/{{dataset}}/methods/{{method}}.nc",
        record=f"{ROOT}/{{dataset}}/methods/{{method}}.run.json",
    log:
        f"{ROOT}/logs/combine/{{dataset}}.{{method}}.log",
    threads: lambda w: PLAN.resources.combine_threads(PLAN.label(w.method))
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.combine_mb(w.dataset, PLAN.pool_of(w.method), attempt),
        runtime=lambda w, attempt: PLAN.resources.combine_minutes(w.dataset, PLAN.label(w.method), attempt),
    params:
        spec=lambda w: PLAN.spec("combine", w.dataset, PLAN.label(w.method)),
        code=lambda w: PLAN.code("combine", PLAN.label(w.method)),
        method=lambda w: PLAN.label(w.method),
        pool=lambda w: PLAN.pool_of(w.method),
        pools=f"{ROOT}/{{dataset}}/pools",
    message:
        "{wildcards.dataset}: combining for method {wildcards.method}"
    shell:
        step("combine")
