"""``rotastack compare``: the verdict on any table of scores."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from rotastack.cli import main
from rotastack.cli.options import table_text
from rotastack.stats.elo import elo
from rotastack.stats.resamples import bootstrap_ranks

RNG = np.random.default_rng(0)
ERRORS = pd.DataFrame(
    RNG.uniform(0.1, 0.4, (8, 3)), [f"d{i}" for i in range(8)], ["RF", "RRE", "<script>alert(1)</script>"]
).rename_axis("dataset")


@pytest.fixture
def scores(here):
    ERRORS.to_csv("scores.csv")
    return here


def test_the_verdict_is_printed_and_the_page_written(scores, capsys):
    assert main(["compare", "scores.csv", "--score", "error", "--rotated", "RRE"]) == 0
    out = capsys.readouterr().out
    assert "by average rank of the error over 8 data sets" in out
    assert "rotations" in out
    assert f"{elo(ERRORS, False).elo['RRE']:.0f}" in out
    page = (scores / "comparison.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


@pytest.mark.parametrize(("alpha", "share"), [("0.01", "99"), ("0.001", "99.9"), ("0.05", "95")])
def test_intervals_are_named_by_their_level(scores, capsys, alpha, share):
    assert main(["compare", "scores.csv", "--score", "error", "--alpha", alpha]) == 0
    assert re.findall(r"\(([\d.]+) %\)", capsys.readouterr().out.split("\n\n")[1]) == [share, share]
    page = (scores / "comparison.html").read_text(encoding="utf-8")
    assert f"with {share} % intervals over resampled data sets" in page


def test_the_answer_as_json(scores, capsys):
    assert main(["compare", "scores.csv", "--lower", "--control", "RRE", "--json", "--output", "page.html"]) == 0
    answer = json.loads(capsys.readouterr().out)
    ranks = bootstrap_ranks(ERRORS, False)
    assert {row["method"]: row["average_rank"] for row in answer["leaderboard"]} == ranks.average_rank.to_dict()
    assert answer["control"] == "RRE"
    assert [row["p_holm"] is None for row in answer["leaderboard"]].count(True) == 1
    assert (scores / answer["page"]).is_file()


def test_missing_scores_are_said_and_left_out(scores, capsys):
    table = ERRORS.copy()
    table.loc["d3", "RRE"] = np.nan
    table.assign(Never=np.nan).to_csv("scores.csv")
    assert main(["compare", "scores.csv", "--lower", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["notes"] == [
        "method Never is left out: no scores",
        "1 of 8 data sets are left out, because a method has no score: d3",
    ]
    ranks = bootstrap_ranks(ERRORS.drop(index="d3"), False)
    assert answer["leaderboard"][0]["average_rank"] == pytest.approx(ranks.average_rank.min())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scores.csv"], "scores.csv: the better direction of 'score' is unknown; add --higher or --lower"),
        (
            ["scores.csv", "--lower", "--control", "RFF"],
            "--control: method 'RFF' is unknown; did you mean 'RF'; methods: RF, RRE, <script>",
        ),
        (["scores.csv", "--lower", "--alpha", "5"], "--alpha must lie between 0 and 1, found 5"),
        (["scores.csv", "--lower", "--output", "no/page.html"], "--output: no/page.html: the folder does not exist"),
        (["no.csv"], "no.csv: file not found"),
    ],
)
def test_what_makes_no_sense_is_one_line(scores, capsys, arguments, message):
    assert main(["compare", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (scores / "comparison.html").exists()


@pytest.mark.parametrize("way", ["identical", "one data set", "two methods"])
def test_small_and_equal_tables_have_an_answer(scores, capsys, way):
    table = {
        "identical": ERRORS.assign(RRE=ERRORS["RF"]),
        "one data set": ERRORS[:1],
        "two methods": ERRORS[["RF", "RRE"]],
    }[way]
    table.to_csv("scores.csv")
    assert main(["compare", "scores.csv", "--lower"]) == 0
    said = capsys.readouterr()
    assert "best" in said.out
    assert "nan" not in said.out.lower()


NOISE = pd.DataFrame({"A": [0.465, 0.46, 0.455, 0.45, 0.445, 0.44, 0.34, 0.335]}, [f"d{i}" for i in range(8)])
NOISE = NOISE.assign(B=np.nextafter(NOISE["A"], 0), C=NOISE["A"] + 0.05).rename_axis("dataset")


@pytest.mark.parametrize("times", [1, 1e6])
def test_rounding_errors_are_ties_in_table_and_verdict_and_page(scores, capsys, times):
    (times * NOISE).to_csv("scores.csv")
    assert main(["compare", "scores.csv", "--score", "error", "--control", "B", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    rows = {row["method"]: row for row in answer["leaderboard"]}
    assert rows["A"]["average_rank"] == rows["B"]["average_rank"] == 1.5
    assert rows["A"]["elo"] == rows["B"]["elo"]
    assert [rows["A"][key] for key in ("wins", "ties", "losses", "p_holm")] == [0, 8, 0, 1]
    assert answer["sentences"][0].startswith("B and A share the best average rank")
    page = (scores / "comparison.html").read_text(encoding="utf-8")
    drawn = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    assert all(row[0] == row[1] for row in drawn["metrics"][0]["scores"])


def test_a_table_in_a_pipe_cuts_no_name_and_reads_no_markup(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    names = ["[bold]RF[/bold] :smile:", "R" * 120]
    assert table_text(["method", "p"], {name: ["-"] for name in names}).split("\n")[1:] == [
        f"{names[0]:120s}  -",
        f"{names[1]}  -",
    ]


def test_names_of_data_sets_and_methods_are_text(scores, capsys):
    (scores / "scores.csv").write_text(
        "dataset,RF,RRF\n007,0.3,0.2\n07,0.1,0.3\n7,0.2,0.3\n1e3,0.4,0.3\n1000,0.3,0.1\nNA,0.2,0.1\n"
    )
    assert main(["compare", "scores.csv", "--score", "error", "--rotated", "RRF", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert "over 6 data sets" in answer["sentences"][0]
    assert "most on 1000 (" in answer["sentences"][-1]
    (scores / "scores.csv").write_text("dataset,method,error\n007,01,0.3\n007,1,0.2\n7,01,0.1\n7,1,0.3\n")
    assert main(["compare", "scores.csv", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {row["method"] for row in answer["leaderboard"]} == {"01", "1"}
    assert "over 2 data sets" in answer["sentences"][0]
    (scores / "scores.csv").write_text("dataset,RF,RRF\n7,0.3,0.2\n7,0.1,0.3\n")
    assert main(["compare", "scores.csv", "--score", "error"]) == 2
    assert "data set '7' has two rows" in capsys.readouterr().err
