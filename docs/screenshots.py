"""The sample article in, pictures of the pages of `view` and `serve` out. Run by `nox -s pages`; needs a Chromium."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from caesura_lab import view
from caesura_lab.question_server import QuestionServer
from caesura_lab.question_site import QuestionSite

HERE = Path(__file__).parent
QUESTION = "How many litres of rain does the cistern hold?"
SHOTS = (("view-light.png", 1280, 760, "light", "2"), ("view-dark.png", 390, 720, "dark", "1"))


def main() -> None:
    """Opens the pages that docs/lab.md speaks of and takes pictures of them."""
    article = HERE.parent / "examples" / "article.md"
    page = view(
        {"article.md": article.read_text("utf-8")},
        ["double-pass", "percentile:target_size=none", "recursive:overlap=200"],
        size=1200,
    )
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = page.save(Path(folder) / "article.html")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, width, height, scheme, splitter in SHOTS:
            window = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            opened = window.new_page()
            opened.goto(file.as_uri())
            opened.keyboard.press(splitter)
            for _ in range(5):
                opened.keyboard.press("ArrowRight")
            save_picture(opened.screenshot(), name)
            window.close()
        take_answer(browser, {"article.md": article.read_text("utf-8")})
        browser.close()


def take_answer(browser: Browser, texts: dict[str, str]) -> None:
    """Asks on the page of `serve` and takes a picture of the answer."""
    with QuestionServer(QuestionSite(texts)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        opened = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light")
        opened.goto(server.url)
        opened.fill("#question", QUESTION)
        opened.fill("#budget", "1500")
        opened.click("#ask")
        opened.locator("mark.on").first.wait_for()
        opened.wait_for_load_state("networkidle")
        opened.evaluate("document.activeElement.blur()")
        save_picture(opened.screenshot(), "serve-light.png")
        opened.close()
        server.shutdown()


def save_picture(png: bytes, name: str) -> None:
    """Writes a picture with few colours into this folder."""
    Image.open(BytesIO(png)).convert("RGB").quantize(160).save(HERE / name, optimize=True)


if __name__ == "__main__":
    main()
