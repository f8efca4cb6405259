"""The leaderboard in a browser: the tests of the first view, and descriptions of what a reader chooses."""

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.keys import Keys
from tests.judge.leaderboard_page import leaderboard_page

from rotastack.stats import average_ranks, improvability, wilcoxon_holm, win_matrix
from rotastack.workflow.judge.leaderboard import Metric, leaderboard

pytestmark = pytest.mark.slow

HOSTILE = ["<script>alert(1)</script>", "</script><!--<b>", "a & b \"c\" 'd'", "{{ 7 * 7 }}"]
METHODS = ["RF", "RRE", "S-RRE/RF", "XGB", *HOSTILE, "long" * 30]
CLOSE = {"rtol": 1e-9, "atol": 1e-9}
SORTED = "return [...document.querySelectorAll('#board [data-sort]')].map(b => b.dataset.sort)"


def random_errors(n, methods, holes=()):
    rng = np.random.default_rng(5)
    k = len(methods)
    errors = rng.beta(2, 8, (n, 1)) * np.exp(rng.normal(0, 0.2, (n, k)) + np.linspace(0, 0.3, k))
    table = pd.DataFrame(errors.round(3), [f"data {i}" for i in range(n)], methods)
    for i, j in holes:
        table.iloc[i, j] = np.nan
    return table


@pytest.fixture(scope="module")
def errors():
    return random_errors(11, METHODS, [(2, 1), (2, 4), (7, 5)])


@pytest.fixture(scope="module")
def metrics(errors):
    brier = Metric("brier", "Brier score", False, 2 * errors**1.1, optimum=0.0)
    return [
        Metric("error", "error", False, errors, spread=errors / 10, optimum=0.0),
        Metric("accuracy", "accuracy", True, 1 - errors.round(2), optimum=1.0),
        brier,
    ]


@pytest.fixture(scope="module")
def times(errors):
    seconds = np.random.default_rng(6).uniform(0.1, 9, errors.shape)
    return {"fit": pd.DataFrame(seconds, errors.index, errors.columns).mask(errors.isna())}


@pytest.fixture(scope="module")
def content(metrics, times, errors):
    cells = {
        "word": "splits", "counts": errors.notna() * 9.0, "seed": 42, "study": "it's a study",
        "folders": [f"results/s/{d}" for d in errors.index], "files": [f"m{j}" for j in range(len(METHODS))],
    }  # fmt: skip
    about = {m: {"about": f"pool: {m}", "rotated": m == "RRE", "optimistic": m == "XGB"} for m in METHODS}
    return leaderboard(metrics, "RF", times=times, methods=about, cells=cells)


@pytest.fixture(scope="module")
def page(tmp_path_factory, content):
    """A page with several scores, times and the details of each number."""
    file = tmp_path_factory.mktemp("page") / "leaderboard.html"
    file.write_text(leaderboard_page(content, title="A <title>"), encoding="utf-8")
    return file


def column(browser, table, number):
    """Return the texts of a column of a table's body."""
    return browser.run(
        "return [...document.querySelectorAll(`${args[0]} tbody tr`)].map(r => r.cells[args[1]].textContent)",
        table,
        number,
    )


def computed(browser, action):
    """Change the view, wait for the new numbers, and return the board."""
    browser.run(f"window.before = board; {action}")
    browser.wait("board !== window.before")
    return browser.run("return board")


def pressed(browser, choice, text):
    """Press a button of the choice of data sets (0) or methods (1); return the board."""
    buttons = f"[...document.querySelectorAll('.choice')[{choice}].querySelectorAll('button')]"
    return computed(browser, f"{buttons}.find(b => b.textContent === {text!r}).click()")


def assert_tested(found, expected):
    """The board has the numbers of Python's board, its tests and intervals too."""
    assert {key: found[key] for key in expected} == expected


def assert_described(found, metric, methods, datasets, control, pairs=False):
    """The board describes a choice as rotastack.stats does, and has no test and no interval."""
    wide = metric.scores.loc[datasets, methods]
    block, higher = wide.dropna(), metric.higher_is_better
    names, places = list(metric.scores), list(metric.scores.index)
    assert found["methods"] == [names.index(m) for m in methods]
    assert found["datasets"] == [places.index(d) for d in block.index]
    paired = wide if pairs else block
    np.testing.assert_allclose(found["ranks"]["mean"], average_ranks(block, higher), **CLOSE)
    np.testing.assert_allclose(np.array(found["wins"], dtype=float), win_matrix(paired, higher, "pairs"), **CLOSE)
    if metric.optimum is not None:
        gaps = improvability(block, higher, optimum=metric.optimum).mean()
        np.testing.assert_allclose(found["gap"]["mean"], gaps, **CLOSE)
    counts = wilcoxon_holm(paired, control, higher, missing="pairs")[["wins", "ties", "losses"]]
    assert dict(zip(methods, found["against"], strict=True)) == {**counts.to_dict("index"), control: None}
    assert "elo" not in found
    assert "tests" not in found
    assert "lower" not in found["ranks"]


