"""Headless browser for tests: the system's Chromium, driven by WebDriver, at a width and in light or dark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webelement import WebElement

PROGRAMS = ("chromium", "chromedriver")
PHONE, DESKTOP = (390, 844), (1280, 900)


@contextmanager
def browsing(folder: str) -> Iterator[Chrome]:
    """One browser, whose profile lies in the folder; it loads nothing but what a test names."""
    options = ChromeOptions()
    options.binary_location = shutil.which(PROGRAMS[0]) or PROGRAMS[0]
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                 "--disable-background-networking", "--disable-component-update", "--no-first-run",
                 f"--user-data-dir={folder}"):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options, Service(shutil.which(PROGRAMS[1])))
    try:
        yield driver
    finally:
        driver.quit()


def look(driver: Chrome, size: tuple[int, int], scheme: str = "light") -> None:
    """As on a screen of this size, `light` or `dark`."""
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    wanted = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})


def complaints(driver: Chrome) -> list[str]:
    """What the browser's console said: what a policy blocked, what a script failed at."""
    return [str(entry["message"]) for entry in driver.get_log("browser")]  # type: ignore[no-untyped-call]


def focused(driver: Chrome) -> WebElement:
    return driver.switch_to.active_element
