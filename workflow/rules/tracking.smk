localrules:
    track_dataset,
    track_study,


rule refit:
    input:
        raw="data/raw/{dataset}.csv.gz",
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
    output:
        model=f"{ROOT}/{{dataset}}/model/model.skops",
        record=f"{ROOT}/{{dataset}}/model/refit.run.json",
    log:
        f"{ROOT}/logs/refit/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.refit_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 60 * attempt,
    params:
        spec=lambda w: PLAN.spec("refit", w.dataset),
        code=PLAN.code("refit"),
    message:
        "{wildcards.dataset}: training the chosen method on all rows"
    shell:
        step("refit")


rule explain:
    input:
        raw="data/raw/{dataset}.csv.gz",
        model=f"{ROOT}/{{dataset}}/model/model.skops",
        refit=f"{ROOT}/{{dataset}}/model/refit.run.json",
        texts=lambda w: PLAN.report_texts,
    output:
        explanation=f"{ROOT}/{{dataset}}/model/explanation.json",
        page=f"{ROOT}/{{dataset}}/explain.html",
        record=f"{ROOT}/{{dataset}}/model/explain.run.json",
    log:
        f"{ROOT}/logs/explain/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.explain_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 60 * attempt,
    params:
        study=PLAN.study.name,
        spec="{}",
        code=PLAN.code("explain"),
    message:
        "{wildcards.dataset}: what its model looks at"
    shell:
        step("explain")


rule track_dataset:
    input:
        raw="data/raw/{dataset}.csv.gz",
        table="results/datasets/{dataset}.parquet",
        prepare="results/datasets/{dataset}.run.json",
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
        scoring=f"{ROOT}/{{dataset}}/scores.run.json",
        pools=lambda w: PLAN.all_pool_files(w.dataset, "run.json"),
        methods=lambda w: PLAN.method_files(w.dataset, "run.json"),
        figures=lambda w: PLAN.figure_files(w.dataset, "png"),
        model=lambda w: PLAN.model_files(w.dataset, "model.skops"),
        refit=lambda w: PLAN.model_files(w.dataset, "refit.run.json"),
    output:
        receipt=f"{ROOT}/{{dataset}}/{PLAN.receipt}",
    log:
        f"{ROOT}/logs/track_dataset/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.tracking_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 60 * attempt,
        mlflow_writer=1,
    params:
        study=PLAN.study.name,
        spec=lambda w: PLAN.spec("track"),
        code=PLAN.code("track_dataset"),
        pools=f"{ROOT}/{{dataset}}/pools",
    message:
        "{wildcards.dataset}: bringing its runs to MLflow"
    shell:
        step("track_dataset")


rule track_study:
    input:
        comparison=f"{ROOT}/statistics/comparison.json",
        verdict=f"{ROOT}/statistics/verdict.json",
        record=f"{ROOT}/statistics/summarize.run.json",
        figures=PLAN.study_figure_files("png"),
        tables=PLAN.tables,
        report=f"{ROOT}/report.html",
    output:
        receipt=f"{ROOT}/{PLAN.receipt}",
    log:
        f"{ROOT}/logs/track_study/all.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.study_mb(attempt),
        runtime=lambda w, attempt: 30 * attempt,
        mlflow_writer=1,
    params:
        study=PLAN.study.name,
        spec=lambda w: PLAN.report_spec(),
        code=PLAN.code("track_study"),
    message:
        "bringing the study to MLflow"
    shell:
        step("track_study")
