"""Assumptions of the other tests: scripts run, the console is recorded, and no request leaves the machine."""

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><p id="p">static</p>{body}</body></html>"""


def written(folder, body, title="page"):
    """Return the file of a page with this body."""
    file = folder / "page.html"
    file.write_text(PAGE.format(title=title, body=body), encoding="utf-8")
    return file


def test_scripts_run_and_can_be_forbidden(browser, tmp_path):
    page = written(tmp_path, "<script>document.getElementById('p').textContent = 'dynamic'</script>")
    browser.open(page)
    assert browser.find("#p").text == "dynamic"
    assert browser.complaints() == []
    assert browser.requests() == []
    assert browser.run("return (await Promise.resolve(20)) + args[0]", 22) == 42
    browser.open(page, scripts=False)
    assert browser.find("#p").text == "static"


def test_errors_and_requests_are_seen(browser, tmp_path):
    page = written(tmp_path, "<img src='http://example.org/a.png' alt=''><script>throw new Error('a fault')</script>")
    browser.open(page)
    said = browser.complaints()
    assert any("a fault" in line for line in said)
    assert any("ERR_NAME_NOT_RESOLVED" in line for line in said)  # the request failed
    assert browser.requests() == ["http://example.org/a.png"]
    browser.open(written(tmp_path, ""))
    assert browser.complaints() == []
    assert browser.requests() == []


def test_size_and_darkness(browser, tmp_path):
    page = written(tmp_path, "")
    for width, dark in ((390, True), (1400, False)):
        browser.open(page, width=width, dark=dark)
        assert browser.run("return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]") == [width, dark]
