# A method combines its pool's outputs by stacking, pruning or weights.
rule combine:
    input:
        table=FILES.prepared,
        folds=rules.groups.output.folds,
        pool=lambda w: expand(
            rules.train.output.pool,
            dataset=w.dataset,
            pool=PLAN.pool_of(w.method),
            block=PLAN.study.blocks_of_method(w.dataset, PLAN.study.method_of(w.method)),
        ),
    output:
        method=FILES.method("{method}"),
        record=f"{ROOT}/{{dataset}}/methods/{{method}}.run.json",
    log:
        f"{ROOT}/logs/combine/{{dataset}}.{{method}}.log",
    wildcard_constraints:
        method=PLAN.one_of(PLAN.combined),
    threads: lambda w: RESOURCES.combine_threads(PLAN.study.method_of(w.method))
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.combine_mb(w.dataset, PLAN.pool_of(w.method)),
        runtime=lambda w, attempt: attempt * RESOURCES.combine_minutes(w.dataset, PLAN.study.method_of(w.method)),
    params:
        slice=lambda w: JOBS["combine", w.dataset, PLAN.study.method_of(w.method)].slice,
        key=lambda w: JOBS["combine", w.dataset, PLAN.study.method_of(w.method)].key,
        method=lambda w: PLAN.study.method_of(w.method),
        pool=lambda w: PLAN.pool_of(w.method),
    message:
        "{wildcards.dataset}: combining for method {wildcards.method}"
    shell:
        "rotastack step combine --slice - <<< {params.slice:q} --key {params.key} --threads {threads}"
        " --about dataset={wildcards.dataset:q} method={params.method:q} pool={params.pool:q}"
        " --input table {input.table:q} --input folds {input.folds:q} --input pool {input.pool:q}"
        " --output method {output.method:q} --output record {output.record:q} 2> {log:q}"


# All methods of a data set that only vote, in one job, because this takes hardly any time.
rule vote:
    input:
        table=FILES.prepared,
        folds=rules.groups.output.folds,
        pool=lambda w: expand(
            rules.train.output.pool,
            dataset=w.dataset,
            pool=PLAN.study.voted_pools,
            block=PLAN.study.blocks_of[w.dataset],
        ),
    output:
        method=[FILES.method(name) for name in PLAN.voted],
        record=[f"{ROOT}/{{dataset}}/methods/{name}.run.json" for name in PLAN.voted],
    log:
        f"{ROOT}/logs/vote/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.vote_mb(w.dataset),
        runtime=lambda w, attempt: attempt * RESOURCES.vote_minutes(),
    params:
        slice=lambda w: JOBS["vote", w.dataset].slice,
        key=lambda w: JOBS["vote", w.dataset].key,
    message:
        "{wildcards.dataset}: letting the members of pools vote"
    shell:
        "rotastack step combine --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --input table {input.table:q} --input folds {input.folds:q} --input pool {input.pool:q}"
        " --output method {output.method:q} --output record {output.record:q} 2> {log:q}"
