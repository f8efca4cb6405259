"""The figure that makes the case, and what README.md says below it, are of the results that are kept."""

import re
import runpy
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tests.docs.blocks import ROOT, blocks, marked

from rotastack.ensembles.flagship.families import FAMILIES


@pytest.fixture(scope="module")
def case():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", list(sys.path))  # it adds folders to it
        yield runpy.run_path(str(ROOT / "tools/draw_the_case.py"))


def test_the_caption_says_what_the_results_say(case):
    wins = next(line for line in case["flagship"].summary_lines() if "better : worse, error" in line)
    header = case["flagship"].summary_lines()[0].split("|")
    counts = dict(zip(header, (re.findall(r"\d+", cell) for cell in wins.split("|")), strict=True))
    better, worse = counts[" RF "]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    n_tables = len(case["ratios"]())
    n_sets = len(case["flagship"].set_by_set())
    evidence = (ROOT / "docs/evidence/flagship.md").read_text(encoding="utf-8")
    assert f"On the {n_sets} data sets below: yes." in evidence
    assert f"than those of CatBoost on {n_tables} of the data sets" in evidence
    p_values = [line.split("|")[3:-1] for line in case["flagship"].summary_lines() if line.startswith("| Wilcoxon")]
    assert {cell.strip() for line in p_values for cell in line} == {"< .001"}, "the page says p below .001"
    for page in ("index.md", "evidence/index.md"):
        assert f"on {n_sets} data sets (CatBoost on {n_tables})" in (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert f"errors on {n_tables} tables" in text
    assert set(re.findall(r"on (\d+) tables", index)) == {str(n_tables)}
    assert f"fewer errors than the random forest on {better} tables and more on {worse}." in text


@pytest.mark.slow
def test_pictures_are_what_their_programs_draw(case, tmp_path):
    import delgado2014
    import smalldata

    for name, draw in (("case", case["draw"]), ("classifiers", delgado2014.draw), ("smalldata", smalldata.draw)):
        draw(tmp_path / f"{name}.png")
        kept, drawn = (plt.imread(folder / f"{name}.png") for folder in (ROOT / "docs/images", tmp_path))
        assert np.array_equal(kept, drawn), f"docs/images/{name}.png is stale"


def test_the_picture_of_the_flagship_has_its_families():
    picture = (ROOT / "docs/images/flagship.svg").read_text(encoding="utf-8")
    assert re.findall(r">\((\w+)\)<", picture) == list(FAMILIES)


def test_the_picture_of_the_report_shows_the_answer_of_the_page():
    from PIL import Image

    (answer,) = (b.text for b in blocks("docs/start/study.md") if marked(b, "printed by"))
    with Image.open(ROOT / "docs/images/report.png") as picture:
        assert picture.text["Description"].splitlines() == answer.partition("\n\n")[0].splitlines()


def test_the_sentence_on_179_classifiers_is_of_the_numbers_that_are_kept(case):
    from tables import classifiers

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert classifiers.place() in text
    ranks = classifiers.numbers("ranks", "ranked")
    assert len(ranks) == 186
    assert ranks["rank"].mean() == pytest.approx(187 / 2), "ranks of all methods average to the middle"
    assert ranks["rank"].between(ranks["lower"], ranks["upper"]).all()


def test_the_sentence_on_tuned_classifiers_is_of_the_numbers_that_are_kept(case):
    from tables import tuned

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert tuned.place() in text
    ranks, tests = (tuned.numbers(name, "all") for name in ("ranks", "tests"))
    assert len(ranks) == 11
    assert ranks["rank"].mean() == pytest.approx(6), "ranks of all methods average to the middle"
    ahead = tests.loc[list(tuned.PRETRAINED)].query("apart > 0 and p_holm < 0.05")
    assert len(ahead) == 3
    assert "four pretrained networks, three of which are better" in text


def test_the_sentence_on_21_regressors_is_of_the_numbers_that_are_kept(case):
    from tables import regressors

    assert regressors.place() in (ROOT / "README.md").read_text(encoding="utf-8")
    ranks = regressors.numbers("ranks", "all")
    assert len(ranks) == 25
    assert ranks["rank"].mean() == pytest.approx(13), "ranks of all methods average to the middle"
    assert ranks["rank"].between(ranks["lower"], ranks["upper"]).all()
