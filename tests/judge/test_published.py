"""Published against ours: what agrees, and what is said of the rest."""

import numpy as np
import pandas as pd
import pytest

from rotastack.data.artifacts import write_frame
from rotastack.workflow.run.job import Job
from rotastack.workflow.run.steps import published
from rotastack.workflow.run.steps.published import compare_with_published


def test_published_cells_agree_or_not_for_a_reason(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for method, mean in [("RF", 0.20), ("RR-RF", 0.10)]:
        errors = np.clip(rng.normal(mean, 0.01, 50), 0, 1)
        rows += [
            {"dataset": "d", "method": method, "split": f"S-{r}", "error": e,
             "median_nodes": 10.0 if method == "RF" else 6.0} for r, e in enumerate(errors)
        ]  # fmt: skip
    write_frame(tmp_path / "scores", pd.DataFrame(rows))
    (tmp_path / "t.csv").write_text(
        "table,dataset,method,metric,value,repeats,note,against\n"
        "1,d,RF,error,0.200,100,,\n1,d,RR-RF,error,0.150,100,shifted,\n1,d,RR-RF,wins,1.00,100,,RF\n"
        "1,d,RF,wins,0.50,100,,RR-RF\n1,d,RR-RF,size_ratio,0.60,100,,RF\n1,elsewhere,RF,error,0.1,100,,\n"
        "1,d,XX,error,0.1,100,,\n1,all,RF,error,0.200,100,,\n"
    )
    (tmp_path / "t.yaml").write_text(
        "source: The source.\ndatasets: [d]\nreasons:\n  - {methods: [RR-RF], metrics: [error], why: another version}\n"
    )
    published.run(
        Job(
            "published",
            {"title": "s", "alpha": 0.05, "groups": []},
            {"scores": [tmp_path / "scores"], "published": [tmp_path / "t.csv", tmp_path / "t.yaml"]},
            {"table": [tmp_path / "table.csv"], "page": [tmp_path / "page.html"], "record": [tmp_path / "r.json"]},
        )
    )
    table = pd.read_csv(tmp_path / "table.csv")
    over_all = table[table["dataset"] == "all"]
    assert (over_all["method"].tolist(), over_all["agrees"].tolist()) == (["RF"], [True])
    table = table[table["dataset"] == "d"].set_index(["method", "metric"])
    assert table["agrees"].to_dict() == {
        ("RF", "error"): True, ("RR-RF", "error"): False, ("RR-RF", "wins"): True, ("RF", "wins"): False,
        ("RR-RF", "size_ratio"): True,
    }  # fmt: skip
    assert table.loc[("RR-RF", "error"), "reason"] == "another version"
    assert table.loc[("RF", "wins"), "reason"] == "not explained"
    assert table.loc[("RF", "error"), "standard_error"] == pytest.approx(0.01 / np.sqrt(50), rel=0.3)
    scores, cells = pd.DataFrame(rows), pd.read_csv(tmp_path / "t.csv", dtype={"table": str, "note": str, "value": str})
    for whole in ((), ("d", "e")):  # a mean over other data sets is not compared
        assert "all" not in set(compare_with_published(scores, cells, [], whole)[0]["dataset"])
    agreed = compare_with_published(
        pd.DataFrame(
            [{"dataset": "d", "method": m, "split": f"S-{r}", "error": e}
             for m, e in [("RF", 0.2), ("RR-RF", 0.1)] for r in range(20)]
        ),
        pd.DataFrame(
            [{"table": "1", "dataset": "d", "method": "RR-RF", "metric": "wins", "value": v, "repeats": 100, "note": "",
              "against": "RF"} for v in ("0.96", "0.60")]
        ),
        [],
    )[0]["agrees"].tolist()  # fmt: skip
    assert agreed == [True, False]  # 20 wins of 20 do not tell .96 from 1, but .60
    page = (tmp_path / "page.html").read_text()
    assert "not in this run:</b> elsewhere" in page
    assert "not in this study:</b> XX" in page
    assert "another version (shifted)" in page


def test_medians_are_compared_with_medians():
    r2 = [-50.0, *np.linspace(0.7, 0.9, 8)]
    scores = pd.DataFrame([{"dataset": "d", "method": "A", "split": f"S-{r}", "r2": v} for r, v in enumerate(r2)])
    cell = {"table": "1", "dataset": "d", "method": "A", "metric": "r2", "value": "0.78", "repeats": 10, "note": ""}
    found = compare_with_published(scores, pd.DataFrame([cell]), [], average="median")[0].iloc[0]
    assert found["ours"] == np.median(r2), "one bad split does not move a median"
    assert found["agrees"], "with a spread as wide"


def test_a_printed_standard_deviation_counts():
    errors = [0.18, 0.19, 0.20, 0.21, 0.22]
    scores = pd.DataFrame(
        [{"dataset": "d", "method": "A", "split": f"S-{r}", "error": e} for r, e in enumerate(errors)]
    )
    cells = pd.DataFrame(
        [{"table": "1", "dataset": "d", "method": "A", "metric": m, "value": v, "repeats": 10, "note": ""}
         for m, v in (("error", "0.230"), ("error_sd", "0.060"))]
    )  # fmt: skip
    both, _ = compare_with_published(scores, cells, [])
    assert both["agrees"].tolist() == [True, False]
    assert both["ours"].tolist() == pytest.approx([0.2, np.std(errors, ddof=1)])
    alone, _ = compare_with_published(scores, cells[:1], [])
    assert alone["agrees"].tolist() == [False]
