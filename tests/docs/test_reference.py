"""The reference lists what is public, and tables of the site are those of the results that are kept."""

import importlib
import inspect
import re
import sys

import pandas as pd
import pytest
import yaml
from tests.docs.blocks import PAGES, ROOT

from rotastack.workflow.run.modules import STEPS
from rotastack.workflow.study.model import StudyDocument

sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tools")]
make_tables, public_names = importlib.import_module("make_tables"), importlib.import_module("public_names")
flagship_sets = importlib.import_module("flagship_sets")
choosing = importlib.import_module("tables.choosing")

LINK = re.compile(r"\]\(([^)\s]+)\)")
GENERATED = ("gallery", "reference/api")
"""Folders of pages that the site's build writes."""


def listed(page, directive):
    """Return the names below a directive of a page, in their order."""
    blocks = re.findall(rf"^\.\. {directive}::\n((?:[ ]+.*\n|\n)+)", (ROOT / "docs/reference" / page).read_text(), re.M)
    return [name for block in blocks for name in re.findall(r"^ +([\w.]+)$", block, re.M)]


def test_every_public_name_has_a_page_and_a_docstring():
    objects = public_names.public_objects()
    names = listed("api.md", "autosummary")
    assert len(names) == len(set(names))
    assert set(names) == set(objects)
    first_lines = {name: inspect.getdoc(objects[name]).partition("\n\n")[0] for name in names}
    assert not [name for name, line in first_lines.items() if not line.endswith(".")]


def test_the_packages_of_public_names_are_all_that_hand_names_on():
    src = ROOT / "src"
    files = [file for file in (src / "rotastack").rglob("__init__.py") if "lazy_loader.attach" in file.read_text()]
    assert {".".join(file.parent.relative_to(src).parts) for file in files} == set(public_names.PACKAGES)


def test_every_mapping_of_a_study_is_in_the_reference():
    text = (ROOT / "docs/reference/study-keys.md").read_text()
    mappings = re.findall(r"autopydantic_model:: [\w.]+\.(\w+)$", text, re.M)
    assert set(mappings) == {"StudyDocument", *StudyDocument.model_json_schema()["$defs"]}


def test_every_study_and_step_is_in_the_reference():
    text = (ROOT / "docs/reference/studies.md").read_text()
    for file in (ROOT / "config/studies").glob("*.yaml"):
        assert f"## `{file.stem}`" in text
        assert yaml.safe_load(file.read_text())["title"].rstrip(".") in text
    assert listed("artifacts.md", "autosummary") == list(STEPS.values())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_title_and_its_links_within_the_repository_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.M | re.S)
    assert len(re.findall(r"^# ", text, re.M)) == 1
    for target in LINK.findall(text):
        path, _, _ = target.partition("#")
        if path and not re.match(r"[a-z]+:", path):
            file = ((ROOT / page).parent / path).resolve()
            made = any(file.is_relative_to(ROOT / "docs" / folder) for folder in GENERATED)
            assert made or file.exists(), target


KEPT = {file.stem: file.read_text(encoding="utf-8") for file in make_tables.FOLDER.glob("*.md")}
GROWN = ("tree", "worth")
"""Tables of choices that take half a minute: trees are grown without each data set in turn."""


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("name", GROWN)
def test_tables_of_choices_are_those_of_the_results(name):
    assert choosing.TABLES[name]().strip() == KEPT[f"choosing-{name}"].strip(), "python benchmarks/make_tables.py"


@pytest.mark.slow
def test_tables_are_those_of_the_results_and_are_shown(monkeypatch):
    for name in GROWN:
        monkeypatch.setitem(choosing.TABLES, name, lambda name=name: KEPT[f"choosing-{name}"])
    made = make_tables.tables()
    assert {name: text.strip() for name, text in made.items()} == {name: text.strip() for name, text in KEPT.items()}
    pages = "".join((ROOT / page).read_text() for page in PAGES)
    assert set(re.findall(r"^```{include} .*tables/([\w-]+)\.md$", pages, re.M)) == set(made)
    for table in re.findall(r"(?:^\|.*\n)+", "\n\n".join(made.values()) + "\n", re.M):
        assert len({len(re.split(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1, table


@pytest.mark.slow
def test_the_means_set_by_set_are_of_the_scores_that_are_kept():
    made = flagship_sets.means(pd.read_parquet(flagship_sets.SCORES))
    assert flagship_sets.MEANS.read_text(encoding="utf-8") == made, "benchmarks/flagship_sets.py --table"
