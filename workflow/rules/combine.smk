rule combine:
    input:
        table="results/datasets/{dataset}.parquet",
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        pool=lambda w: PLAN.pool_files(w.dataset, PLAN.pool_of(w.method)),
        compiled=lambda w: ancient(PLAN.compiled("combine", PLAN.label(w.method))),
    output:
        method=f"{ROOT}/{{dataset}}/methods/{{method}}.nc",
        record=f"{ROOT}/{{dataset}}/methods/{{method}}.run.json",
    log:
        f"{ROOT}/logs/combine/{{dataset}}.{{method}}.log",
    benchmark:
        f"{ROOT}/benchmarks/combine/{{dataset}}.{{method}}.tsv"
    threads: lambda w: PLAN.combine_threads(w.method)
    resources:
        mem_mb=lambda w, attempt: attempt * (600 + 3 * int(PLAN.pool_megabytes(w.dataset, PLAN.pool_of(w.method)))),
        runtime=lambda w, attempt: attempt * PLAN.combine_minutes(w.dataset, w.method),
    params:
        spec=lambda w: PLAN.spec("combine", w.dataset, PLAN.label(w.method)),
        code=lambda w: PLAN.code("combine", PLAN.label(w.method)),
        step=PLAN.step("combine"),
        label=lambda w: PLAN.label(w.method),
        pool=lambda w: PLAN.pool_of(w.method),
        pools=f"{ROOT}/{{dataset}}/pools",
    message:
        "{wildcards.dataset}: combining for method {wildcards.method}"
    shell:
        "rotastack {params.step} --spec {params.spec:q} --code {params.code} --threads {threads}"
        " --about dataset={wildcards.dataset} method={params.label:q} pool={params.pool}"
        " --input table {input.table} --input folds {input.folds} --input pools {params.pools}"
        " --output method {output.method} --output record {output.record} 2> {log} || {{ cat {log} >&2; exit 1; }}"
