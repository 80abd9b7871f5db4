"""mkdocs.yml's hooks: examples, changelog and a live view become pages; each page has its Markdown beside it.

A site that asks another host for anything is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

from elsewhere import elsewhere
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

from caesura_lab import view

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SHOWN = {".json": "json", ".jsonl": "json", ".md": "markdown", ".py": "python", ".txt": "text"}
SPLITTERS = {
    "double pass": "double-pass",
    "optimal": "optimal",
    "cluster": "cluster",
    "percentile": "percentile",
    "subjects (optimal, no target)": "optimal:target_size=none",
    "LangChain recursive": "recursive:size=400",
}
"""Of the live view, by the names on its buttons."""
MARKDOWN: dict[str, str] = {}
"""The place of each page's Markdown in the site, and the Markdown. `on_page_markdown` fills it."""
PAIR = re.compile(r"(?:(?<=\d)|(?<=\d</strong>)) (?=%|/ (?:<strong>)?\d)")
"""The space before the sign of percent, or before the stroke between two numbers, as in "58.2 / 79.7"."""
INTERVAL = re.compile(r"(\([−+-]?[\d.]+)(?: (to) |(–))([−+-]?[\d.]+\))")
BOOSTS = {"api": 4, "examples": 0.5}
"""How much the pages of a folder count in the search: a name is looked up in the reference first."""
CODE = re.compile(r"<code>([^<]+)</code>")
WORD = re.compile(r"\S+")
LINE = 36
"""A word of code of so many letters fits a phone's line, and is not parted."""
JOINT = re.compile(r"(?<=\w)(?=[.(\[]\w)|(?<=[=,/(])(?=\w)")
"""Where a longer one is parted: before a point or bracket, and after a sign, never within a name."""
TABLE, HEAD, ROW, CELL = (re.compile(rf"<{tag}[^>]*>.*?</{tag}>", re.DOTALL) for tag in ("table", "th", "tr", "td"))
NUMBER = re.compile(r"(<tr>\s*<td[^>]*)(>[\d,.]+</td>)")
"""A row whose first cell is a number: as a card's title it has its head behind it, as in "8,644 chunks"."""
METHOD = re.compile(r"(<h4[^>]*>\w+\.)(?=\w)")
"""The class in the heading of a method: a phone's line may end behind it."""
FIGURE = 24
"""A cell of so many letters stands beside others on a phone."""
PHONE, PADDING, LEAST = 48, 2.3, 21
"""In letters of a table: the width of a phone's line, a cell's margins, and the least width for sentences."""
LINK = re.compile(r"\]\((?P<up>(?:\.\./)?)(?P<path>[^)#:\s]+)(?P<anchor>#[^)]*)?\)")


INSTALL = "```sh\npip install ./packages/*"
"""How the home page begins to say what to type, in a clone."""


def on_config(config: Any) -> Any:
    """A repository, if `repo_url` names one, is the last tab: the theme's own link asks its host for stars."""
    config.extra["clone"] = config.repo_url
    if config.repo_url:
        config.nav.append({"Repository": config.repo_url})
        config.repo_url = None
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds changelog and live view, a page for each example that a page may link to, and their README, a list."""
    for path in sorted(EXAMPLES.rglob("*")):
        place = path.relative_to(EXAMPLES).as_posix()
        if place == "README.md":
            files.append(File.generated(config, "examples/index.md", content=_listed(path.read_text("utf-8"))))
        elif path.is_file() and path.suffix in SHOWN:
            shown = File.generated(config, f"examples/{place}.md", content=_shown(path, place))
            shown.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(shown)
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=changes))
    article = {"article.md": (EXAMPLES / "article.md").read_text("utf-8")}
    files.append(File.generated(config, "view.html", content=view(article, SPLITTERS).html))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Links from a page to an example, which in the repository is beside the pages' folder. Keeps the Markdown."""
    if (url := config.extra["clone"]) and page.file.src_uri == "index.md":
        markdown = markdown.replace(INSTALL, INSTALL.replace("\n", f"\ngit clone {url} caesura && cd caesura\n"), 1)
    if page.file.generated_by is None:
        markdown = LINK.sub(lambda link: _moved(link, "../examples/", "examples/"), markdown)
    MARKDOWN[page.file.src_uri] = markdown
    if boost := BOOSTS.get(page.file.src_uri.partition("/")[0]):
        page.meta.setdefault("search", {"boost": boost})
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """Names are not parted, nor intervals, nor a number and the sign or stroke behind it. Wide tables fit a phone."""
    html = INTERVAL.sub(lambda one: f"{one[1]}{'&nbsp;to&nbsp;' if one[2] else '–&#8288;'}{one[4]}", html)
    html = METHOD.sub(r"\1<wbr>", TABLE.sub(_carded, html))
    return PAIR.sub("&nbsp;", CODE.sub(lambda code: f"<code>{WORD.sub(_whole, code[1])}</code>", html))


