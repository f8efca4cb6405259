localrules:
    track_dataset,
    track_study,


rule refit:
    input:
        raw="data/raw/{dataset}.csv.gz",
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
        compiled=ancient(PLAN.compiled("refit")),
    output:
        model=f"{ROOT}/{{dataset}}/model/model.skops",
        record=f"{ROOT}/{{dataset}}/model/refit.run.json",
    log:
        f"{ROOT}/logs/refit/{{dataset}}.log",
    benchmark:
        f"{ROOT}/benchmarks/refit/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * (1000 + PLAN.rows(w.dataset) * PLAN.columns(w.dataset) // 1000),
        runtime=lambda w, attempt: 60 * attempt,
    params:
        spec=lambda w: PLAN.spec("refit", w.dataset),
        code=PLAN.code("refit"),
    message:
        "{wildcards.dataset}: training the chosen method on all rows"
    shell:
        "rotastack refit --spec {params.spec:q} --code {params.code} --threads {threads} --about dataset={wildcards.dataset}"
        " --input raw {input.raw} --input scores {input.scores}"
        " --output model {output.model} --output record {output.record} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule track_dataset:
    input:
        raw="data/raw/{dataset}.csv.gz",
        table="results/datasets/{dataset}.parquet",
        prepare="results/datasets/{dataset}.run.json",
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
        pools=lambda w: PLAN.all_pool_files(w.dataset, "run.json"),
        methods=lambda w: PLAN.method_files(w.dataset, "run.json"),
        figures=lambda w: PLAN.figure_files(w.dataset, "png"),
        model=lambda w: PLAN.model_files(w.dataset, "model.skops"),
        refit=lambda w: PLAN.model_files(w.dataset, "refit.run.json"),
    output:
        receipt=f"{ROOT}/{{dataset}}/tracking.json",
    log:
        f"{ROOT}/logs/track_dataset/{{dataset}}.log",
    benchmark:
        f"{ROOT}/benchmarks/track_dataset/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=60,
        mlflow_writer=1,
    params:
        study=PLAN.study.name,
        spec=PLAN.spec("track"),
        code=PLAN.code("track"),
        pools=f"{ROOT}/{{dataset}}/pools",
    message:
        "{wildcards.dataset}: bringing its runs to MLflow"
    shell:
        "rotastack track --spec {params.spec:q} --code {params.code} --about study={params.study} dataset={wildcards.dataset}"
        " --input raw {input.raw} --input table {input.table} --input prepare {input.prepare} --input scores {input.scores}"
        " --input pools {params.pools} --input methods {input.methods} --input figures {input.figures}"
        " --input model {input.model} --input refit {input.refit}"
        " --output receipt {output.receipt} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule track_study:
    input:
        comparison=f"{ROOT}/statistics/comparison.json",
        record=f"{ROOT}/statistics/summarize.run.json",
        figures=PLAN.study_figure_files("png"),
        tables=PLAN.tables,
        report=f"{ROOT}/report.html",
    output:
        receipt=f"{ROOT}/tracking.json",
    log:
        f"{ROOT}/logs/track_study/all.log",
    benchmark:
        f"{ROOT}/benchmarks/track_study/all.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
        mlflow_writer=1,
    params:
        study=PLAN.study.name,
        spec=PLAN.report_spec(),
        code=PLAN.code("track"),
    message:
        "bringing the study to MLflow"
    shell:
        "rotastack track --spec {params.spec:q} --code {params.code} --about study={params.study}"
        " --input comparison {input.comparison} --input record {input.record} --input figures {input.figures}"
        " --input tables {input.tables} --input report {input.report}"
        " --output receipt {output.receipt} 2> {log} || {{ cat {log} >&2; exit 1; }}"
