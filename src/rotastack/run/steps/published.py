"""published: compare a study's results with the published ones, cell by cell."""

import json
from typing import Any

import pandas as pd

from rotastack.base.documents import load_yaml
from rotastack.data.artifacts import read_frame
from rotastack.files import replacing, write_text
from rotastack.judge.pages import page_environment
from rotastack.judge.published_cells import TIMES, compare_with_published
from rotastack.judge.published_groups import beside_published, split_cells
from rotastack.judge.results import by_method
from rotastack.run.job import Job


def run(job: Job) -> None:
    """Read inputs ``scores`` and ``published``, write outputs ``table`` and ``page``.

    A published cell agrees if it differs from our mean by at most twice the standard error of the
    difference plus the printed rounding. If the source prints no standard deviation (metric
    ``error_sd``), ours is used for both, scaled to the source's number of repeats. Published results of
    the slice's ``groups`` have no standard error: they are in separate tables, without a verdict.
    """
    scores, _ = read_frame(job.input("scores"))
    paths = {p.suffix: p for p in job.inputs["published"]}
    cells = pd.read_csv(paths[".csv"], dtype={"table": str, "note": str, "value": str})
    about = load_yaml(paths[".yaml"]) if ".yaml" in paths else {}
    with job.recorded() as record:
        groups = job.slice["groups"]
        rest, printed = split_cells(cells, groups)
        means = by_method(scores, "error")
        frame, absent = compare_with_published(scores, rest, about.get("reasons", []), about.get("datasets", ()))
        with replacing(job.output("table")) as temporary:
            frame.to_csv(temporary, index=False)
        judged = frame[frame["agrees"].notna()]
        summary = judged.groupby(["table", "metric"], sort=False)["agrees"].agg(["size", "sum"]).reset_index()
        page = (
            page_environment()
            .get_template("published.html.j2")
            .render(
                title=job.about["title"],
                source=about.get("source", ""),
                remarks=about.get("remarks", []),
                rows=frame.astype(object).where(frame.notna(), None).to_dict("records"),
                summary=summary.to_dict("records"),
                ranks=[] if groups else _average_ranks(frame),
                groups=beside_published(means, cells, printed, groups, job.slice["alpha"]) if groups else [],
                absent=absent,
                skipped=json.loads(job.about.get("skipped", "[]")),
                times=TIMES,
            )
        )
        write_text(job.output("page"), page)
        record.metrics = {"cells": len(judged), "agree": int(judged["agrees"].sum())}


def _average_ranks(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return average ranks of the methods, published and ours, over the data sets that have all methods."""
    errors = frame[frame["metric"] == "error"]
    tables = {
        name: errors.pivot_table(index="dataset", columns="method", values=name, sort=False)
        for name in ("published", "ours")
    }
    complete = tables["ours"].notna().all(axis=1) & tables["published"].notna().all(axis=1)
    if complete.sum() < 2:
        return []
    ranks = {name: t[complete].round(4).rank(axis=1).mean() for name, t in tables.items()}
    n = int(complete.sum())
    return [
        {"method": m, "published": ranks["published"][m], "ours": ranks["ours"][m], "datasets": n}
        for m in tables["ours"].columns
    ]