def on_nav(nav: Any, config: Any, files: Files) -> Any:
    """Adds llms.txt, the list of the pages for language models. Returns `nav` as it is."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    for item in filter(_pages, nav.items):
        lines += [f"## {item.title or config['site_name']}", ""]
        lines += [f"- [{page.title or _title(page)}]({page.file.src_uri})" for page in _pages(item)]
        lines.append("")
    files.append(File.generated(config, "llms.txt", content="\n".join(lines)))
    return nav


def on_post_build(config: Any) -> None:
    """Writes the Markdown beside each page.

    Raises `PluginError` where a page, when opened, asks another host for a script, a style, a font or a picture.
    """
    site = Path(config["site_dir"])
    for place, markdown in MARKDOWN.items():
        (site / place).write_text(markdown, encoding="utf-8")
    faults = elsewhere(site)
    if faults:
        raise PluginError("the site must ask no other host for anything:\n" + "\n".join(faults))


def _whole(word: re.Match[str]) -> str:
    """A word of code -> the same, not parted within a name."""
    return "<wbr>".join(f'<span class="name">{part}</span>' for part in _parts(word[0]))


def _parts(word: str) -> list[str]:
    return [word] if len(unescape(word)) <= LINE else JOINT.split(word)


def _carded(table: re.Match[str]) -> str:
    """A table that is wider than a phone -> the same with its head beside each cell, to be shown as cards there."""
    heads = [_text(head) for head in HEAD.findall(table[0])]
    rows = [[_text(cell) for cell in CELL.findall(row)] for row in ROW.findall(table[0])]
    columns = list(zip(heads, *filter(None, rows), strict=True))
    wide = {1} | {0 for cell in columns[0] if len(cell) > FIGURE}  # for some words in a line
    if sum(_width(cells, LEAST * (place in wide)) for place, cells in enumerate(columns)) <= PHONE:
        return table[0]

    def labelled(row: re.Match[str]) -> str:
        named = iter(heads)
        cells = CELL.sub(lambda cell: cell[0].replace("<td", f'<td data-head="{escape(next(named))}"', 1), row[0])
        return NUMBER.sub(r"\1 data-number\2", cells, count=1)

    short = len(heads) > 2 and all(len(cell) <= FIGURE for cells in columns[1:] for cell in cells[1:])
    kind = "texts" if not short else "pairs" if len(heads) in (3, 5) else "figures"
    return ROW.sub(labelled, table[0]).replace("<table", f'<table data-cells="{kind}"', 1)


def _width(cells: Sequence[str], least: int) -> float:
    """The letters that a column needs, at least so many beside its margins."""
    return PADDING + max(least, *map(_longest, cells))


def _longest(cell: str) -> int:
    """The letters of the longest part of a cell that stays in one line."""
    return max((len(part) for word in re.findall(r"[^ \n]+", cell) for part in _parts(word)), default=0)


def _text(html: str) -> str:
    """What is read of some HTML."""
    return unescape(re.sub(r"<[^>]+>", "", html)).strip()


def _pages(item: Any) -> list[Any]:
    """A section of the navigation or a page -> the pages of it. A link to elsewhere has none."""
    if item.children:
        return [page for child in item.children for page in _pages(child)]
    return [item] if item.is_page else []


def _title(page: Any) -> str:
    """A page that the navigation does not name -> its first heading."""
    return str(re.findall(r"(?m)^# (.+)$", page.file.content_string)[0])


def _listed(text: str) -> str:
    """examples/README.md -> the page."""
    text = LINK.sub(lambda link: link[0] if link["up"] else _moved(link, "", ""), text)
    return text.replace("](../docs/", "](../")


def _shown(path: Path, place: str) -> str:
    """A file -> a page that shows it, outside the search where it is no program."""
    text = path.read_text("utf-8").rstrip()
    title, head = place, ""
    if path.suffix == ".py":
        title = re.sub(r"\?.*", "?", text.splitlines()[0].strip('"'))
    else:
        head = "---\nsearch:\n  exclude: true\n---\n"
    return f"{head}# {title}\n\n`examples/{place}`\n\n~~~~~~{SHOWN[path.suffix]}\n{text}\n~~~~~~\n"


def _moved(link: re.Match[str], before: str, after: str) -> str:
    path = link["up"] + link["path"]
    if not path.startswith(before) or Path(path).suffix not in SHOWN:
        return link[0]
    place = path.removeprefix(before)
    return f"]({after}{'index' if place == 'README.md' else place}.md{link['anchor'] or ''})"
