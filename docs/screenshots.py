"""The samples in, pictures of the pages of `view` and `serve` out. Run by `nox -s pages`; needs a Chromium."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from caesura_lab import view
from caesura_lab.question_server import QuestionServer
from caesura_lab.question_site import QuestionSite
from caesura_lab.reading import load_sources

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
ANSWERS = (
    ("serve-light.png", "How many litres of rain does the cistern hold?", 1280, 720, "light"),
    ("serve-page-light.png", "When do I test the fog signal?", 1280, 720, "light"),
    ("serve-page-dark.png", "When do I test the fog signal?", 390, 720, "dark"),
)
"""Of the page of `serve`: a passage of the article, and one that is marked on its page of a PDF."""
SHOTS = (("view-light.png", 1280, 760, "light", "2"), ("view-dark.png", 390, 720, "dark", "1"))


def main() -> None:
    """Opens the pages that docs/lab.md speaks of and takes pictures of them."""
    article = EXAMPLES / "article.md"
    page = view(
        {"article.md": article.read_text("utf-8")},
        ["double-pass", "percentile:target_size=none", "recursive:overlap=200"],
        size=1200,
    )
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = page.save(Path(folder) / "article.html")
        quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        for name, width, height, scheme, splitter in SHOTS:
            window = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            opened = window.new_page()
            opened.goto(file.as_uri())
            opened.keyboard.press(splitter)
            for _ in range(5):
                opened.keyboard.press("ArrowRight")
            save_picture(opened.screenshot(), name)
            window.close()
        take_answers(browser, [article, EXAMPLES / "handbook.pdf"])
        browser.close()


def take_answers(browser: Browser, files: list[Path]) -> None:
    """Asks on the page of `serve` and takes pictures of the answers."""
    sources = [replace(source, path=Path(source.path).name) for file in files for source in load_sources(str(file))]
    with QuestionServer(QuestionSite(sources)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, question, width, height, scheme in ANSWERS:
            opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            opened.goto(server.url)
            opened.fill("#question", question)
            opened.fill("#budget", "1500")
            opened.click("#ask")
            opened.locator("#found li").first.wait_for()
            if width < 500:  # a phone shows the passages first
                opened.locator("#found li").first.click()
            opened.locator("mark.on, figure svg rect").first.wait_for()
            opened.wait_for_load_state("networkidle")
            opened.evaluate("document.activeElement.blur()")
            save_picture(opened.screenshot(), name)
            opened.close()
        server.shutdown()


def save_picture(png: bytes, name: str) -> None:
    """Writes a picture with few colours into this folder."""
    Image.open(BytesIO(png)).convert("RGB").quantize(160).save(HERE / name, optimize=True)


if __name__ == "__main__":
    main()
