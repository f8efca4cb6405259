# The figures of the study and of its data sets.
rule draw:
    input:
        scores=rules.summarize.output.scores,
        comparison=rules.summarize.output.comparison,
        tables=rules.summarize.output.tables,
        table=expand(FILES.prepared, dataset=PLAN.datasets),
        folds=expand(rules.groups.output.folds, dataset=PLAN.datasets),
        pools=[
            rules.train.output.pool.format(dataset=dataset, pool=pool, block=next(iter(PLAN.study.blocks_of[dataset])))
            for dataset in PLAN.datasets
            for pool in PLAN.study.pools_with_votes
        ],
        methods=expand(
            FILES.method("{method}"),
            dataset=PLAN.datasets,
            method=PLAN.methods_in_figures,
        ),
    output:
        figures=[
            report(
                f"{ROOT}/figures/{name}.svg",
                caption=PLAN.caption(name),
                category=category,
            )
            for name, category in PLAN.figures.items()
        ]
        + [f"{ROOT}/figures/{name}.png" for name in PLAN.figures],
        record=f"{ROOT}/figures/draw.run.json",
    log:
        f"{ROOT}/logs/draw.log",
    threads: RESOURCES.draw_threads()
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.draw_mb(),
        runtime=lambda w, attempt: (20 + 2 * len(PLAN.datasets)) * attempt,
    params:
        slice=lambda w: JOBS["draw"].slice,
        key=lambda w: JOBS["draw"].key,
    message:
        "drawing figures"
    shell:
        "rotastack step draw --slice - <<< {params.slice:q} --key {params.key} --threads {threads}"
        " --input scores {input.scores:q} --input comparison {input.comparison:q}"
        " --input tables {input.tables:q} --input table {input.table:q}"
        " --input folds {input.folds:q} --input pools {input.pools:q} --input methods {input.methods:q}"
        " --output figures {output.figures:q} --output record {output.record:q} 2> {log:q}"


rule published:
    input:
        scores=rules.summarize.output.scores,
    output:
        page=f"{ROOT}/published.html",
        table=FILES.table("published"),
        record=f"{ROOT}/published.run.json",
    log:
        f"{ROOT}/logs/published.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.study_mb(),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        slice=lambda w: JOBS["published"].slice,
        key=lambda w: JOBS["published"].key,
    message:
        "published against ours"
    shell:
        "rotastack step published --slice - <<< {params.slice:q} --key {params.key}"
        f" --input scores {{input.scores:q}} --input published {shlex.join(PLAN.published_files)}"
        " --output page {output.page:q} --output table {output.table:q} --output record {output.record:q} 2> {log:q}"


rule report:
    input:
        scores=rules.summarize.output.scores,
        comparison=rules.summarize.output.comparison,
        verdict=rules.summarize.output.verdict,
        variance=rules.summarize.output.variance,
        tables=rules.summarize.output.tables,
        figures=[file for file in rules.draw.output.figures if file.endswith(".svg")],
        records=expand(rules.score.output.records, dataset=PLAN.datasets),
        decisions=expand(rules.score.output.decisions, dataset=PLAN.datasets),
        scored=expand(rules.score.output.record, dataset=PLAN.datasets),
        others=[rules.summarize.output.record, rules.draw.output.record]
        + expand(rules.refit.output.record, dataset=PLAN.refitted)
        + expand(rules.explain.output.record, dataset=PLAN.explained),
        explanations=expand(rules.explain.output.explanation, dataset=PLAN.explained),
    output:
        report=FILES.report,
        record=f"{ROOT}/report.run.json",
    log:
        f"{ROOT}/logs/report.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.study_mb(),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        slice=lambda w: JOBS["report"].slice,
        key=lambda w: JOBS["report"].key,
    message:
        "writing the report"
    shell:
        "rotastack step report --slice - <<< {params.slice:q} --key {params.key}"
        " --input scores {input.scores:q} --input comparison {input.comparison:q} --input verdict {input.verdict:q}"
        " --input variance {input.variance:q} --input tables {input.tables:q} --input figures {input.figures:q}"
        " --input records {input.records:q} --input decisions {input.decisions:q} --input scored {input.scored:q} --input others {input.others:q}"
        " --input explanations {input.explanations:q}"
        " --output report {output.report:q} --output record {output.record:q} 2> {log:q}"
