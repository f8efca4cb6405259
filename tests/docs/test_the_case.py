"""The figure that makes the case, and what README.md says below it, are of the results that are kept."""

import importlib
import re
import runpy
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tests.docs.blocks import ROOT, blocks, marked


@pytest.fixture(scope="module")
def case():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", list(sys.path))  # it adds folders to it
        yield runpy.run_path(str(ROOT / "tools/draw_the_case.py"))


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def test_the_caption_says_what_the_results_say(case):
    header, *lines = [line.split("|") for line in case["flagship"].summary_lines()]
    wins = next(line for line in lines if "better : worse, error" in "|".join(line))
    better, worse = re.findall(r"\d+", dict(zip(header, wins, strict=True))[" RF "])
    n_tables, n_sets = len(case["ratios"]()), len(case["flagship"].set_by_set())
    evidence, readme = read("docs/evidence/flagship.md"), read("README.md")
    assert f"On the {n_sets} data sets below: yes." in evidence
    assert f"than those of CatBoost on {n_tables} of the data sets" in evidence
    p_values = [cell.strip() for line in lines if line[1].startswith(" Wilcoxon") for cell in line[3:-1]]
    assert set(p_values) == {"< .001"}, "the page says p below .001"
    for page in ("docs/index.md", "docs/evidence/index.md"):
        assert f"on {n_sets} data sets (CatBoost on {n_tables})" in read(page)
    assert f"errors on {n_tables} tables" in readme
    assert f"fewer errors than the random forest on {better} tables and more on {worse}." in readme


@pytest.mark.slow
def test_pictures_are_what_their_programs_draw(case, tmp_path):
    import delgado2014
    import smalldata

    for name, draw in (("case", case["draw"]), ("classifiers", delgado2014.draw), ("smalldata", smalldata.draw)):
        draw(tmp_path / f"{name}.png")
        kept, drawn = (plt.imread(folder / f"{name}.png") for folder in (ROOT / "docs/images", tmp_path))
        assert np.array_equal(kept, drawn), f"docs/images/{name}.png is stale"


def test_the_picture_of_the_report_shows_the_answer_of_the_page():
    from PIL import Image

    (answer,) = (b.text for b in blocks("docs/start/study.md") if marked(b, "printed by"))
    with Image.open(ROOT / "docs/images/report.png") as picture:
        assert picture.text["Description"].splitlines() == answer.partition("\n\n")[0].splitlines()


@pytest.mark.parametrize(
    ("name", "kind", "n"), [("classifiers", "ranked", 186), ("tuned", "all", 11), ("regressors", "all", 25)]
)
def test_a_sentence_on_other_methods_is_of_the_numbers_that_are_kept(case, name, kind, n):
    table = importlib.import_module(f"tables.{name}")
    assert table.place() in read("README.md")
    ranks = table.numbers("ranks", kind)
    assert len(ranks) == n
    assert ranks["rank"].mean() == pytest.approx((n + 1) / 2), "ranks of all methods average to the middle"
