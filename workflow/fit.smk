# One fit in parts: `rotastack fit TABLE --target C --out MODEL --parts N` writes the configuration and runs this.
from rotastack.run.launch import hold_folder

OUT = config["out"]
FOLDER = f"{OUT}.parts"
TABLE = config["table"] or []


rule gather:
    default_target: True
    input:
        table=TABLE,
        parts=expand(f"{FOLDER}/{{part}}.skops", part=range(config["parts"])),
    output:
        model=OUT,
    log:
        f"{FOLDER}/logs/gather.log",
    threads: config["threads"]
    resources:
        mem_mb=lambda w, attempt: 2 * config["megabytes"] * attempt,
        runtime=lambda w, attempt: 120 * attempt,
    params:
        line=config["line"],
        code=config["code"],
        parts=config["parts"],
    message:
        "gathering {params.parts} parts into {output.model}"
    shell:
        "rotastack fit {params.line:q} --out {output.model:q} --parts {params.parts} --part all --threads {threads}"
        " 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"


rule part:
    input:
        table=TABLE,
    output:
        temp(f"{FOLDER}/{{part}}.skops"),
    log:
        f"{FOLDER}/logs/{{part}}.log",
    threads: config["threads"]
    resources:
        mem_mb=lambda w, attempt: config["megabytes"] * attempt,
        runtime=lambda w, attempt: 120 * attempt,
    params:
        line=config["line"],
        code=config["code"],
        out=OUT,
        parts=config["parts"],
    message:
        "part {wildcards.part} of {params.parts}"
    shell:
        "rotastack fit {params.line:q} --out {params.out:q} --parts {params.parts} --part {wildcards.part} --threads {threads}"
        " 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"


onstart:
    hold_folder()
