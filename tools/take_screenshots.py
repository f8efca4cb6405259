#!/usr/bin/env python3
"""Take the documents' picture of the study `quickstart` as it was last run in a folder.

python tools/take_screenshots.py FOLDER    # FOLDER/results is where `rotastack run quickstart` left it; Chromium is needed

Writes docs/images/report.png, with the sentences of the verdict as its description.
"""

import shutil
import sys
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from selenium import webdriver
from selenium.webdriver.common.by import By

PICTURE = Path(__file__).resolve().parents[1] / "docs/images/report.png"
SCALE = 5 / 6  # pixels of the picture for each of the page


def chromium() -> webdriver.Chrome:
    """Start a browser without a window."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def describe(picture: Path, sentences: list[str]) -> None:
    """Write sentences into a picture, so that a test can compare them with a page."""
    info = PngInfo()
    info.add_text("Description", "\n".join(sentences))
    with Image.open(picture) as image:
        image.save(picture, pnginfo=info, optimize=True)


def main(folder: Path) -> None:
    """Take it."""
    results = folder.resolve() / "results"
    driver = chromium()
    try:
        size = {"width": 1200, "height": 1300, "deviceScaleFactor": SCALE, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get((results / "report.html").as_uri())
        driver.save_screenshot(str(PICTURE))
        describe(PICTURE, [sentence.text for sentence in driver.find_elements(By.CSS_SELECTOR, ".verdict p")])
    finally:
        driver.quit()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
