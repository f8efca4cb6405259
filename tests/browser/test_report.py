"""The style of a long report in a browser."""

import pytest

from rotastack.workflow.judge.pages import page_environment

pytestmark = pytest.mark.slow

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
