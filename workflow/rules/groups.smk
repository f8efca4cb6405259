rule folds:
    input:
        table="results/datasets/{dataset}.parquet",
    output:
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        record=f"{ROOT}/{{dataset}}/folds.run.json",
    log:
        f"{ROOT}/logs/folds/{{dataset}}.log",
    benchmark:
        f"{ROOT}/benchmarks/folds/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: 500 * attempt,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        spec=lambda w: PLAN.spec("folds", w.dataset),
        code=PLAN.code("folds"),
        step=PLAN.step("folds"),
    message:
        "{wildcards.dataset}: drawing fold groups or splits"
    shell:
        "rotastack {params.step} --spec {params.spec:q} --code {params.code} --about dataset={wildcards.dataset}"
        " --input table {input.table} --output folds {output.folds} --output record {output.record}"
        " 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule rotations:
    input:
        table="results/datasets/{dataset}.parquet",
    output:
        rotations=f"{ROOT}/{{dataset}}/rotations/{{group}}.nc",
        record=f"{ROOT}/{{dataset}}/rotations/{{group}}.run.json",
    log:
        f"{ROOT}/logs/rotations/{{dataset}}.{{group}}.log",
    benchmark:
        f"{ROOT}/benchmarks/rotations/{{dataset}}.{{group}}.tsv"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * (500 + min(PLAN.columns(w.dataset), 1000) ** 2 // 2000),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        spec=lambda w: PLAN.spec("rotations", w.dataset, w.group),
        code=PLAN.code("rotations"),
    message:
        "{wildcards.dataset}: drawing rotation group {wildcards.group}"
    shell:
        "rotastack rotations --spec {params.spec:q} --code {params.code} --about dataset={wildcards.dataset}"
        " --input table {input.table} --output rotations {output.rotations} --output record {output.record}"
        " 2> {log} || {{ cat {log} >&2; exit 1; }}"
