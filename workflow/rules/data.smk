# A table that needs no network takes both steps in one job. All studies share the raw tables of the registry, in data/raw.
rule table:
    output:
        raw="data/raw/{dataset}.parquet",
        fetched="data/raw/{dataset}.run.json",
        table=FILES.prepared,
        prepared=f"{ROOT}/{{dataset}}/table.run.json",
    log:
        f"{ROOT}/logs/table/{{dataset}}.log",
    wildcard_constraints:
        dataset=PLAN.one_of(set(PLAN.at_hand) - set(PLAN.own)),
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.prepare_mb(w.dataset),
        runtime=lambda w, attempt: 10 * attempt,
    params:
        fetch=lambda w: JOBS["fetch", w.dataset].slice,
        fetch_key=lambda w: JOBS["fetch", w.dataset].key,
        prepare=lambda w: JOBS["prepare", w.dataset].slice,
        prepare_key=lambda w: JOBS["prepare", w.dataset].key,
    message:
        "{wildcards.dataset}: making the table"
    shell:
        "rotastack step fetch --slice - <<< {params.fetch:q} --key {params.fetch_key} --about dataset={wildcards.dataset:q}"
        " --output raw {output.raw:q} --output record {output.fetched:q} 2> {log:q}"
        " && rotastack step prepare --slice - <<< {params.prepare:q} --key {params.prepare_key} --about dataset={wildcards.dataset:q}"
        " --input raw {output.raw:q}"
        " --output table {output.table:q} --output record {output.prepared:q} 2>> {log:q}"


# Several studies may have tables of the same name of their own.
use rule table as own_table with:
    output:
        raw=FILES.raw,
        fetched=f"{ROOT}/raw/{{dataset}}.run.json",
        table=FILES.prepared,
        prepared=f"{ROOT}/{{dataset}}/table.run.json",
    wildcard_constraints:
        dataset=PLAN.one_of(set(PLAN.at_hand) & set(PLAN.own)),


# The download needs the network; a change of the preprocessing does not repeat the download.
rule fetch:
    output:
        raw="{folder}/raw/{dataset}.parquet",
        record="{folder}/raw/{dataset}.run.json",
    log:
        f"{ROOT}/logs/fetch/{{folder}}/{{dataset}}.log",
    wildcard_constraints:
        folder=PLAN.one_of(["data", ROOT]),
        dataset=PLAN.one_of(PLAN.downloaded),
    retries: 1
    localrule: True
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.prepare_mb(w.dataset),
        runtime=lambda w, attempt: 30 * attempt,
    params:
        slice=lambda w: JOBS["fetch", w.dataset].slice,
        key=lambda w: JOBS["fetch", w.dataset].key,
    message:
        "{wildcards.dataset}: fetching the raw table"
    shell:
        "rotastack step fetch --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --output raw {output.raw:q} --output record {output.record:q} 2> {log:q}"


rule prepare:
    input:
        raw=lambda w: PLAN.raw(w.dataset),
    output:
        table=FILES.prepared,
        record=f"{ROOT}/{{dataset}}/table.run.json",
    log:
        f"{ROOT}/logs/prepare/{{dataset}}.log",
    wildcard_constraints:
        dataset=PLAN.one_of(PLAN.downloaded),
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.prepare_mb(w.dataset),
        runtime=lambda w, attempt: 5 * attempt,
    params:
        slice=lambda w: JOBS["prepare", w.dataset].slice,
        key=lambda w: JOBS["prepare", w.dataset].key,
    message:
        "{wildcards.dataset}: preprocessing"
    shell:
        "rotastack step prepare --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --input raw {input.raw:q}"
        " --output table {output.table:q} --output record {output.record:q} 2> {log:q}"
