"""The site in a real browser, from the disk, as wide as a desktop and a phone: boxes, the live view, the search."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes.pages import ROOT

pytest.importorskip("mkdocs", reason="the nox session `end_to_end` installs it")

OUTSIDE = """() => {
    const article = document.querySelector("article"), right = article.getBoundingClientRect().right + 4, found = [];
    const scrolls = (one) => one.closest(".tabbed-labels");
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page");
    for (const one of article.querySelectorAll("h1, h2, h3, p, li, img, iframe, :not(pre) > code"))
        if (one.getBoundingClientRect().right > right && !scrolls(one)) found.push(one.textContent);
    for (const one of article.querySelectorAll("pre > code"))
        if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "auto")
            found.push(one.textContent);
    for (const one of article.querySelectorAll("code .name"))
        if (one.getClientRects().length > 1) found.push(`parted: ${one.textContent}`);
    for (const one of article.querySelectorAll("table"))
        if (one.scrollWidth > one.closest(".md-typeset__scrollwrap").clientWidth) found.push(one.textContent);
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


def test_a_site_that_knows_its_repository_links_to_it_and_says_how_to_clone_it(tmp_path: Path) -> None:
    url = "https://example.org/caesura"
    own = {"INHERIT": f"{ROOT}/mkdocs.yml", "docs_dir": f"{ROOT}/docs", "hooks": [f"{ROOT}/docs/hooks.py"]}
    (tmp_path / "mkdocs.yml").write_text(json.dumps({**own, "repo_url": url}), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    home, other = ((tmp_path / "site" / name).read_text("utf-8") for name in ("index.html", "tuning.html"))
    assert f'href="{url}"' in home
    assert f'href="{url}"' in other
    assert f"git clone {url} caesura" in (tmp_path / "site" / "index.md").read_text("utf-8")
    assert "## Repository" not in (tmp_path / "site" / "llms.txt").read_text("utf-8")


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


def test_a_search_finds_settings_and_the_reference_first(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    sections = {one["location"]: one for one in found}
    for place, name in (
        ("api/langchain.html#doublepasssemanticsplitter", "merging_threshold"),
        ("api/langchain.html#parentdocumentretriever", "passage_metadata"),
        ("api/llama-index.html#hierarchyindex", "batch_size"),
    ):
        assert name in sections[place]["text"]
        assert sections[place]["boost"] > 1


def test_each_page_has_its_markdown_beside_it_and_is_in_llms_txt(site: Path) -> None:
    listed = re.findall(r"(?m)^- \[.+\]\((.+)\)$", (site / "llms.txt").read_text("utf-8"))
    pages = {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")}
    assert len(listed) == len(set(listed)) > 40
    assert set(listed) <= pages
    assert [path for path in pages - {"404.md", "view.md"} if not (site / path).read_text("utf-8").strip()] == []
    assert "`merging_threshold`" in (site / "api" / "langchain.md").read_text("utf-8")
