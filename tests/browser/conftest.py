"""A headless Chromium without access to other machines, and its console."""

import json
import shutil
from urllib.parse import urlsplit

import pytest

PROGRAMS = (("chromium", "chromium-browser", "google-chrome", "chrome"), ("chromedriver",))
"""Names of the browser, and of what drives it: of each, the first that is found is taken."""

HARMLESS = ("file", "data", "blob", "about")
"""Addresses that are no request to anybody."""

LOOPBACK = ("127.0.0.1", "localhost")


class Browser:
    """A page in Chromium, for tests.

    Attributes
    ----------
    driver : selenium.webdriver.Chrome
    """

    def __init__(self, driver):
        self.driver = driver

    def open(self, address, *, width=1400, height=900, dark=False, scripts=True):
        """Open a file (a path) or an address at a size of the window, in dark or light, with or without JavaScript.

        The console and the requests of earlier pages are cleared.
        """
        self.resize(width, height)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.driver.get("about:blank")
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(address if isinstance(address, str) else address.resolve().as_uri())

    def resize(self, width, height=900):
        """Set the size of the page in CSS pixels, also below the smallest size of a window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def run(self, script, *arguments):
        """Return the value of a JavaScript function body, after its promise."""
        answer = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async (...args) => {{ {script} }})(...[...arguments].slice(0, -1))"
            ".then(value => done({value}), error => done({error: String(error.stack || error)}));",
            *arguments,
        )
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def wait(self, script, seconds=30):
        """Wait until a JavaScript expression is true, and return its value."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, poll_frequency=0.05).until(
            lambda driver: driver.execute_script(f"return {script}"), f"{script} did not become true"
        )

    def find(self, selector):
        """Return the one element of a CSS selector."""
        (element,) = self.driver.find_elements("css selector", selector)
        return element

    def complaints(self):
        """Return errors and warnings of the console since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Return the addresses on other machines that the page has requested since its opening."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if urlsplit(url).scheme not in HARMLESS and urlsplit(url).hostname not in LOOPBACK]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """Chromium for all tests of the session; tests that use it are skipped where it is missing."""
    # An installed wheel is tested without the extra dev, which brings selenium; the lock file has it.
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    found = [next(filter(None, map(shutil.which, names)), None) for names in PROGRAMS]
    if None in found:
        # Chromium is a system program outside the lock file. .ci/run installs Chromium for CI.
        pytest.skip("Chromium or its driver is missing: apt-get install chromium chromium-driver")
    program, driver = found
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (
        "--headless=new",
        "--no-sandbox",  # containers run as root, without user namespaces
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--force-color-profile=srgb",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
        f"--host-resolver-rules=MAP * ~NOTFOUND, {', '.join(f'EXCLUDE {host}' for host in LOOPBACK)}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
    browser.set_script_timeout(60)
    yield browser
    browser.quit()


@pytest.fixture
def browser(chromium):
    """Chromium for one test; `Browser.open` resets the settings of earlier tests."""
    return Browser(chromium)
