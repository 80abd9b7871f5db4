"""Titles of documents, and the words that find a document or a chunk beside its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote

from caesura.text.blocks import FRONT_MATTER
from caesura_documents.find_outline import BOM, BY_MARK, find_headings
from caesura_documents.html import LONGEST
from caesura_documents.html_page import html_title
from caesura_documents.layout import JOINT, is_path
from caesura_documents.page_numbers import PAGE_KEYS, page_of

TITLES = ("title", "document_title", "Title", "pdf_title", "page_title", "dc:title", "og:title")
"""Metadata in which loaders say a document's title, the first that there is."""
FILES = ("file_path", "source", "path", "url", "URL", "sourceURL", "link", "loc", "file_name", "filename")
"""Metadata in which loaders say what a document was read from. A path or an address goes before a mere name."""
ABOVE = "headings", "table_title", "table_header", "open_blocks", "speakers"
"""Metadata of what stands above a chunk, or who speaks in it, in the order in which words have it. LlamaIndex's
`MarkdownNodeParser` has headings as ``header_path``; LangChain's splitters have them as ``Header 1`` and so on."""
HEAD = 4000
"""In so many characters at its start, a text has its title."""
HTML_HEAD = 20_000
"""So many are looked at in a page of HTML, whose title may stand behind much else."""
KEPT, READ = 200, 10_000
"""So many words of documents are remembered, and so many titles that were read in texts, about 2 MB."""
_ADDRESS = re.compile(r"[/\\]|\.\w{1,8}$")
_FIRST_LEVEL = re.compile(r"\[?1\b")
_HEADER = re.compile("[Hh]eader [1-6]")
_FILE_NAME = re.compile(r"[^\s/\\][^/\\]{0,250}\.[A-Za-z]\w{1,4}")
_JUNK = re.compile(
    r"(?i)untitled\b.*+|\(?(?:anonymous|unknown|none|null|no title|unspecified)\)?|title|home|index|new document"
    r"|(?:document|dokument|slide|page|book|presentation|sheet|scan)[ _-]?\d*+|power ?point[ -]presentation.*+"
    r"|microsoft (?:word|powerpoint|excel) ?- .*+|[\W\d_]*+"
)
"""What programs write where nobody gave a title."""
_SAID = re.compile(  # in the text itself, before its headings: front matter, org, LaTeX, AsciiDoc
    r"""^(?:title[ \t]{0,9}[:=][ \t]{0,9}(?P<q>["']?)(?P<matter>[^\n]*?)(?P=q)[ \t\r]{0,9}$"""
    r"|(?i:\#\+title:)[ \t]{0,9}(?P<org>\S[^\n]*)|\\title\{(?P<latex>[^{}]{1,200})\})",
    re.MULTILINE,
)
_COMMENT_GOES_ON = re.compile(r"\r?\n# ")  # of a program: no heading of level 1 follows another at once
_HTML = re.compile(r"\ufeff?\s{0,99}(?:<\?xml[^>]{0,200}>\s{0,9})?<(?:!doctype\s{1,9}html|html)\b", re.IGNORECASE)
_MAY_HEAD = re.compile(r"""\n[ \t\ufeff]*+(?:#[ \t]|\\part|([=\-~`^"'*+#])\1+[ \t]*+(?:\n|\Z))""")
"""What stands behind a line end in every text with a heading of level 1, if there is no tag and no other line end."""
_ASCIIDOC = re.compile(r"\s{0,99}= (\S[^\n]*)")
_QUOTED = re.compile(
    r'"([^"\n]{1,200})"|\|[ \t]{1,9}(\S[^\n]{0,200})|\][ \t]{1,9}(\S[^\n]{0,200})|\[([^]!\n]{2,200})\]'
)


# -- a document --------------------------------------------------------------------------------------------------------


def title_of(metadata: Mapping[Any, Any], text: str = "") -> str:
    """A document's metadata and text -> its title, else the name of its file; "" where nothing tells either.

    metadata: as a loader of LangChain or LlamaIndex writes them. What programs write without being asked, as
    "Untitled" or "Microsoft Word - a.docx", is no title there. text: of the document, not of a later chunk or page. Its
    title is what its front matter says, or its first heading, if that alone is of level 1 in the first 4,000
    characters. Of a chunk, whose metadata say what is above it, it is the heading of level 1 there.

    >>> title_of({"source": "reports/acme.md"}, "# Annual report\\n\\nSales rose.")
    'Annual report'
    >>> title_of({"title": "Untitled", "source": "reports/acme-2018.pdf"})
    'acme-2018.pdf'
    """
    return own_title(metadata, text) or _outer_heading(metadata) or _name(metadata)


