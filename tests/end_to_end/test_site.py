"""The site in a real browser, from the disk, as wide as a desktop and a phone: boxes, the live view, tables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes.pages import ROOT

pytest.importorskip("mkdocs", reason="the nox session `end_to_end` installs it")

OUTSIDE = """() => {
    const article = document.querySelector("article"), right = article.getBoundingClientRect().right + 4, found = [];
    const scrolls = (one) => one.closest(".md-typeset__scrollwrap, .language-console, .tabbed-labels");
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page");
    for (const one of article.querySelectorAll("h1, h2, h3, p, li, img, iframe, :not(pre) > code"))
        if (one.getBoundingClientRect().right > right && !scrolls(one)) found.push(one.textContent);
    for (const one of article.querySelectorAll("pre > code"))
        if (one.scrollWidth > one.clientWidth + 1 && !scrolls(one)) found.push(one.textContent);
    for (const one of article.querySelectorAll("h1, h2, h3"))
        if (one.scrollWidth > one.clientWidth) found.push(one.textContent);
    return found;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    return folder


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_leaves_its_box(site: Path, opened: Any, width: int) -> None:
    one = opened(site / "index.html", viewport={"width": width, "height": 844})
    pages = [path for path in site.rglob("*.html") if path.parent.name in (site.name, "api", "recipes")]
    outside = {}
    for path in sorted(path for path in pages if path.name not in ("404.html", "view.html")):
        one.page.goto(path.as_uri())
        if found := one.page.evaluate(OUTSIDE):
            outside[path.name] = found
    assert len(pages) > 40
    assert outside == {}


def test_the_live_view_is_as_light_or_dark_as_the_site(site: Path, opened: Any) -> None:
    page = opened(site / "index.html", color_scheme="dark").page
    live = page.frame_locator("iframe.live")
    live.locator(":root[data-theme=dark]").wait_for(state="attached")
    page.click("[data-md-component=palette] label:not([hidden])")
    live.locator(":root[data-theme=light]").wait_for(state="attached")
    live.get_by_label("LangChain recursive").check(force=True)
    assert live.locator("#sum").text_content() == "41 chunks, 256 characters on average, the largest 399"
    assert live.locator("#theme").is_hidden()


def test_every_setting_in_a_table_of_the_reference_has_a_meaning(site: Path, opened: Any) -> None:
    page = opened(site / "index.html").page
    for path in sorted((site / "api").glob("*.html")):
        page.goto(path.as_uri())
        rows = page.locator(".doc-contents tbody tr")
        assert rows.count() or path.stem == "testing"
        assert rows.filter(has=page.locator("td:last-child:empty")).all_text_contents() == [], path.name