def test_errors_and_requests_are_seen(browser, tmp_path):
    """What the other tests assume of the browser."""
    file = tmp_path / "page.html"
    file.write_text("<img src='http://example.org/a.png' alt=''><script>throw new Error('a fault')</script>")
    browser.open(file)
    said = browser.complaints()
    assert any("a fault" in line for line in said)
    assert any("ERR_NAME_NOT_RESOLVED" in line for line in said)  # the request failed
    assert browser.requests() == ["http://example.org/a.png"]


def test_it_opens_without_complaint_and_asks_nobody(browser, page):
    browser.open(page)
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.find("h1").text == "A <title>"
    assert browser.find(".verdict p:first-child").text == "First & foremost <b>."
    shown = column(browser, "#board", 0)
    for name in HOSTILE:
        assert any(text.startswith(name) for text in shown), name
    assert browser.find("#board-status").text.startswith("Error of 8 methods on 9 data sets. Left out")


def test_scripts_show_what_was_written_before_them(browser, page):
    """The tables of Python and of the scripts have the same texts, row by row; controls need scripts."""
    texts = []
    for scripts in (False, True):
        browser.open(page, scripts=scripts)
        rows = browser.driver.find_elements("css selector", "#board tbody tr, #board-scores tbody tr")
        texts.append([" ".join(row.text.split()) for row in rows])
        assert browser.find("#board-controls").is_displayed() == scripts
    assert texts[0] == texts[1]
    assert len(texts[0]) == 8 + 11


def test_figures_show_the_board(browser, page, content):
    """A mark for each method, a cell for each pair, the front of quality against time; numbers in all attributes."""
    browser.open(page)
    k = len(content["boards"][0]["methods"])
    for width in (390, 1400):
        browser.resize(width)
        browser.wait(f"document.querySelector('#board-ranks svg').width.baseVal.value === {min(860, width - 26)}")
        for place in ("#board-ranks", "#board-pareto-fit"):
            marks = browser.driver.find_elements("css selector", f"{place} .dot title, {place} rect title")
            assert len(marks) == k
        wins = browser.driver.find_elements("css selector", ".wins tbody td.won, .wins tbody td.lost")
        assert len(wins) == k * (k - 1)
        assert "NaN" not in browser.run("return [...document.querySelectorAll('svg')].map(s => s.outerHTML).join('')")
    ranks, times = np.array(content["boards"][0]["ranks"]["mean"]), np.array(content["boards"][0]["fit"])
    beaten = [any((ranks <= r) & (times <= t) & ((ranks < r) | (times < t))) for r, t in zip(ranks, times, strict=True)]
    path = browser.find("#board-pareto-fit .front").get_attribute("d")
    assert path.count("L") + 1 == beaten.count(False)


