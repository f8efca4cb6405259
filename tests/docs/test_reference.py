"""The reference lists what is public, and what the site makes of the project is sound."""

import importlib
import inspect
import re
import sys

import pandas as pd
import pytest
from tests.docs.blocks import PAGES, ROOT

sys.path.insert(0, str(ROOT / "docs"))
api, choosing, commands, drawings, evidence, links, papers, parts, results, rules, schema, studies, tables = (
    importlib.import_module(f"_site.{name}")
    for name in (
        "api", "choosing", "commands", "drawings", "evidence", "links", "papers", "parts", "results", "rules", "schema",
        "studies", "tables",
    )
)  # fmt: skip

LINK = re.compile(r"\]\(([^)\s]+)\)")
GENERATED = ("gallery", "reference/api")
"""Folders of pages that the site's build writes."""


def test_every_public_name_is_in_the_reference():
    objects = api.public_objects()
    listed = {name for names in api.listed().values() for name in names}
    left_out = [name for name in objects if api.reference_name(name, objects) not in listed]
    assert not left_out, f"add to GROUPS or TITLES of docs/_site/api.py: {', '.join(left_out)}"


def test_the_packages_of_public_names_are_all_that_hand_names_on():
    found = set()
    for file in (ROOT / "src/rotastack").rglob("__init__.py"):
        package = ".".join(("rotastack", *file.parent.relative_to(ROOT / "src/rotastack").parts))
        if "lazy_loader.attach" in file.read_text():
            found.add(package)
    assert found == set(api.PACKAGES)


def test_public_names_have_docstrings_and_one_place():
    objects = api.public_objects()
    names = [name for names in api.listed().values() for name in names]
    assert len(names) == len(set(names))
    assert all(inspect.getdoc(objects[name]) for name in names)
    assert not [name for name in names if not api._first_line(objects[name]).endswith(".")]


def test_every_command_and_option_is_in_the_reference():
    text = commands.page("")
    for name, parser in commands.parsers().items():
        assert f"## `{name}`" in text
        for action in parser._actions:
            assert action.dest == "help" or all(option in text for option in action.option_strings)


@pytest.mark.parametrize(
    "text",
    [
        commands.page(""),
        commands.steps(""),
        schema.page(""),
        api.overview(""),
        papers.agreement(""),
        papers.claims(""),
        papers.costs(""),
    ],
)
def test_rows_of_generated_tables_have_as_many_cells_as_their_head(text):
    for table in re.findall(r"(?:^\|.*\n)+", text + "\n", re.M):
        head, *rows = table.splitlines()
        assert not [row for row in rows if len(re.split(r"(?<!\\)\|", row)) != len(head.split("|"))]


def test_every_key_of_studies_is_in_the_reference():
    text = schema.page("")
    found = schema.documents()
    assert {"StudyDocument", "Pool", "Method", "Evaluation", "OwnDataset"} <= set(found)
    for document in found.values():
        assert all(f"| `{key}` |" in text for key in document.get("properties", {}))
    anchors = set(re.findall(r"^\(([\w-]+)\)=$", text, re.M))
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= anchors


def test_every_study_is_in_the_reference():
    text = studies.page("")
    assert all(f"## `{file.stem}`" in text for file in (ROOT / "config/studies").glob("*.yaml"))


@pytest.mark.parametrize("page", PAGES)
def test_links_within_the_repository_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(), flags=re.M | re.S)
    for target in LINK.findall(text):
        path, _, _ = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            continue
        file = ((ROOT / page).parent / path).resolve()
        made = any(file.is_relative_to(ROOT / "docs" / folder) for folder in GENERATED)
        assert made or file.exists(), target


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_in_the_tree_and_has_one_title(page):
    file = ROOT / page
    if file.is_relative_to(ROOT / "docs"):
        text = re.sub(r"^```.*?^```", "", file.read_text(), flags=re.M | re.S)
        assert len(re.findall(r"^# ", text, re.M)) == 1


@pytest.mark.slow
def test_parts_of_pages_are_made():
    used = {name for page in PAGES for kind, name in parts.MARK.findall((ROOT / page).read_text()) if kind == "part"}
    assert used == set(parts.PARTS)
    for page in PAGES:
        if page.startswith("docs/"):
            docname = page.removeprefix("docs/").removesuffix(".md")
            text = parts.filled((ROOT / page).read_text(), docname)
            assert not parts.MARK.search(text), page


