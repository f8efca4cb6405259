# The scores of all methods on a data set.
rule score:
    input:
        table=FILES.prepared,
        prepare=f"{ROOT}/{{dataset}}/table.run.json",
        folds=rules.groups.output.folds,
        groups=rules.groups.output.record,
        methods=[FILES.method(name) for name in PLAN.methods],
        pool_records=lambda w: [
            record
            for pool in PLAN.study.used_pools
            for record in expand(
                rules.train.output.record,
                dataset=w.dataset,
                pool=pool,
                block=PLAN.study.blocks_of_pool(w.dataset, pool),
            )
        ],
        method_records=[f"{ROOT}/{{dataset}}/methods/{name}.run.json" for name in PLAN.methods],
    output:
        scores=f"{ROOT}/{{dataset}}/scores.parquet",
        rows=f"{ROOT}/{{dataset}}/rows.parquet",
        calibration=f"{ROOT}/{{dataset}}/calibration.parquet",
        decisions=f"{ROOT}/{{dataset}}/decisions.json",
        records=f"{ROOT}/{{dataset}}/records.json",
        record=f"{ROOT}/{{dataset}}/scores.run.json",
    log:
        f"{ROOT}/logs/score/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.score_mb(w.dataset),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        slice=lambda w: JOBS["score", w.dataset].slice,
        key=lambda w: JOBS["score", w.dataset].key,
    message:
        "{wildcards.dataset}: scoring all methods"
    shell:
        "rotastack step score --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --input table {input.table:q} --input prepare {input.prepare:q} --input folds {input.folds:q}"
        " --input groups {input.groups:q} --input methods {input.methods:q}"
        " --input pool_records {input.pool_records:q} --input method_records {input.method_records:q}"
        " --output scores {output.scores:q} --output rows {output.rows:q} --output calibration {output.calibration:q}"
        " --output decisions {output.decisions:q} --output records {output.records:q} --output record {output.record:q} 2> {log:q}"


# Comparisons, tests and tables over all data sets, and the verdict.
rule summarize:
    input:
        scores=expand(rules.score.output.scores, dataset=PLAN.datasets),
        calibration=expand(rules.score.output.calibration, dataset=PLAN.datasets),
        records=expand(rules.score.output.record, dataset=PLAN.datasets),
        rows=expand(rules.score.output.rows, dataset=PLAN.datasets),
    output:
        scores=FILES.scores,
        comparison=FILES.comparison,
        verdict=FILES.verdict,
        variance=f"{ROOT}/statistics/variance.parquet",
        tables=[FILES.table(name) for name in PLAN.tables],
        record=f"{ROOT}/statistics/summarize.run.json",
    log:
        f"{ROOT}/logs/summarize.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.study_mb(),
        runtime=lambda w, attempt: 20 * attempt,
    params:
        slice=lambda w: JOBS["summarize"].slice,
        key=lambda w: JOBS["summarize"].key,
    message:
        "statistics over all data sets"
    shell:
        "rotastack step summarize --slice - <<< {params.slice:q} --key {params.key}"
        " --input scores {input.scores:q} --input calibration {input.calibration:q} --input records {input.records:q}"
        f" --input rows {{input.rows:q}} --input published {shlex.join(PLAN.published_columns_files)}"
        " --output scores {output.scores:q} --output comparison {output.comparison:q} --output verdict {output.verdict:q}"
        " --output variance {output.variance:q} --output tables {output.tables:q} --output record {output.record:q} 2> {log:q}"