def own_title(metadata: Mapping[Any, Any], text: str = "") -> str:
    """As `title_of`, but "" where only headings above a chunk or the name of a file are known."""
    if (said := _said_title(metadata)) or not text or not _is_first(metadata):
        return said
    return _head_title(text[: HEAD if not _HTML.match(text) else HTML_HEAD])


def _is_first(metadata: Mapping[Any, Any]) -> bool:
    """Whether a text may be the beginning of its document: no later page, and no chunk below headings."""
    is_page = not metadata.keys().isdisjoint(PAGE_KEYS)
    return not headings_of(metadata) and (not is_page or page_of(metadata).may_be_first)


def file_of(metadata: Mapping[Any, Any]) -> str:
    """A document's metadata -> the file or the address that it was read from; "" where they do not say.

    >>> file_of({"source": "wiki", "url": "https://ferries.example/fares"})
    'https://ferries.example/fares'
    """
    files = [str(value) for key in FILES if isinstance(value := metadata.get(key), (str, PurePath)) and str(value)]
    return next(filter(_ADDRESS.search, files), files[0] if files else "")


def document_words(metadata: Mapping[Any, Any]) -> str:
    """A document's metadata -> what all of its chunks are found by: its title and its file, each in a line.

    A title that its text alone says is not among them: it is a heading of the chunks below it, which a filter may hide.

    >>> document_words({"title": "Annual report", "source": "reports/acme-2018.pdf"})
    'Annual report\\nreports/acme-2018.pdf'
    """
    said = [(key, metadata[key]) for key in (*TITLES, *FILES) if key in metadata]
    return _words_of(tuple([pair for pair in said if isinstance(pair[1], (str, PurePath))]))


@lru_cache(KEPT)
def _words_of(said: tuple[tuple[str, str | PurePath], ...]) -> str:
    """As `document_words`; most nodes of a document say the same. said: what metadata say of titles and files."""
    metadata = dict(said)
    lines = [own_title(metadata) or _file_title(metadata), file_of(metadata)]
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _said_title(metadata: Mapping[Any, Any]) -> str:
    """The title that metadata say, junk aside."""
    for key in TITLES:
        value = metadata.get(key)
        title = " ".join(value[: 2 * LONGEST].split()) if isinstance(value, str) else ""
        if title and not _JUNK.fullmatch(title) and not _FILE_NAME.fullmatch(title):
            return title
    return ""


def _outer_heading(metadata: Mapping[Any, Any]) -> str:
    """The heading of level 1 above a chunk; "" where its metadata do not say one."""
    levels = metadata.get("heading_levels") or ("1" if "Header 1" in metadata or "header 1" in metadata else "")
    above = headings_of(metadata) if _FIRST_LEVEL.match(str(levels)) else []
    return above[0] if above else ""


