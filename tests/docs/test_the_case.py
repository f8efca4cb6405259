"""The figure that makes the case, and what README.md says below it, are of the results that are kept."""

import re
import runpy
import sys

import pytest
from tests.docs.blocks import ROOT


@pytest.fixture(scope="module")
def case():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", list(sys.path))  # it adds folders to it
        return runpy.run_path(str(ROOT / "tools/draw_the_case.py"))


def test_the_caption_says_what_the_results_say(case):
    wins = next(line for line in case["flagship"].summary_lines() if "better : worse, error" in line)
    header = case["flagship"].summary_lines()[0].split("|")
    counts = dict(zip(header, (re.findall(r"\d+", cell) for cell in wins.split("|")), strict=True))
    (better, worse), boosted = counts[" RF "], counts[" CatBoost "]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    n_tables = len(case["ratios"]())
    assert f"errors on {n_tables} tables" in text
    assert set(re.findall(r"on (\d+) tables", index)) == {str(n_tables)}
    assert f"fewer errors than the random forest on {better} tables and more on {worse};" in text
    assert f"than CatBoost on {boosted[0]} and {boosted[1]}" in text


def test_the_sentence_on_179_classifiers_is_of_the_numbers_that_are_kept(case):
    from tables import classifiers

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert classifiers.sentence() in text
    ranks = classifiers.numbers("ranks", "ranked")
    assert len(ranks) == 186
    assert ranks["rank"].mean() == pytest.approx(187 / 2), "ranks of all methods average to the middle"
    assert ranks["rank"].between(ranks["lower"], ranks["upper"]).all()


def test_the_sentence_on_21_regressors_is_of_the_numbers_that_are_kept(case):
    from tables import regressors

    assert regressors.sentence() in (ROOT / "README.md").read_text(encoding="utf-8")
    ranks = regressors.numbers("ranks", "all")
    assert len(ranks) == 25
    assert ranks["rank"].mean() == pytest.approx(13), "ranks of all methods average to the middle"
    assert ranks["rank"].between(ranks["lower"], ranks["upper"]).all()
