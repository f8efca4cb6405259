"""ROC and precision-recall curves of a report, and the threshold that a reader moves."""

import numpy as np
import pytest

from rotastack.stats.calibration import confusion, threshold_counts
from rotastack.workflow.judge.pages import page_environment
from rotastack.workflow.run.steps.report import _shares

pytestmark = pytest.mark.slow

PAGE = """<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width">{% include "style.html.j2" %}{% include "leaderboard_style.html.j2" %}</head>
<body>{% from "report_decisions.html.j2" import decided with context %}{{ decided(d) }}
<script>{{ "statistics.js"|source }}</script><script>{{ "page.js"|source }}</script></body></html>"""


LONG = """<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width">{% include "style.html.j2" %}</head>
<body><header><h1>t</h1></header><nav><a href="#end">end</a></nav><main><div class="scroll"><table><tr>{% for k in range(90) %}<td>{{ k }}000</td>
{% endfor %}</tr></table></div><div style="height: 9000px"></div><h2 id="end">end</h2></main></body></html>"""


@pytest.mark.parametrize(("width", "dark"), [(390, True), (1400, False)])
def test_links_stay_on_a_long_page_and_wide_tables_show_that_they_scroll(browser, tmp_path, width, dark):
    (tmp_path / "page.html").write_text(page_environment().from_string(LONG).render(), encoding="utf-8")
    browser.open(tmp_path / "page.html", width=width, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    shades = browser.run("return getComputedStyle(document.querySelector('.scroll')).backgroundAttachment")
    assert shades == "local, local, scroll, scroll", "covers move with the table and uncover shades of its edges"
    browser.run("document.querySelector('nav a').click()")
    nav, end = browser.run(
        "return ['nav', '#end'].map(s => document.querySelector(s).getBoundingClientRect().toJSON())"
    )
    assert nav["top"] == 0
    assert end["top"] >= nav["bottom"]


def method(name, y, proba):
    counts = confusion(y, proba)
    curves = [
        {**threshold_counts(y == k, proba[:, k]), "positives": int((y == k).sum()), "negatives": int((y != k).sum())}
        for k in range(proba.shape[1])
    ]
    return {"name": name, "confusion": counts, **_shares(counts), "curves": curves}


@pytest.fixture(scope="module", params=[2, 3])
def content(request):
    rng, k = np.random.default_rng(0), request.param
    y = rng.choice(k, 400, p=[0.85, 0.15] if k == 2 else [0.7, 0.2, 0.1])
    probas = [rng.dirichlet(np.ones(k), 400) + strength * np.eye(k)[y] for strength in (0.8, 0.3)]
    probas = [p / p.sum(axis=1, keepdims=True) for p in probas]
    methods = [method(name, y, p) for name, p in zip(("</script>best", "control"), probas, strict=True)]
    return {"classes": ["a", "<b>", "c"][:k], "positive": 1, "methods": methods}, y, probas


def test_a_threshold_that_is_moved_decides_anew(browser, tmp_path, content):
    d, y, probas = content
    environment = page_environment()
    environment.filters["share"] = lambda value: "-" if value is None else f"{value:.1%}"
    page = tmp_path / "page.html"
    page.write_text(environment.from_string(PAGE).render(d=d, cells="folds"))
    browser.open(page, width=390)
    assert browser.run("return document.querySelectorAll('.decisions svg').length") == 2
    assert browser.run("return document.documentElement.scrollWidth") <= 390
    move = "const s = document.querySelector('.decisions input'); s.value = arguments[0]; s.dispatchEvent(new Event('input'));"
    cells = "return [...document.querySelectorAll('.decisions tr')].slice(1).map((r) => [...r.children].map((c) => c.textContent))"
    for threshold in (0.3, 0.6):
        browser.run(move, threshold)
        for row, proba in zip(browser.run(cells), probas, strict=True):
            chosen = proba[:, 1].round(4) >= threshold
            right = (chosen & (y == 1)).sum()
            assert row[1] == f"{chosen.sum()} of 400"
            assert row[2] == f"{100 * right / (y == 1).sum():.1f} %"
            assert row[3] == f"{100 * right / chosen.sum():.1f} %"
    said = browser.run("return document.querySelector('.decisions [role=status]').textContent")
    assert ("threshold: 0.60" in said) == (len(d["classes"]) == 2)
    assert browser.complaints() == []
