localrules:
    fetch,


rule fetch:
    input:
        own=lambda w: PLAN.own_file(w.dataset),
    output:
        raw="data/raw/{dataset}.csv.gz",
        record="data/raw/{dataset}.run.json",
    log:
        "results/logs/fetch/{dataset}.log",
    cache: SHARED
    retries: 1
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.fetch_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 30 * attempt,
    params:
        dataset=lambda w: w.dataset,
        spec=lambda w: PLAN.spec("fetch", w.dataset),
        code=lambda w: PLAN.code("fetch", w.dataset),
    message:
        "{wildcards.dataset}: getting the raw table"
    shell:
        step("fetch")


rule prepare:
    input:
        raw="data/raw/{dataset}.csv.gz",
    output:
        table="results/datasets/{dataset}.parquet",
        record="results/datasets/{dataset}.run.json",
    log:
        "results/logs/prepare/{dataset}.log",
    cache: SHARED
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.prepare_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        dataset=lambda w: w.dataset,
        spec=lambda w: PLAN.spec("prepare", w.dataset),
        code=PLAN.code("prepare"),
    message:
        "{wildcards.dataset}: preprocessing"
    shell:
        step("prepare")
