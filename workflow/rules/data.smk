localrules:
    fetch,


rule fetch:
    input:
        own=lambda w: PLAN.own_file(w.dataset),
    output:
        raw=RAW,
        record="data/raw/{dataset}.run.json",
    log:
        "results/logs/fetch/{dataset}.log",
    retries: 1
    threads: 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.fetch_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 30 * attempt,
    params:
        slice=lambda w: SLICES.fetch(w.dataset),
        code=lambda w: CODES.fetch(w.dataset),
    message:
        "{wildcards.dataset}: getting the raw table"
    shell:
        "rotastack step fetch --slice {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q}"
        " --output raw {output.raw:q} --output record {output.record:q} 2> {log:q}"


rule prepare:
    input:
        raw=rules.fetch.output.raw,
    output:
        table=TABLE,
        record="results/datasets/{dataset}.run.json",
    log:
        "results/logs/prepare/{dataset}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: RESOURCES.prepare_mb(w.dataset, attempt),
        runtime=lambda w, attempt: 5 * attempt,
    params:
        slice=lambda w: SLICES.prepare(w.dataset),
        code=lambda w: CODES.step("prepare"),
    message:
        "{wildcards.dataset}: preprocessing"
    shell:
        "rotastack step prepare --slice {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q}"
        " --input raw {input.raw:q}"
        " --output table {output.table:q} --output record {output.record:q} 2> {log:q}"
