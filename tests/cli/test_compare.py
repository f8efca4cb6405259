"""``rotastack compare``: the verdict on any table of scores."""

import json

import numpy as np
import pandas as pd
import pytest

from rotastack.cli import main
from rotastack.stats.bootstrap_ranks import bootstrap_ranks
from rotastack.stats.elo import elo

RNG = np.random.default_rng(0)
ERRORS = pd.DataFrame(
    RNG.uniform(0.1, 0.4, (8, 3)), [f"d{i}" for i in range(8)], ["RF", "RRE", "<script>alert(1)</script>"]
).rename_axis("dataset")


@pytest.fixture
def scores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ERRORS.to_csv("scores.csv")
    return tmp_path


def test_the_verdict_is_printed_and_the_page_written(scores, capsys):
    assert main(["compare", "scores.csv", "--score", "error", "--rotated", "RRE"]) == 0
    out = capsys.readouterr().out
    assert "by average rank of the error over 8 data sets" in out
    assert "Rotations " in out
    assert f"{elo(ERRORS, False).elo['RRE']:.0f}" in out
    page = (scores / "comparison.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


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
