"""Published against ours: what agrees, and what is said of the rest."""

import re

import numpy as np
import pandas as pd
import pytest

from rotastack.data.artifacts import write_frame
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.steps import published
from rotastack.workflow.run.steps.published import compare_with_published


def test_published_cells_agree_or_not_for_a_reason(tmp_path):
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(
        [
            {"dataset": "d", "method": method, "split": f"S-{r}", "error": e, "median_nodes": nodes}
            for method, mean, nodes in [("RF", 0.20, 10.0), ("RR-RF", 0.10, 6.0)]
            for r, e in enumerate(np.clip(rng.normal(mean, 0.01, 50), 0, 1))
        ]
    )
    write_frame(tmp_path / "scores", scores)
    (tmp_path / "t.csv").write_text(
        "table,dataset,method,metric,value,repeats,note,against\n"
        "1,d,RF,error,0.200,100,,\n1,d,RR-RF,error,0.150,100,shifted,\n1,d,RR-RF,wins,1.00,100,,RF\n"
        "1,d,RF,wins,0.50,100,,RR-RF\n1,d,RR-RF,size_ratio,0.60,100,,RF\n1,elsewhere,RF,error,0.1,100,,\n"
        "1,d,XX,error,0.1,100,,\n1,all,RF,error,0.200,100,,\n"
    )
    (tmp_path / "t.yaml").write_text(
        "source: The source.\ndatasets: [d]\nreasons:\n  - {methods: [RR-RF], metrics: [error], why: another version}\n"
    )
    inputs = {"scores": [tmp_path / "scores"], "published": [tmp_path / "t.csv", tmp_path / "t.yaml"]}
    outputs = {"table": [tmp_path / "table.csv"], "page": [tmp_path / "page.html"], "record": [tmp_path / "r.json"]}
    published.run(Job("published", {"title": "s", "alpha": 0.05, "groups": []}, inputs, outputs))
    table = pd.read_csv(tmp_path / "table.csv").set_index(["dataset", "method", "metric"])
    assert table["agrees"].to_dict() == {
        ("all", "RF", "error"): True,
        ("d", "RF", "error"): True,
        ("d", "RR-RF", "error"): False,
        ("d", "RR-RF", "wins"): True,
        ("d", "RF", "wins"): False,
        ("d", "RR-RF", "size_ratio"): True,
    }
    assert table.loc[("d", "RR-RF", "error"), "reason"] == "another version"
    assert table.loc[("d", "RF", "wins"), "reason"] == "not explained"
    assert table.loc[("d", "RF", "error"), "standard_error"] == pytest.approx(0.01 / np.sqrt(50), rel=0.3)
    cells = pd.read_csv(tmp_path / "t.csv", dtype={"table": str, "note": str, "value": str})
    for whole in ((), ("d", "e")):  # a mean over other data sets is not compared
        assert "all" not in set(compare_with_published(scores, cells, [], whole)[0]["dataset"])
    page = (tmp_path / "page.html").read_text()
    assert re.search("not in this run:</b> elsewhere.*not in this study:</b> XX.*another version .shifted.", page, re.S)


def test_20_wins_of_20_do_not_tell_96_percent_from_all():
    won = pd.DataFrame(
        [{**CELL, "method": m, "split": f"S-{r}", "error": e} for m, e in (("A", 0.1), ("B", 0.2)) for r in range(20)]
    )
    printed = [{**CELL, "metric": "wins", "value": v, "repeats": 100, "against": "B"} for v in ("0.96", "0.60")]
    assert compare_with_published(won, pd.DataFrame(printed), [])[0]["agrees"].tolist() == [True, False]


CELL = {"table": "1", "dataset": "d", "method": "A", "note": ""}


def test_medians_are_compared_with_medians():
    r2 = [-50.0, *np.linspace(0.7, 0.9, 8)]
    scores = pd.DataFrame([{**CELL, "split": f"S-{r}", "r2": v} for r, v in enumerate(r2)])
    cells = pd.DataFrame([{**CELL, "metric": "r2", "value": "0.78", "repeats": 10}])
    found = compare_with_published(scores, cells, [], average="median")[0].iloc[0]
    assert found["ours"] == np.median(r2), "one bad split does not move a median"
    assert found["agrees"], "with a spread as wide"


def test_a_printed_standard_deviation_counts():
    errors = [0.18, 0.19, 0.20, 0.21, 0.22]
    scores = pd.DataFrame([{**CELL, "split": f"S-{r}", "error": e} for r, e in enumerate(errors)])
    printed = {"error": "0.230", "error_sd": "0.060"}
    cells = pd.DataFrame([{**CELL, "metric": m, "value": v, "repeats": 10} for m, v in printed.items()])
    both, _ = compare_with_published(scores, cells, [])
    assert both["agrees"].tolist() == [True, False]
    assert both["ours"].tolist() == pytest.approx([0.2, np.std(errors, ddof=1)])
    assert compare_with_published(scores, cells[:1], [])[0]["agrees"].tolist() == [False]
