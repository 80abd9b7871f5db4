"""Where Playwright is not installed the page is not opened: the nox session `end_to_end` installs it.

A browser is not: Debian's chromium, or what CHROMIUM names. Where there is none, the session says how to get it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("playwright") is None:
    collect_ignore = ["test_ask_page.py", "test_page.py", "test_site.py"]

SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium with a fresh profile, for all tests."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail("there is no chromium on the path: apt-get install chromium, or set CHROMIUM")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(SWITCHES), headless=True)
        yield running
        running.close()


class Opened:
    """A page in a window of its own: what it logs and asks for is kept."""

    def __init__(self, browser: Any, path: Path, **window: Any) -> None:
        window.setdefault("viewport", {"width": 1280, "height": 900})
        self.context = browser.new_context(**window)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def shown(self) -> str:
        """The heading of the panel."""
        return str(self.page.text_content("#which"))

    def text(self) -> str:
        """The text of the document as it stands on the page, without the numbers of the chunks."""
        script = """() => [...document.querySelectorAll("#text .block")].map((block) =>
            [...block.childNodes].filter((node) => node.nodeName !== "BUTTON").map((node) => node.textContent).join("")
        ).join("")"""
        return str(self.page.evaluate(script))


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    """(path, window) -> `Opened`; at the end there must have been no fault, and no request but for the file."""
    every: list[Opened] = []

    def open_page(path: Path, **window: Any) -> Opened:
        every.append(Opened(browser, path, **window))
        return every[-1]

    yield open_page
    for one in every:
        assert one.faults == []
        assert [url for url in one.requests if not url.startswith(("file:", "data:,"))] == []
        one.context.close()