def test_choices_are_described_and_only_the_first_view_is_tested(browser, page, metrics, errors, content):
    browser.open(page)
    fair = [m for m in METHODS if m != "XGB"]
    found = browser.run("return board")
    assert_tested(found, content["boards"][0])
    assert len(found["datasets"]) == 9
    status = "document.getElementById('board-status').textContent"
    hidden = "shown for the first view only: whoever picks until a test is significant finds one."
    assert "Friedman's test, p" in browser.run(f"return {status}")
    assert hidden not in browser.run(f"return {status}")
    assert {"elo", "p"} < set(browser.run(SORTED))

    box = "[...document.querySelectorAll('.choice')][{}].querySelectorAll('input[type=checkbox]')[{}].click()"
    some = [d for i, d in enumerate(errors.index) if i not in (0, 4)]
    computed(browser, box.format(0, 0))
    assert_described(computed(browser, box.format(0, 4)), metrics[0], fair, some, "RF")
    assert f"Tests, intervals and Elo are {hidden}" in browser.run(f"return {status}")
    assert "Friedman" not in browser.run(f"return {status}")
    assert not {"elo", "p"} & set(browser.run(SORTED))
    assert not browser.driver.find_elements("css selector", "#board small, #board-ranks .interval")
    computed(browser, box.format(1, 1))
    found = computed(browser, box.format(1, 3))  # one that is not ranked unless it is asked for
    chosen = [m for m in METHODS if m != "RRE"]
    assert_described(found, metrics[0], chosen, some, "RF")

    select = "const s = document.querySelectorAll('.controls select')[{}]; s.value = {}; s.dispatchEvent(new Event('change'))"
    assert_described(computed(browser, select.format(1, 4)), metrics[0], chosen, some, HOSTILE[0])
    assert_described(computed(browser, select.format(2, 1)), metrics[0], chosen, some, HOSTILE[0], pairs=True)
    assert_described(computed(browser, select.format(0, 1)), metrics[1], chosen, some, HOSTILE[0], pairs=True)
    assert len(column(browser, "#board-scores", 0)) == len(some)

    address = browser.driver.current_url
    assert "datasets=1%2C2%2C3%2C5" in address
    found = computed(browser, "document.querySelector('.controls > button').click()")
    assert_tested(found, content["boards"][0])
    assert_tested(computed(browser, select.format(0, 1)), content["boards"][1])  # all scores have tests
    found = computed(browser, select.format(1, 4))
    assert found["elo"] == content["boards"][1]["elo"]
    assert f"p-values are {hidden}" in browser.run(f"return {status}")
    assert "p" not in browser.run(SORTED)
    browser.open("about:blank")
    browser.open(address)
    assert_described(browser.run("return board"), metrics[1], chosen, some, HOSTILE[0], pairs=True)
    assert browser.complaints() == []


def test_little_is_left(browser, page, metrics):
    """With no method, one method or one data set, a sentence replaces the numbers."""
    browser.open(page)
    box = "[...document.querySelectorAll('.choice')][{}].querySelectorAll('input[type=checkbox]')[{}].click()"
    pressed(browser, 0, "none")
    assert browser.find("#board-status").text == "Choose at least two methods with scores."
    found = computed(browser, box.format(0, 3))
    fair = [m for m in METHODS if m != "XGB"]
    assert_described(found, metrics[0], fair, ["data 3"], "RF")
    pressed(browser, 1, "none")
    computed(browser, box.format(1, 0))
    assert browser.find("#board-status").text == "Choose at least two methods with scores."
    assert browser.complaints() == []


def test_tables_sort(browser, page):
    browser.open(page)
    ranks = [float(text.split()[0]) for text in column(browser, "#board", 1)]
    assert ranks == sorted(ranks)
    for key, number, falling in (("elo", 2, True), ("elo", 2, False), ("gap", 3, False)):
        button = browser.find(f"[data-sort={key}]")
        button.send_keys(Keys.ENTER)
        head = browser.find(f"th:has([data-sort={key}])")
        assert head.get_attribute("aria-sort") == ("descending" if falling else "ascending")
        values = [float(text.split()[0]) for text in column(browser, "#board", number)]
        assert values == sorted(values, reverse=falling)
        assert browser.run("return document.activeElement.dataset.sort") == key
    assert len(browser.driver.find_elements("css selector", "[aria-sort]")) == 1