def _head_title(head: str) -> str:
    """The title that the beginning of a text says; "" without one."""
    key = blake2b(head.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    title = _read_titles.get(key)
    if title is None:
        if len(_read_titles) >= READ:
            _read_titles.clear()
        title = _read_titles[key] = _read_title(head)
    return title


_read_titles: dict[bytes, str] = {}
"""By the digest of what each was read in: questions come back to the same documents."""


def _read_title(head: str) -> str:
    """See `_head_title`."""
    if _HTML.match(head):
        return html_title(head)
    head = head.removeprefix(BOM)
    if head.count("\n") and len(head) == HEAD:
        head = head[: head.rindex("\n")]  # a line that is cut off says something else
    matter = FRONT_MATTER.match(head)
    for found in _SAID.finditer(head) if "title" in head or "#+" in head else ():
        if found["matter"] is None or (matter and found.end() <= matter.end()):
            said = found["matter"] or found["org"] or found["latex"] or ""
            if (title := " ".join(said.split())).strip(">|-"):  # these announce that it stands below, in YAML
                return title[:LONGEST]
    if asciidoc := _ASCIIDOC.match(head):
        return asciidoc[1].strip(" \t\r=")[:LONGEST]
    if not ("</" in head or "\r" in head or _MAY_HEAD.search(f"\n{head}")):
        return ""
    headings, _ = find_headings(head, with_tables=False)
    first = headings[0] if headings and (headings[0].level == 1 or headings[0].level // BY_MARK == 1) else None
    if first is None or any(each.level <= first.level for each in headings[1:]):
        return ""
    return "" if _COMMENT_GOES_ON.match(head, first.end) else first.title


def _name(metadata: Mapping[Any, Any]) -> str:
    """The name of a document's file, or the last part of its address; else a title that is nothing but such a name."""
    path = file_of(metadata)
    if "://" in path[:20]:
        path = unquote(path.partition("://")[2].partition("#")[0].partition("?")[0])
    name = re.split(r"[/\\]", path.rstrip("/\\"))[-1] if path else ""
    return name or _file_title(metadata)


def _file_title(metadata: Mapping[Any, Any]) -> str:
    """The title in metadata that is nothing but the name of a file."""
    titles = (value for key in TITLES if isinstance(value := metadata.get(key), str))
    return next((title for title in titles if _FILE_NAME.fullmatch(title)), "")


# -- a chunk -----------------------------------------------------------------------------------------------------------


def headings_of(metadata: Mapping[Any, Any]) -> list[str]:
    """A chunk's metadata -> the headings above it, the outermost first, as our splitters and others name them.

    >>> headings_of({"Header 2": "Timetable", "Header 1": "Ferries"})
    ['Ferries', 'Timetable']
    >>> headings_of({"header_path": "/Ferries/Timetable/"})
    ['Ferries', 'Timetable']
    """
    own: Any = metadata.get("headings")
    if isinstance(own, str) and own:
        return own.split(JOINT)
    if own and is_path(own):
        return [*own]
    keys = sorted(key for key in metadata if isinstance(key, str) and _HEADER.fullmatch(key))
    if keys:
        return [metadata[key] for key in keys if isinstance(metadata[key], str) and metadata[key]]
    path = metadata.get("header_path")
    return [part for part in path.strip("/").split("/") if part] if isinstance(path, str) else []


def chunk_words(
    metadata: Mapping[Any, Any], keys: Mapping[str, str] | None = None, document: Mapping[Any, Any] | None = None
) -> str:
    """A chunk's metadata -> what it is found by beside its text and the words of its document, in lines.

    These are the headings above it, the title and the header of its table, the titles of blocks that go on in it, and
    who speaks in it. keys: those that the names of `caesura_documents.chunk_metadata.NAMES` have, where others.
    document: the metadata of its document, if it is not the chunk itself: headings that are over all of it count, and
    what is its title is no heading too.

    >>> print(chunk_words({"headings": ["Ferries", "Fares"], "table_header": "isle | fare", "speakers": ["Ann"]}))
    Ferries > Fares
    isle | fare
    Ann
    >>> chunk_words({"headings": ["Ferries", "Fares"]}, document={"title": "Ferries"})
    'Fares'
    """
    whole = metadata if document is None else document
    if keys:
        metadata = {**metadata, **{name: metadata[key] for name, key in keys.items() if key in metadata}}
    path, above = headings_of(metadata), [] if (keys or {}).get("headings", "headings") in whole else headings_of(whole)
    path = path if path[: len(above)] == above else [*above, *path]
    if path and path[0] == own_title(whole):
        del path[0]
    lines = [JOINT.join(path)]
    for name in ("table_title", "table_header"):
        lines += _texts(metadata.get(name))
    lines += map(_block_title, _texts(metadata.get("open_blocks")))
    lines += _texts(metadata.get("speakers"))
    return "\n".join(dict.fromkeys(line for line in lines if line.strip()))


def _texts(value: Any) -> list[str]:
    """A text, or a list of them -> these."""
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, (list, tuple)) else []


def _block_title(line: str) -> str:
    """The line that opens a block -> the title in it; "" where it says only what kind of block it is.

    >>> [_block_title(line) for line in ('!!! note "Tides"', "> [!NOTE] Tides", "/// tip | Tides", "```python")]
    ['Tides', 'Tides', 'Tides', '']
    """
    found = _QUOTED.search(line[: 2 * LONGEST])
    return next(filter(None, found.groups()), "").strip() if found else ""


def texts_with_contexts(texts: Iterable[str], contexts: Iterable[str]) -> list[str]:
    """Texts of a document in its order, and the context of each -> the texts, each after its context in a line.

    A context counts with the first of neighbours that share it: words that all of them have find none of them.

    >>> texts_with_contexts(["One coin.", "Two coins."], ["Fares.", "Fares."])
    ['Fares.\\nOne coin.', 'Two coins.']
    """
    made, before = list[str](), ""
    for text, context in zip(texts, contexts, strict=True):
        made.append(text if context in ("", before) else f"{context}\n{text}")
        before = context
    return made
