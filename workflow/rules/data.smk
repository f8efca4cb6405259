# A table that needs no network takes both steps in one job.
rule table:
    output:
        raw=RAW,
        fetched="data/raw/{dataset}.run.json",
        table=TABLE,
        prepared="results/datasets/{dataset}.run.json",
    log:
        "results/logs/table/{dataset}.log",
    wildcard_constraints:
        dataset=PLAN.one_of(PLAN.at_hand),
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.prepare_mb(w.dataset),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        contents=lambda w: PLAN.contents(PLAN.own_file(w.dataset)),
        fetch=lambda w: SLICES.fetch(w.dataset).line(),
        fetch_code=lambda w: CODES.step("fetch"),
        prepare=lambda w: SLICES.prepare(w.dataset).line(),
        prepare_code=lambda w: CODES.step("prepare"),
    message:
        "{wildcards.dataset}: making the table"
    shell:
        "rotastack step fetch --slice - <<< {params.fetch:q} --code {params.fetch_code} --about dataset={wildcards.dataset:q}"
        " --output raw {output.raw:q} --output record {output.fetched:q} 2> {log:q}"
        " && rotastack step prepare --slice - <<< {params.prepare:q} --code {params.prepare_code} --about dataset={wildcards.dataset:q}"
        " --input raw {output.raw:q}"
        " --output table {output.table:q} --output record {output.prepared:q} 2>> {log:q}"


# The download needs the network; a change of the preprocessing does not repeat the download.
rule fetch:
    output:
        raw=RAW,
        record="data/raw/{dataset}.run.json",
    log:
        "results/logs/fetch/{dataset}.log",
    wildcard_constraints:
        dataset=PLAN.one_of(PLAN.downloaded),
    retries: 1
    localrule: True
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.prepare_mb(w.dataset),
        runtime=lambda w, attempt: 30 * attempt,
    params:
        slice=lambda w: SLICES.fetch(w.dataset).line(),
        code=lambda w: CODES.step("fetch"),
    message:
        "{wildcards.dataset}: fetching the raw table"
    shell:
        "rotastack step fetch --slice - <<< {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q}"
        " --output raw {output.raw:q} --output record {output.record:q} 2> {log:q}"


rule prepare:
    input:
        raw=rules.fetch.output.raw,
    output:
        table=TABLE,
        record="results/datasets/{dataset}.run.json",
    log:
        "results/logs/prepare/{dataset}.log",
    wildcard_constraints:
        dataset=PLAN.one_of(PLAN.downloaded),
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.prepare_mb(w.dataset),
        runtime=lambda w, attempt: 5 * attempt,
    params:
        slice=lambda w: SLICES.prepare(w.dataset).line(),
        code=lambda w: CODES.step("prepare"),
    message:
        "{wildcards.dataset}: preprocessing"
    shell:
        "rotastack step prepare --slice - <<< {params.slice:q} --code {params.code} --about dataset={wildcards.dataset:q}"
        " --input raw {input.raw:q}"
        " --output table {output.table:q} --output record {output.record:q} 2> {log:q}"
