"""A file of a Debian package -> its paragraphs: one reader per format."""

from __future__ import annotations

import gzip
import html
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

BLOCK_TAGS = r"p|li|dd|dt|td|th|tr|h[1-6]|div|br|title|pre|ul|ol|dl|table|blockquote|item|note|section|page|steps?"


def html_paragraphs(file: Path) -> Iterator[str]:
    """HTML or Mallard -> the text between block tags, without code, scripts and comments."""
    source = file.read_text(errors="replace")
    source = re.sub(r"(?is)<!--.*?-->|<(script|style|pre|code|screen)\b.*?</\1\s*>", " ", source)
    for block in re.split(rf"(?i)</?(?:{BLOCK_TAGS})\b[^>]*>", source):
        yield html.unescape(re.sub(r"<[^>]*>", "", block))


def wordnet_paragraphs(file: Path) -> Iterator[str]:
    """A WordNet data file -> the gloss of each synset: its definition and its examples, as sentences."""
    for line in file.read_text().splitlines():
        if not line.startswith(" ") and "|" in line:
            head, gloss = line.split("|", 1)
            word = head.split()[4].replace("_", " ").split("(")[0]
            definition, *examples = re.split(r';\s*(?=")', gloss.strip())
            parts = [f"{word}: {definition}"] + [example.strip(' "') for example in examples]
            yield " ".join(part[:1].upper() + part[1:].rstrip(".;") + "." for part in parts if part)


def dict_paragraphs(file: Path) -> Iterator[str]:
    """A dictd database -> its paragraphs, without link braces."""
    text = gzip.decompress(file.read_bytes()).decode(errors="replace")
    for block in re.split(r"\n\s*\n", text):
        yield re.sub(r"[{}]", "", block)


def gcide_paragraphs(file: Path) -> Iterator[str]:
    """GCIDE -> its definitions, quotations and notes, without head words, sources and pronunciation marks."""
    for block in dict_paragraphs(file):
        if "\\" not in block:
            plain = re.sub(r"\[[^\]]*\]|--\s*[A-Z][\w.,&' ]*\n|--\s*[A-Z][\w.,&' ]*$|\bNote:", "\n", block)
            yield re.sub(r"(^|\s)\d+\.\s|\([a-z]\)", r"\1", plain)


def sword_paragraphs(file: Path) -> Iterator[str]:
    """The index of a compressed SWORD module -> its verses' text or comments, without notes and titles."""
    packed = file.with_suffix(".bzz").read_bytes()
    for start, length, _ in struct.iter_unpack("<3I", file.read_bytes()):
        book = zlib.decompress(packed[start : start + length]).decode(errors="replace")
        book = re.sub(r"(?s)<note\b.*?</note>|<title\b.*?</title>", " ", book)
        for block in re.split(r"(?i)<(?:/p|p|br|div|lb|milestone)\b[^>]*>|\n\s*\n|\x00", book):
            yield html.unescape(re.sub(r"<[^>]*>", " ", block))


def austen_paragraphs(file: Path) -> Iterator[str]:
    """An R lazy-load database of character vectors -> paragraphs; a vector is the lines of a book."""
    packed = file.read_bytes()
    for start in (found.start() for found in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", packed)):
        try:
            values = zlib.decompressobj().decompress(packed[start:])
        except zlib.error:
            continue
        lines, place = [], 0
        for found in re.finditer(rb"\x00[\x04\x00][\x00-\xff]\x09(?=\x00\x00)", values):
            (length,) = struct.unpack(">i", values[found.end() : found.end() + 4])
            if found.start() >= place and length < 200:
                place = found.end() + 4 + length
                lines.append(values[found.end() + 4 : place].decode(errors="replace"))
        yield from re.split(r"\n\s*\n", "\n".join(lines))


def quoted_paragraphs(file: Path) -> Iterator[str]:
    """Game data -> the strings marked for translation, _("...") or _ "...", without markup."""
    source = file.read_text(errors="replace")
    for found in re.finditer(r'(?s)_\s*\(?\s*"((?:[^"\\]|\\.)*)"', source):
        text = re.sub(r"\\\n", "", found[1])
        yield from re.split(r"\n\s*\n|\\n\\n", re.sub(r"<[^>]*>|\?[a-z]+:", "", text).replace("\\n", " "))


def plain_paragraphs(file: Path) -> Iterator[str]:
    """Plain text -> what empty lines or rules of %%%% separate."""
    yield from re.split(r"\n\s*\n|\n%%%%", file.read_text(errors="replace"))


READERS = {
    "html": html_paragraphs,
    "wordnet": wordnet_paragraphs,
    "dict": dict_paragraphs,
    "gcide": gcide_paragraphs,
    "sword": sword_paragraphs,
    "austen": austen_paragraphs,
    "quoted": quoted_paragraphs,
    "plain": plain_paragraphs,
}
