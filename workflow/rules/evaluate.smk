rule score:
    input:
        table="results/datasets/{dataset}.parquet",
        methods=lambda w: PLAN.method_files(w.dataset),
        records=lambda w: PLAN.method_files(w.dataset, "run.json"),
    output:
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
        calibration=f"{ROOT}/{{dataset}}/calibration.parquet",
        record=f"{ROOT}/{{dataset}}/scores.run.json",
    log:
        f"{ROOT}/logs/score/{{dataset}}.log",
    benchmark:
        f"{ROOT}/benchmarks/score/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 1000,
        runtime=lambda w, attempt: 20 * attempt,
    params:
        code=PLAN.code("score"),
        pools=f"{ROOT}/{{dataset}}/pools",
    message:
        "{wildcards.dataset}: scoring all methods"
    shell:
        "rotastack score --code {params.code} --about dataset={wildcards.dataset}"
        " --input table {input.table} --input methods {input.methods}"
        " --input records {input.records} --input pools {params.pools}"
        " --output scores {output.scores} --output calibration {output.calibration}"
        " --output record {output.record} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule summarize:
    input:
        scores=expand(f"{ROOT}/{{dataset}}/scores.parquet", dataset=PLAN.datasets),
        calibration=expand(f"{ROOT}/{{dataset}}/calibration.parquet", dataset=PLAN.datasets),
        records=expand(f"{ROOT}/{{dataset}}/scores.run.json", dataset=PLAN.datasets),
    output:
        scores=f"{ROOT}/scores.parquet",
        comparison=f"{ROOT}/statistics/comparison.json",
        variance=f"{ROOT}/statistics/variance.parquet",
        table_error=f"{ROOT}/tables/error.csv",
        table_balanced_accuracy=f"{ROOT}/tables/balanced_accuracy.csv",
        table_log_loss=f"{ROOT}/tables/log_loss.csv",
        table_brier=f"{ROOT}/tables/brier.csv",
        table_variance=f"{ROOT}/tables/variance.csv",
        table_pairs=f"{ROOT}/tables/pairs.csv",
        table_facts=f"{ROOT}/tables/facts.csv",
        table_claims=f"{ROOT}/tables/claims.csv",
        table_calibration=f"{ROOT}/tables/calibration.csv",
        table_control=f"{ROOT}/tables/control.csv",
        table_times=f"{ROOT}/tables/times.csv",
        table_groups=PLAN.group_tables,
        record=f"{ROOT}/statistics/summarize.run.json",
    log:
        f"{ROOT}/logs/summarize/all.log",
    benchmark:
        f"{ROOT}/benchmarks/summarize/all.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        study=PLAN.study.name,
        spec=PLAN.summarize_spec(),
        code=PLAN.code("summarize"),
    message:
        "statistics over all data sets"
    shell:
        "rotastack summarize --spec {params.spec:q} --code {params.code} --about study={params.study}"
        " --input scores {input.scores} --input calibration {input.calibration} --input records {input.records}"
        " --output scores {output.scores} --output comparison {output.comparison}"
        " --output variance {output.variance} --output table_error {output.table_error}"
        " --output table_balanced_accuracy {output.table_balanced_accuracy} --output table_log_loss {output.table_log_loss}"
        " --output table_brier {output.table_brier} --output table_variance {output.table_variance}"
        " --output table_pairs {output.table_pairs} --output table_facts {output.table_facts}"
        " --output table_claims {output.table_claims} --output table_groups {output.table_groups}"
        " --output table_calibration {output.table_calibration} --output table_control {output.table_control}"
        " --output table_times {output.table_times}"
        " --output record {output.record} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule draw_dataset:
    input:
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
    output:
        report(
            expand(f"{ROOT}/figures/{{{{dataset}}}}/{{figure}}.svg", figure=PLAN.figures),
            caption="../report/heatmap.rst",
            category="data sets",
        ),
        expand(f"{ROOT}/figures/{{{{dataset}}}}/{{figure}}.png", figure=PLAN.figures),
    log:
        f"{ROOT}/logs/draw_dataset/{{dataset}}.log",
    benchmark:
        f"{ROOT}/benchmarks/draw_dataset/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        code=PLAN.code("draw_dataset"),
    message:
        "{wildcards.dataset}: drawing figures"
    shell:
        "rotastack draw_dataset --code {params.code} --about dataset={wildcards.dataset}"
        " --input scores {input.scores} --output figures {output} 2> {log} || {{ cat {log} >&2; exit 1; }}"


