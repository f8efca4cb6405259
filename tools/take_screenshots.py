#!/usr/bin/env python3
"""Take the documents' pictures of the report and of MLflow, of the study `quickstart` as it was last run in a folder.

python tools/take_screenshots.py FOLDER    # FOLDER/results is where `rotastack run quickstart` left it; Chromium is needed

Writes docs/images/report.png, mlflow-methods.png, mlflow-datasets.png, and copies differences.png.
"""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

IMAGES = Path(__file__).resolve().parents[1] / "docs/images"
VIEWS = {"mlflow-methods": "Methods over all data sets", "mlflow-datasets": "Methods on each data set"}
PATIENCE = 120  # seconds
SCALE = 5 / 6  # pixels of the picture for each of the page
ASSISTANT = "//button[@data-component-id='mlflow.assistant.chat_panel.close']"
"""Closes what MLflow opens beside its pages."""


def chromium() -> webdriver.Chrome:
    """Start a browser without a window."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def picture(driver: webdriver.Chrome, address: str, name: str, width: int, height: int, ready: str) -> None:
    """Save what a window of `width` x `height` pixels shows at an address, once an XPath is found there."""
    size = {"width": width, "height": height, "deviceScaleFactor": SCALE, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(address)
    WebDriverWait(driver, PATIENCE).until(lambda found: found.find_elements(By.XPATH, ready))
    time.sleep(5)  # charts move into place
    for button in driver.find_elements(By.XPATH, ASSISTANT):
        button.click()
        time.sleep(2)
    driver.save_screenshot(str(IMAGES / f"{name}.png"))


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(address: str) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address):
                return
        except URLError:
            if time.monotonic() > end:
                raise
            time.sleep(1)


def views(results: Path) -> dict[str, str]:
    """Return where MLflow shows the views of the study, from the links of its description."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{results}/mlflow/mlflow.db")
    experiment = client.get_experiment_by_name("quickstart")
    note = experiment.tags["mlflow.note.content"]
    return {name: note.partition(f"[{title}](")[2].partition(")")[0] for name, title in VIEWS.items()}


def main(folder: Path) -> None:
    """Take them."""
    results = folder.resolve() / "results"
    shutil.copyfile(results / "quickstart/figures/study/differences.png", IMAGES / "differences.png")
    driver, port = chromium(), free_port()
    server = subprocess.Popen(
        [Path(sys.executable).with_name("rotastack"), "ui", "--port", str(port)], cwd=folder, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        picture(driver, (results / "report.html").as_uri(), "report", 1200, 1300, "//table[@id='board']//tr[2]")
        home = f"http://127.0.0.1:{port}/"
        wait_for(home)
        for name, link in views(results).items():
            picture(driver, home + link.lstrip("/"), name, 1440, 864, "//*[contains(text(), 'matching runs')]")
    finally:
        server.terminate()
        server.wait()
        driver.quit()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
