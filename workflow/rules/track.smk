# One writer at a time logs the study to MLflow, from the files of other steps alone.
rule track:
    input:
        raw=[PLAN.raw(dataset) for dataset in PLAN.datasets],
        table=expand(FILES.prepared, dataset=PLAN.datasets),
        scores=expand(rules.score.output.scores, dataset=PLAN.datasets),
        scored=expand(rules.score.output.record, dataset=PLAN.datasets),
        records=expand(rules.score.output.records, dataset=PLAN.datasets),
        model=expand(rules.refit.output.model, dataset=PLAN.refitted),
        refit=expand(rules.refit.output.record, dataset=PLAN.refitted),
        comparison=rules.summarize.output.comparison,
        verdict=rules.summarize.output.verdict,
        record=rules.summarize.output.record,
        tables=rules.summarize.output.tables,
        figures=[file for file in rules.draw.output.figures if file.endswith(".png")],
        report=rules.report.output.report,
    output:
        # The step reads the receipt that it replaces: on a server it marks the runs of the earlier version.
        receipt=update(f"{ROOT}/tracking.json"),
    log:
        f"{ROOT}/logs/track.log",
    localrule: True
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.tracking_mb(),
        runtime=lambda w, attempt: 60 * attempt,
        mlflow_writer=1,
    params:
        slice=lambda w: JOBS["track"].slice,
        key=lambda w: JOBS["track"].key,
    message:
        "logging the study's runs to MLflow"
    shell:
        "rotastack step track --slice - <<< {params.slice:q} --key {params.key}"
        " --input raw {input.raw:q} --input table {input.table:q} --input scores {input.scores:q}"
        " --input scored {input.scored:q} --input records {input.records:q}"
        " --input model {input.model:q} --input refit {input.refit:q}"
        " --input comparison {input.comparison:q} --input verdict {input.verdict:q} --input record {input.record:q}"
        " --input tables {input.tables:q} --input figures {input.figures:q} --input report {input.report:q}"
        " --output receipt {output.receipt:q} 2> {log:q}"