def test_links_of_files_that_are_shown_elsewhere_lead_to_pages():
    text = "[a](docs/how-to/study.md#x) ![b](docs/images/pool.svg) [c](https://d.e) [f](CONTRIBUTING.md)\n```\n[g](docs/h.md)\n```\n"
    found = links.relinked(text, ROOT, "reference/api")
    assert found == (
        "[a](../how-to/study.md#x) ![b](../images/pool.svg) [c](https://d.e) [f](../how-to/contribute.md)\n```\n[g](docs/h.md)\n```\n"
    )


def test_a_rule_finds_the_question_that_parts_two_methods():
    facts = pd.DataFrame({"rows": range(40), "noise": [3, 1, 4, 1] * 10}, index=[f"d{i}" for i in range(40)])
    ranks = pd.DataFrame({"A": [1] * 20 + [2] * 20, "B": [2] * 20 + [1] * 20}, index=facts.index)
    node = rules.grow(ranks, facts, 1)
    assert node.fact == "rows"
    assert (rules.chosen(node, facts.iloc[0]), rules.chosen(node, facts.iloc[-1])) == ("A", "B")
    assert rules.left_out_rank(ranks, facts, 0) > rules.left_out_rank(ranks, facts, 1)
    same = pd.DataFrame({"A": [1] * 40, "B": [2] * 40}, index=facts.index)
    assert rules.grow(same, facts, 2).fact is None


def test_kept_results_are_those_of_their_pages():
    errors = results.set_by_set()
    assert errors.loc["hill-valley-clean", "Rotastack"] == 0.001
    assert len(errors) == 57
    assert errors.dropna()["RotF"].mean() == pytest.approx(0.122, abs=1e-3)
    assert results.times_to_fit()["RF"] == 1
    assert set(errors.index) <= set(results.facts().index)


def test_tables_of_results_say_how_they_were_made_and_are_shown():
    used = [name for page in PAGES for kind, name in parts.MARK.findall((ROOT / page).read_text()) if kind == "table"]
    assert sorted(used) == tables.names()
    for name in used:
        made, _ = tables.rows(name)
        assert f"*Numbers: {made}.*" in tables.table(name)
    with pytest.raises(FileNotFoundError):
        tables.table("no-such-table")


def test_drawings_are_as_they_are_drawn():
    for name, draw in drawings.DRAWINGS.items():
        assert (ROOT / f"docs/images/{name}.svg").read_text() == str(draw()), "python docs/_site/drawings.py"


STUDIES_OF_PAPERS = sorted({file.name.partition(".")[0] for file in papers.DATA.glob("*.published.parquet")})


@pytest.mark.parametrize("study", STUDIES_OF_PAPERS)
def test_printed_cells_stand_beside_ours_and_each_that_differs_has_its_reason(study):
    cells = papers.cells(study)
    text = papers.printed(study)
    for row in cells.itertuples():
        shown = f"{papers._number(row.ours, row.metric)} ({papers._number(row.published, row.metric)})"
        assert (f"**{papers._number(row.ours, row.metric)}** (" if row.agrees is False else shown) in text
    counted = sum(int(n) for n in re.findall(r"^- (\d+) cells? \(", text, re.M))
    assert counted == cells["agrees"].eq(False).sum()


def test_every_study_of_a_paper_is_condensed_with_what_it_tests():
    assert set(STUDIES_OF_PAPERS) <= {file.stem for file in (ROOT / "config/published").glob("*.csv")}
    assert all(papers.is_run(study) for study in STUDIES_OF_PAPERS)
    assert papers.tested("no_study") == papers.NOT_RUN
    for file in papers.DATA.glob("*.claims.csv"):
        study = file.name.partition(".")[0]
        asked = studies.known()[study]["evaluation"].get("claims", [])
        assert len(pd.read_csv(file)) == len(asked), study
        assert papers.means(study).iloc[-1]["mean"] > 0


def test_sizes_that_are_given_are_no_cells():
    given = "metric == 'members' and method == 'Kappa RF full'"
    assert len(pd.read_parquet(papers.DATA / "qmm.published.parquet").query(given)) == 10
    assert not len(papers.cells("qmm").query(given))


def test_errors_of_the_exclusivity_machine():
    assert "| SVM with the same lambda | 27.4 |" in evidence.exrm_squared("")
