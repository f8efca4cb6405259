"""The leaderboard in a browser: it sorts, and shows the board and the control that a reader chooses."""

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.keys import Keys
from tests.judge.leaderboard_page import leaderboard_page, ranked

pytestmark = pytest.mark.slow

HOSTILE = ["<script>alert(1)</script>", "</script><!--<b>", "a & b \"c\" 'd'", "{{ 7 * 7 }}"]
METHODS = ["RF", "RRE", "S-RRE/RF", "XGB", *HOSTILE, "long" * 30]
CHOOSE = "const s = document.getElementById(`board-${args[0]}`); s.value = args[1]; s.dispatchEvent(new Event('change', {bubbles: true}))"


def random_errors(n, methods, holes=()):
    rng, k = np.random.default_rng(5), len(methods)
    errors = rng.beta(2, 8, (n, 1)) * np.exp(rng.normal(0, 0.2, (n, k)) + np.linspace(0, 0.3, k))
    for hole in holes:
        errors[hole] = np.nan
    return pd.DataFrame(errors.round(3), [f"data {i}" for i in range(n)], methods)


@pytest.fixture(scope="module")
def content():
    errors = random_errors(11, METHODS, [(2, 1), (2, 4), (7, 5)])
    seconds = {"fit": pd.DataFrame(np.random.default_rng(6).uniform(0.1, 9, errors.shape), errors.index, METHODS)}
    about = {"seconds": seconds, "optimistic": ["XGB"]}
    return {
        "error": ranked(errors, spread=errors / 10, **about),
        "accuracy": ranked(1 - errors.round(2), True, **about),
        "Brier score": ranked(2 * errors.drop(columns="RRE").reindex(columns=METHODS) ** 1.1, **about),
    }


@pytest.fixture(scope="module")
def page(tmp_path_factory, content):
    """A page with several scores, controls and times."""
    file = tmp_path_factory.mktemp("page") / "leaderboard.html"
    text = leaderboard_page(content, title="A <title>", rotated=["RRE"], optimistic=["XGB"])
    file.write_text(text, encoding="utf-8")
    return file


def column(browser, number, table=".board:not([hidden])"):
    """Return the texts of a column of a table's body."""
    rows = "[...document.querySelectorAll(`${args[0]} tbody tr`)]"
    return browser.run(f"return {rows}.map(r => r.cells[args[1]]?.textContent.trim())", table, number)


def test_it_opens_without_complaint_asks_nobody_and_needs_no_script(browser, page):
    """With scripts and without, the tables have the same texts; only controls need scripts."""
    texts = []
    for scripts in (False, True):
        browser.open(page, scripts=scripts)
        rows = browser.driver.find_elements("css selector", ".board:not([hidden]) tbody tr, #board-scores tbody tr")
        texts.append([" ".join(row.text.split()) for row in rows])
        assert browser.find(".controls").is_displayed() == scripts
    assert texts[0] == texts[1]
    assert len(texts[0]) == 8 + 11
    assert browser.complaints() == browser.requests() == []
    assert {name for name in HOSTILE for text in column(browser, 0) if text.startswith(name)} == {*HOSTILE}
    assert browser.find(".board:not([hidden]) > p").text.startswith("Error of 8 methods on 9 data sets. Left out")


def test_a_score_and_a_control_are_chosen(browser, page, content):
    browser.open(page)
    for score, control in ((1, 0), (1, 4), (0, 2), (2, 1)):
        browser.run(CHOOSE, "score", str(score))
        browser.run(CHOOSE, "control", str(control))
        board = [*content.values()][score]
        names, against = board["methods"], board["controls"][control]
        rows = [column(browser, number)[: len(names)] for number in (0, 1, 4, 5, 6)]
        for m, first, rank, games, _, time in zip(names, *rows, strict=True):
            assert first.startswith(m)
            assert float(rank.split()[0]) == round(board["ranks"]["mean"][m], 2)
            compared = m != against and against in board["wins"]
            assert games.startswith(f"{board['wins'][m][against]} / " if compared else "–")
            assert float(time) == pytest.approx(board["times"]["fit"][m][against], rel=0.06)
        assert any(p != "–" for p in rows[3]) == (control == 0), "tests are against the study's control alone"
    assert "no score on these data sets" in column(browser, 1), "RRE has no Brier score"
    assert browser.complaints() == []


def test_tables_sort(browser, page):
    browser.open(page)
    ranks = [float(text.split()[0]) for text in column(browser, 1)]
    assert ranks == sorted(ranks)
    for number, falling in ((2, False), (2, True), (1, False), (5, False)):
        browser.driver.find_elements("css selector", ".board:not([hidden]) thead button")[number].send_keys(Keys.ENTER)
        order = browser.find(".board:not([hidden]) [aria-sort]").get_attribute("aria-sort")
        assert order == ("descending" if falling else "ascending")
        texts = [text.removeprefix("< ").split()[0] for text in column(browser, number)]
        known = [float(text) for text in texts if text != "–"]
        assert known == sorted(known, reverse=falling)
        assert "–" not in texts[: len(known)], "what is missing stays last"


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1400, False)])
def test_nothing_is_wider_than_the_window_and_all_is_readable(browser, page, width, dark):
    browser.open(page, width=width, dark=dark)
    for script in ("", "document.querySelectorAll('details').forEach(d => (d.open = true));"):
        assert browser.run(f"{script} return document.documentElement.scrollWidth") <= width
    # Contrast of text and page, as WCAG computes it
    contrast = browser.run(
        """
        const light = (c) => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                               return .2126 * r + .7152 * g + .0722 * b; };
        const back = light(getComputedStyle(document.body).backgroundColor);
        return ['body', '.board caption', '.board small', '.board .tag', '.board button'].map(s => light(getComputedStyle(document.querySelector(s)).color))
          .map(front => (Math.max(front, back) + .05) / (Math.min(front, back) + .05));
        """
    )
    assert min(contrast) >= 4.5