if PLAN.pruning_figures:

    rule draw_pruning:
        input:
            methods=lambda w: PLAN.method_files(w.dataset),
            scores=f"{ROOT}/{{dataset}}/scores.parquet",
        output:
            report(
                expand(f"{ROOT}/figures/{{{{dataset}}}}/{{figure}}.svg", figure=PLAN.pruning_figures),
                caption="../report/margin_distributions.rst",
                category="data sets",
            ),
            expand(f"{ROOT}/figures/{{{{dataset}}}}/{{figure}}.png", figure=PLAN.pruning_figures),
        log:
            f"{ROOT}/logs/draw_pruning/{{dataset}}.log",
        benchmark:
            f"{ROOT}/benchmarks/draw_pruning/{{dataset}}.tsv"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=20,
        params:
            spec=PLAN.pruning_spec(),
            code=PLAN.code("draw_pruning"),
        message:
            "{wildcards.dataset}: drawing figures of the members"
        shell:
            "rotastack draw_pruning --spec {params.spec:q} --code {params.code} --about dataset={wildcards.dataset}"
            " --input methods {input.methods} --input scores {input.scores} --output figures {output}"
            " 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule draw_study:
    input:
        scores=f"{ROOT}/scores.parquet",
        calibration=f"{ROOT}/tables/calibration.csv",
    output:
        report(PLAN.study_figure_files("svg"), caption="../report/critical_difference.rst", category="study"),
        PLAN.study_figure_files("png"),
    log:
        f"{ROOT}/logs/draw_study/all.log",
    benchmark:
        f"{ROOT}/benchmarks/draw_study/all.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        study=PLAN.study.name,
        spec=PLAN.draw_study_spec(),
        code=PLAN.code("draw_study"),
    message:
        "drawing figures over all data sets"
    shell:
        "rotastack draw_study --spec {params.spec:q} --code {params.code} --about study={params.study}"
        " --input scores {input.scores} --input calibration {input.calibration} --output figures {output} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule published:
    input:
        scores=f"{ROOT}/scores.parquet",
        published=PLAN.published_files,
        texts=PLAN.report_texts,
    output:
        page=f"{ROOT}/published.html",
        table=f"{ROOT}/tables/published.csv",
    log:
        f"{ROOT}/logs/published/all.log",
    benchmark:
        f"{ROOT}/benchmarks/published/all.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        study=PLAN.study.name,
        title=PLAN.study.content["title"],
        skipped=PLAN.skipped_json,
        spec=PLAN.published_spec(),
        code=PLAN.code("published"),
    message:
        "published against ours"
    shell:
        "rotastack published --spec {params.spec:q} --code {params.code}"
        " --about study={params.study} title={params.title:q} skipped={params.skipped:q}"
        " --input scores {input.scores} --input published {input.published}"
        " --output page {output.page} --output table {output.table} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule report:
    input:
        comparison=f"{ROOT}/statistics/comparison.json",
        variance=f"{ROOT}/statistics/variance.parquet",
        figures=[
            *PLAN.study_figure_files("svg"),
            *[f for d in PLAN.datasets for f in PLAN.figure_files(d, "svg")],
        ],
        prepare=expand("results/datasets/{dataset}.run.json", dataset=PLAN.datasets),
        folds=expand(f"{ROOT}/{{dataset}}/folds.run.json", dataset=PLAN.datasets),
        scored=expand(f"{ROOT}/{{dataset}}/scores.run.json", dataset=PLAN.datasets),
        refits=expand(f"{ROOT}/{{dataset}}/model/refit.run.json", dataset=PLAN.refitted),
        texts=PLAN.report_texts,
        pairs=f"{ROOT}/tables/pairs.csv",
        facts=f"{ROOT}/tables/facts.csv",
        claims=f"{ROOT}/tables/claims.csv",
        times=f"{ROOT}/tables/times.csv",
    output:
        report=f"{ROOT}/report.html",
    log:
        f"{ROOT}/logs/report/all.log",
    benchmark:
        f"{ROOT}/benchmarks/report/all.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        study=PLAN.study.name,
        control=PLAN.study.control,
        spec=PLAN.report_spec(),
        skipped=PLAN.skipped_json,
        code=PLAN.code("report"),
        benchmarks=f"{ROOT}/benchmarks",
    message:
        "writing the report"
    shell:
        "rotastack report --spec {params.spec:q} --code {params.code}"
        " --about study={params.study} control={params.control:q} skipped={params.skipped:q}"
        " --input comparison {input.comparison} --input variance {input.variance} --input figures {input.figures}"
        " --input prepare {input.prepare} --input folds {input.folds} --input scored {input.scored}"
        " --input refits {input.refits} --input benchmarks {params.benchmarks}"
        " --input pairs {input.pairs} --input facts {input.facts} --input claims {input.claims}"
        " --input times {input.times} --output report {output.report} 2> {log} || {{ cat {log} >&2; exit 1; }}"


rule front_page:
    input:
        report=f"{ROOT}/report.html",
        published=PLAN.published,
    output:
        "results/report.html",
    log:
        f"{ROOT}/logs/front_page/all.log",
    benchmark:
        f"{ROOT}/benchmarks/front_page/all.tsv"
    localrule: True
    threads: 1
    resources:
        mem_mb=100,
        runtime=5,
    message:
        "results/report.html is the report of {PLAN.study.name}"
    shell:
        "cp {input.report} {output} 2> {log}; for page in {input.published}; do cp $page results/ 2>> {log}; done"
