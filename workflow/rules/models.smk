rule refit:
    input:
        raw=lambda w: PLAN.raw(w.dataset),
        scores=rules.score.output.scores,
        rows=rules.score.output.rows,
        scored=rules.score.output.record,
    output:
        model=FILES.model,
        record=f"{ROOT}/{{dataset}}/model/refit.run.json",
    log:
        f"{ROOT}/logs/refit/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.refit_mb(w.dataset),
        runtime=lambda w, attempt: 60 * attempt,
    params:
        slice=lambda w: JOBS["refit", w.dataset].slice,
        key=lambda w: JOBS["refit", w.dataset].key,
    message:
        "{wildcards.dataset}: training the chosen method on all rows"
    shell:
        "rotastack step refit --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --input raw {input.raw:q} --input scores {input.scores:q} --input rows {input.rows:q}"
        " --input scored {input.scored:q} --output model {output.model:q} --output record {output.record:q} 2> {log:q}"


rule explain:
    input:
        raw=lambda w: PLAN.raw(w.dataset),
        model=rules.refit.output.model,
        refit=rules.refit.output.record,
    output:
        explanation=FILES.explanation,
        page=f"{ROOT}/{{dataset}}/explain.html",
        record=f"{ROOT}/{{dataset}}/model/explain.run.json",
    log:
        f"{ROOT}/logs/explain/{{dataset}}.log",
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * RESOURCES.refit_mb(w.dataset),
        runtime=lambda w, attempt: 60 * attempt,
    params:
        slice=lambda w: JOBS["explain", w.dataset].slice,
        key=lambda w: JOBS["explain", w.dataset].key,
    message:
        "{wildcards.dataset}: explaining the model"
    shell:
        "rotastack step explain --slice - <<< {params.slice:q} --key {params.key} --about dataset={wildcards.dataset:q}"
        " --input raw {input.raw:q} --input model {input.model:q} --input refit {input.refit:q}"
        " --output explanation {output.explanation:q} --output page {output.page:q} --output record {output.record:q} 2> {log:q}"
