rule compile:
    output:
        receipt=PLAN.receipt,
    log:
        "results/logs/compile.log",
    benchmark:
        "results/benchmarks/compile.tsv"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: 1000 * attempt,
        runtime=lambda w, attempt: 10 * attempt,
    message:
        "compiling the forest"
    shell:
        "rotastack compile --output receipt {output.receipt} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule train:
    input:
        table="results/datasets/{dataset}.parquet",
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        rotations=lambda w: PLAN.rotation_files(w.dataset, w.pool, w.rg),
        compiled=lambda w: ancient(PLAN.compiled("train", w.pool)),
    output:
        pool=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{rg}}/{{fg}}.nc",
        record=f"{ROOT}/{{dataset}}/pools/{{pool}}/{{rg}}/{{fg}}.run.json",
    log:
        f"{ROOT}/logs/train/{{dataset}}.{{pool}}.{{rg}}.{{fg}}.log",
    benchmark:
        f"{ROOT}/benchmarks/train/{{dataset}}.{{pool}}.{{rg}}.{{fg}}.tsv"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.train_mb(w.dataset, w.pool, attempt),
        runtime=lambda w, attempt: PLAN.train_minutes(w.dataset, w.pool, attempt),
    params:
        spec=lambda w: PLAN.spec("train", w.dataset, w.pool, w.rg, w.fg),
        code=lambda w: PLAN.code("train", w.pool),
        step=PLAN.step("train"),
    message:
        "{wildcards.dataset}: training pool {wildcards.pool} on {wildcards.rg}, {wildcards.fg}"
    shell:
        "rotastack {params.step} --spec {params.spec:q} --code {params.code} --threads {threads}"
        " --about dataset={wildcards.dataset} pool={wildcards.pool}"
        " --input table {input.table} --input folds {input.folds} --input rotations {input.rotations}"
        " --output pool {output.pool} --output record {output.record} 2> {log} || {{ cat {log} >&2; exit 1; }}"
