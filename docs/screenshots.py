"""The sample article in, docs/view-light.png and docs/view-dark.png out. Run by `nox -s pages`; needs a Chromium."""

from __future__ import annotations

import os
import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from caesura_lab import view

HERE = Path(__file__).parent
SHOTS = (("view-light.png", 1280, 760, "light", "2"), ("view-dark.png", 390, 720, "dark", "1"))


def main() -> None:
    """Opens the page that docs/lab.md speaks of and takes two pictures of it."""
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
            shot = Image.open(BytesIO(opened.screenshot()))
            shot.convert("RGB").quantize(160).save(HERE / name, optimize=True)
            window.close()
        browser.close()


if __name__ == "__main__":
    main()
