rule score:
    input:
        table="results/datasets/{dataset}.parquet",
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        methods=lambda w: PLAN.method_files(w.dataset),
        records=lambda w: PLAN.method_files(w.dataset, "run.json"),
    output:
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
        calibration=f"{ROOT}/{{dataset}}/calibration.parquet",
        record=f"{ROOT}/{{dataset}}/scores.run.json",
    log:
        f"{ROOT}/logs/score/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.score_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        spec=lambda w: PLAN.spec("score"),
        code=PLAN.code("score"),
        pools=f"{ROOT}/{{dataset}}/pools",
    message:
        "{wildcards.dataset}: scoring all methods"
    shell:
        step("score")


rule summarize:
    input:
        scores=expand(f"{ROOT}/{{dataset}}/scores.parquet", dataset=PLAN.datasets),
        calibration=expand(f"{ROOT}/{{dataset}}/calibration.parquet", dataset=PLAN.datasets),
        records=expand(f"{ROOT}/{{dataset}}/scores.run.json", dataset=PLAN.datasets),
        published=PLAN.published_columns_files,
    output:
        scores=f"{ROOT}/scores.parquet",
        comparison=f"{ROOT}/statistics/comparison.json",
        verdict=f"{ROOT}/statistics/verdict.json",
        variance=f"{ROOT}/statistics/variance.parquet",
        tables=PLAN.tables,
        record=f"{ROOT}/statistics/summarize.run.json",
    log:
        f"{ROOT}/logs/summarize/all.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.study_mb(attempt),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        study=PLAN.study.name,
        spec=lambda w: PLAN.summarize_spec(),
        code=PLAN.code("summarize"),
    message:
        "statistics over all data sets"
    shell:
        step("summarize")


rule draw_dataset:
    input:
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
        table="results/datasets/{dataset}.parquet",
        folds=f"{ROOT}/{{dataset}}/folds.parquet",
        pools=lambda w: PLAN.voting_files(w.dataset),
    output:
        figures=[
            report(f"{ROOT}/figures/{{dataset}}/{name}.svg", caption=PLAN.caption(name), category="data sets")
            for name in PLAN.figures
        ]
        + [f"{ROOT}/figures/{{dataset}}/{name}.png" for name in PLAN.figures],
        record=f"{ROOT}/figures/{{dataset}}/draw_dataset.run.json",
    log:
        f"{ROOT}/logs/draw_dataset/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.draw_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        spec=lambda w: PLAN.spec("draw_dataset"),
        code=PLAN.code("draw_dataset"),
    message:
        "{wildcards.dataset}: drawing figures"
    shell:
        step("draw_dataset")


if PLAN.pruning_figures:

    rule draw_pruning:
        input:
            methods=lambda w: PLAN.method_files(w.dataset),
            scores=f"{ROOT}/{{dataset}}/scores.parquet",
        output:
            figures=[
                report(f"{ROOT}/figures/{{dataset}}/{name}.svg", caption=PLAN.caption(name), category="data sets")
                for name in PLAN.pruning_figures
            ]
            + [f"{ROOT}/figures/{{dataset}}/{name}.png" for name in PLAN.pruning_figures],
            record=f"{ROOT}/figures/{{dataset}}/draw_pruning.run.json",
        log:
            f"{ROOT}/logs/draw_pruning/{{dataset}}.log",
        threads: 1
        resources:
            mem_mb=lambda w, attempt: PLAN.resources.score_mb(w.dataset, attempt),
            runtime=lambda w, attempt: 20 * attempt,
        params:
            spec=lambda w: PLAN.pruning_spec(),
            code=PLAN.code("draw_pruning"),
        message:
            "{wildcards.dataset}: drawing figures of the members"
        shell:
            step("draw_pruning")


rule draw_study:
    input:
        scores=f"{ROOT}/scores.parquet",
        tables=PLAN.tables,
    output:
        figures=[
            report(path, caption=PLAN.caption(Path(path).stem), category="study")
            for path in PLAN.study_figure_files("svg")
        ]
        + PLAN.study_figure_files("png"),
        record=f"{ROOT}/figures/study/draw_study.run.json",
    log:
        f"{ROOT}/logs/draw_study/all.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.study_mb(attempt),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        spec=lambda w: PLAN.draw_study_spec(),
        code=PLAN.code("draw_study"),
    message:
        "drawing figures over all data sets"
    shell:
        step("draw_study")


rule published:
    input:
        scores=f"{ROOT}/scores.parquet",
        published=lambda w: PLAN.published_files,
        texts=lambda w: PLAN.report_texts,
    output:
        page=f"{ROOT}/published.html",
        table=f"{ROOT}/tables/published.csv",
        record=f"{ROOT}/published.run.json",
    log:
        f"{ROOT}/logs/published/all.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.study_mb(attempt),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        study=PLAN.study.name,
        title=lambda w: PLAN.study.document.title,
        skipped=lambda w: PLAN.skipped_json,
        spec=lambda w: PLAN.published_spec(),
        code=PLAN.code("published"),
    message:
        "published against ours"
    shell:
        step("published")


rule report:
    input:
        scores=f"{ROOT}/scores.parquet",
        comparison=f"{ROOT}/statistics/comparison.json",
        verdict=f"{ROOT}/statistics/verdict.json",
        variance=f"{ROOT}/statistics/variance.parquet",
        figures=[
            *PLAN.study_figure_files("svg"),
            *[f for d in PLAN.datasets for f in PLAN.figure_files(d, "svg")],
        ],
        prepare=expand("results/datasets/{dataset}.run.json", dataset=PLAN.datasets),
        folds=expand(f"{ROOT}/{{dataset}}/folds.run.json", dataset=PLAN.datasets),
        scored=expand(f"{ROOT}/{{dataset}}/scores.run.json", dataset=PLAN.datasets),
        refits=expand(f"{ROOT}/{{dataset}}/model/refit.run.json", dataset=PLAN.refitted),
        texts=lambda w: PLAN.report_texts,
        tables=PLAN.tables,
        explanations=PLAN.explanations,
    output:
        report=f"{ROOT}/report.html",
        record=f"{ROOT}/report.run.json",
    log:
        f"{ROOT}/logs/report/all.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLAN.resources.study_mb(attempt),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        control=lambda w: PLAN.study.control,
        spec=lambda w: PLAN.report_spec(),
        skipped=lambda w: PLAN.skipped_json,
        code=PLAN.code("report"),
        results=lambda w: ROOT,
    message:
        "writing the report"
    shell:
        step("report")


rule front_page:
    input:
        report=f"{ROOT}/report.html",
        published=lambda w: PLAN.published,
    output:
        "results/report.html",
    log:
        f"{ROOT}/logs/front_page/all.log",
    localrule: True
    threads: 1
    resources:
        mem_mb=100,
        runtime=5,
    message:
        "results/report.html is the report of {PLAN.study.name}"
    shell:
        'cp {input.report:q} {output:q} 2> {log:q}; for page in {input.published:q}; do cp "$page" results/ 2>> {log:q}; done'
