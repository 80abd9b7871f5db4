"""Titles: what loaders and texts say, what is junk, and what finds a chunk beside its text."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura_documents.titles import (
    TITLES,
    chunk_words,
    document_words,
    file_of,
    headings_of,
    own_title,
    texts_with_contexts,
    title_of,
)


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ({"title": "Annual report", "source": "a.pdf"}, "Annual report"),
        ({"title": "", "document_title": "Annual report"}, "Annual report"),
        ({"Title": "Annual  report\n2018"}, "Annual report 2018"),
        ({"title": "Untitled", "source": "/data/a.pdf"}, "a.pdf"),
        ({"title": "untitled document (2)", "source": "/data/a.pdf"}, "a.pdf"),
        ({"title": "Microsoft Word - report final.docx", "file_name": "a.pdf"}, "a.pdf"),
        ({"title": "PowerPoint-Presentation", "file_name": "a.pdf"}, "a.pdf"),
        ({"title": "Slide 1", "pdf_title": "Tides", "file_name": "a.pdf"}, "Tides"),
        ({"title": "2018-10-03", "file_name": "a.pdf"}, "a.pdf"),
        ({"title": "report_v2.docx", "file_name": "a.pdf"}, "a.pdf"),
        ({"title": "report_v2.docx"}, "report_v2.docx"),
        ({"title": 7, "source": Path("data") / "a.pdf"}, "a.pdf"),
        ({"source": "https://ferries.example/docs/ferry%20fares/?page=2#top"}, "ferry fares"),
        ({"source": "https://ferries.example/"}, "ferries.example"),
        ({"file_path": "C:\\data\\a.txt"}, "a.txt"),
        ({"title": "Untitled"}, ""),
        ({}, ""),
    ],
)
def test_a_title_is_what_metadata_say_without_junk_or_the_name_of_the_file(
    metadata: dict[str, Any], title: str
) -> None:
    assert title_of(metadata) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Ferry fares\n\nTwo coins.\n\n## Children\n\nOne coin.", "Ferry fares"),
        ("![badge](b.svg)\n\n# Ferry fares\n\nTwo coins.", "Ferry fares"),
        ("Ferry fares\n===========\n\nTwo coins.\n\nChildren\n--------\n\nOne coin.", "Ferry fares"),
        ("# Ferry fares\n## Children\nOne coin.", "Ferry fares"),
        ("<h1>Ferry <b>fares</b></h1>\n<p>Two coins.", "Ferry fares"),
        (".. contents::\n\nFerry fares\n~~~~~~~~~~~\n\nTwo.\n\nChildren\n^^^^^^^^\n\nOne.", "Ferry fares"),
        ('---\ntitle: "Ferry fares"\n---\n\n# Fares\n', "Ferry fares"),
        ("+++\ntitle = 'Ferry fares'\n+++\n\n# Fares\n", "Ferry fares"),
        ("<!DOCTYPE html>\n<html><title>Ferry fares - Isles</title><h1>Ferry fares</h1><p>Two.", "Ferry fares"),
        (f"\n<html><head>{'<link rel=x>' * 500}<title>Ferry fares</title>", "Ferry fares"),
        ("---\ntitle: >-\n  odd\n---\n# Fares\n", "Fares"),
        ("#+TITLE: Ferry fares\n\n* Children", "Ferry fares"),
        ("\\documentclass{article}\n\\title{Ferry fares}\n\\begin{document}\n\\section{Children}", "Ferry fares"),
        ("= Ferry fares\n\nTwo coins.", "Ferry fares"),
        ("\ufeff# Ferry fares\r\n\r\nTwo coins.", "Ferry fares"),
        ("\ufeff\ufeff  #\tFerry fares\rTwo coins.", "Ferry fares"),
        ("Two coins.\n\nFerry fares\n=== \t", "Ferry fares"),
        ("\\part*{Ferry fares}\n\\section{Children}", "Ferry fares"),
        ("Two coins.\n<H1>Ferry fares</H1>", "Ferry fares"),
        ("## Children\n\nOne coin.\n\n## Others\n\nTwo.", ""),
        ("# January\n\nOne coin.\n\n# February\n\nTwo.", ""),
        ("## Use\n\n```python\nx = 1\n```\n\n# Alternatively, use y\n", ""),
        ("# Licensed to the Foundation\n# under one or more agreements\n\nimport os\n", ""),
        ("title: no front matter\n\nTwo coins.", ""),
        ("1. Introduction\n\nTwo coins.", ""),
        ("Two coins.\n" * 800 + "\n# Ferry fares\n", ""),
        ("", ""),
    ],
)
def test_a_text_says_its_title_where_it_has_one(text: str, title: str) -> None:
    assert own_title({}, text) == title
    assert own_title({"title": "Untitled"}, text) == title
    assert title_of({"title": "Tides"}, text) == "Tides"
    assert title_of({"source": "a/b.md"}, text) == (title or "b.md")


def test_of_a_chunk_the_title_is_the_heading_of_level_one_above_it() -> None:
    chunk = "# Children\n\nOne coin."
    assert title_of({"Header 1": "Ferries", "Header 2": "Fares", "source": "a.md"}, chunk) == "Ferries"
    assert title_of({"Header 2": "Fares", "source": "a.md"}, chunk) == "a.md"
    assert title_of({"headings": ["Ferries", "Fares"], "heading_levels": [1, 2], "source": "a.md"}) == "Ferries"
    assert title_of({"headings": "Ferries > Fares", "heading_levels": "1, 2", "source": "a.md"}) == "Ferries"
    assert title_of({"headings": ["Ferries", "Fares"], "heading_levels": [2, 3], "source": "a.md"}) == "a.md"
    assert title_of({"headings": ["Ferries"], "source": "a.md"}, chunk) == "a.md"


@pytest.mark.parametrize(
    ("metadata", "file"),
    [
        ({"file_path": "/data/a.txt", "source": "wiki"}, "/data/a.txt"),
        ({"source": "wiki", "file_name": "a.txt"}, "a.txt"),
        ({"source": "wiki", "kind": "talk"}, "wiki"),
        ({"URL": "https://a.example"}, "https://a.example"),
        ({"source": None, "path": Path("a.txt")}, "a.txt"),
        ({}, ""),
    ],
)
def test_a_file_is_a_path_or_an_address_before_a_mere_name(metadata: dict[str, Any], file: str) -> None:
    assert file_of(metadata) == file


def test_a_title_that_is_the_name_of_a_file_finds_a_document_too() -> None:
    assert document_words({"title": "acme_2019.pdf"}) == "acme_2019.pdf"
    assert document_words({"title": "acme_2019.pdf", "source": "s3://b/1"}) == "acme_2019.pdf\ns3://b/1"
    assert document_words({"title": "Acme", "source": "Acme"}) == "Acme"
    assert document_words({}) == ""
    assert document_words({"title": ["Acme"], "source": Path("b/1.txt"), "url": {}}) == str(Path("b/1.txt"))


def test_words_of_a_chunk_are_its_headings_table_blocks_and_speakers_each_once() -> None:
    said = {
        "headings": ["Ferries", "Fares"],
        "table_title": "Fares in shillings",
        "table_header": "| isle | fare |",
        "open_blocks": ['!!! note "Children"', "```python", "/// tip | Tides"],
        "speakers": ["Ann", "Ben", "Ann"],
    }
    lines = ["Ferries > Fares", "Fares in shillings", "| isle | fare |", "Children", "Tides", "Ann", "Ben"]
    assert chunk_words(said).split("\n") == lines
    assert chunk_words({"section": ["Fares"]}, {"headings": "section"}) == "Fares"
    assert chunk_words({"headings": ["Fares"]}, None, {"Header 1": "Ferries"}) == "Ferries > Fares"
    assert chunk_words({"headings": ["Ferries", "Fares"]}, None, {"Header 1": "Ferries"}) == "Ferries > Fares"
    assert chunk_words({"headings": 3, "speakers": 7, "table_title": None, "open_blocks": [4]}) == ""


def test_headings_are_read_as_all_splitters_write_them() -> None:
    assert headings_of({"headings": "Ferries > Fares"}) == ["Ferries", "Fares"]
    assert headings_of({"header 2": "Fares", "header 1": "Ferries", "Header 9": "x"}) == ["Ferries", "Fares"]
    assert headings_of({"header_path": "/"}) == []
    assert headings_of({"headings": [1]}) == []


def test_a_context_counts_with_the_first_of_neighbours_that_share_it() -> None:
    made = texts_with_contexts(["a", "b", "c", "d"], ["x", "x", "", "x"])
    assert made == ["x\na", "b", "c", "x\nd"]


@given(
    st.dictionaries(st.sampled_from([*TITLES, "source", "headings", "Header 1", "speakers", 7]), st.text() | st.none()),
    st.text(),
)
def test_any_metadata_and_text_have_a_title_in_one_line(metadata: dict[Any, Any], text: str) -> None:
    title = title_of(metadata, text)
    assert isinstance(title, str)
    assert own_title(metadata, text) in ("", title)
    chunk_words(metadata)
    document_words(metadata)


@pytest.mark.parametrize("part", ["# x\n", "title: ", "---\n", "= ", "\\title{", '"', "[!", "|", "<h1>"])
def test_the_time_of_a_title_does_not_grow_with_a_long_text(part: str) -> None:
    begun = time.process_time()
    title_of({"title": part * 100_000}, part * 100_000)
    chunk_words({"open_blocks": [part * 100_000]})
    assert time.process_time() - begun < 1