def test_a_number_opens_its_cell_by_keyboard(browser, page, errors):
    browser.open(page)
    browser.run("document.querySelector('#board-scores td[tabindex]').focus()")
    keyboard = browser.driver.switch_to.active_element
    keyboard.send_keys(Keys.ARROW_DOWN)
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    dialog = browser.find("dialog")
    assert dialog.is_displayed()
    text = dialog.text
    assert "RRE on data 1" in text
    assert f"{errors.loc['data 1', 'RRE']:.4f}, standard deviation" in text
    assert "results/s/data 1/methods/m1.nc" in text
    assert "tags.study = \"it's a study\" and tags.dataset = 'data 1' and tags.method = 'RRE'" in text
    assert "pool: RRE" in text
    assert "42" in text
    browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not dialog.is_displayed()
    assert browser.run("return document.activeElement.tagName") == "TD"
    browser.find("#board tbody tr:first-child button.link").click()
    assert "pool: " in browser.find("dialog").text
    assert browser.complaints() == []


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1400, False)])
def test_nothing_is_wider_than_the_window_and_all_is_readable(browser, page, width, dark):
    browser.open(page, width=width, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    browser.run("document.querySelectorAll('details').forEach(d => (d.open = true))")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    # Contrast of text and page, as WCAG computes it
    contrast = browser.run(
        """
        const light = (c) => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                               return .2126 * r + .7152 * g + .0722 * b; };
        const back = light(getComputedStyle(document.body).backgroundColor);
        return ['body', '#board caption', '#board small', '#board .tag', '#board .link'].map(s => light(getComputedStyle(document.querySelector(s)).color))
          .map(front => (Math.max(front, back) + .05) / (Math.min(front, back) + .05));
        """
    )
    assert min(contrast) >= 4.5
    names = browser.run(
        "return [...document.querySelectorAll('input, select, button, svg')].map(e => e.ariaLabel || e.textContent || e.closest('label')?.textContent || '')"
    )
    assert all(names)
    heads = browser.run("return [...document.querySelectorAll('th')].every(th => th.scope)")
    assert heads


def test_groups_of_methods_and_of_data_sets(browser, tmp_path):
    """Published methods join by the choice of the reader, and so do data sets that are left out."""
    names = [f"method {j}" for j in range(14)]
    metric = Metric("error", "error", False, random_errors(15, names))
    printed = {
        n: {"published": "A book. How the protocol differs: one split.", "family": "trees" if j % 2 else "rules"}
        for j, n in enumerate(names)
        if j > 2
    }
    kinds = {"small": ["data 0", "data 1", "data 2", "data 3"], "large": [f"data {i}" for i in range(4, 15)]}
    content = leaderboard([metric], "method 0", methods=printed, left_out=["data 3", "data 9"], kinds=kinds)
    page = tmp_path / "groups.html"
    page.write_text(leaderboard_page(content), encoding="utf-8")
    browser.open(page)
    ranked = [f"data {i}" for i in range(15) if i not in (3, 9)]
    assert_tested(browser.run("return board"), content["boards"][0])
    assert content["boards"][0]["datasets"] == [i for i in range(15) if i not in (3, 9)]
    assert len(column(browser, "#board-scores", 0)) == 15  # all data sets have their scores at first
    browser.run("document.querySelector('#board-scores tbody').rows[4].cells[1].click()")
    assert browser.find("dialog h3").text == "method 0 on data 4"
    browser.find("dialog button").click()

    trees = [n for j, n in enumerate(names) if j <= 2 or j % 2]
    assert_described(pressed(browser, 1, "own and trees"), metric, trees, ranked, "method 0")
    assert any("published" in text for text in column(browser, "#board", 0))
    browser.driver.find_element("xpath", "//table[@id='board']//button[text()='method 3']").click()
    assert "How the protocol differs: one split." in browser.find("dialog").text
    browser.find("dialog button").click()
    small = ["data 0", "data 1", "data 2"]
    assert_described(pressed(browser, 0, "small"), metric, trees, small, "method 0")
    assert_described(pressed(browser, 0, "as at first"), metric, trees, ranked, "method 0")
    search = browser.driver.find_elements("css selector", ".choice input[type=search]")[1]
    browser.run("document.querySelectorAll('.choice')[1].open = true")
    search.send_keys("method 1")  # and 10 to 13: a group is chosen among the names that are found
    rest = [n for n in trees if "method 1" not in n]
    assert_described(pressed(browser, 1, "none"), metric, rest, ranked, "method 0")
    back = computed(
        browser, "[...document.querySelectorAll('.choice')][0].querySelectorAll('input[type=checkbox]')[3].click()"
    )
    assert back["datasets"] == [i for i in range(15) if i != 9]
    assert "datasets=0%2C1%2C2%2C3%2C4" in browser.run("return location.hash")
    assert browser.complaints() == []


def test_180_methods_on_121_data_sets(browser, tmp_path):
    errors = random_errors(121, [f"method {j}" for j in range(180)])
    page = tmp_path / "large.html"
    metric = Metric("score", "error", False, errors, optimum=0)
    content = leaderboard([metric], "method 3")
    html = leaderboard_page(content)
    page.write_text(html, encoding="utf-8")
    assert len(html) < 10e6
    browser.open(page)
    assert_tested(browser.run("return board"), content["boards"][0])
    found = computed(
        browser, "[...document.querySelectorAll('.choice')][0].querySelectorAll('input[type=checkbox]')[5].click()"
    )
    assert_described(found, metric, list(errors), list(errors.index.drop("data 5")), "method 3")
    assert len(column(browser, "#board", 0)) == 180
    assert len(column(browser, "#board-scores", 0)) == 120
    assert browser.complaints() == []
