"""Documents of many kinds: what is cut where, as golden files to be read.

`CAESURA_REWRITE=1` writes the golden files anew; read them then as a careful reader would.
"""

from __future__ import annotations

import os
import re
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from fakes.texts.document_kinds import KINDS, LIMITS, alike, everywhere, read, segment

from caesura import Limits, Span, Splitter
from caesura.text.blocks import trim_chunk

SAMPLES = sorted(path for path in KINDS.iterdir() if path.is_file() and path.suffix != ".golden")


def shown(text: str, start: int, end: int, number: int) -> str:
    """A piece under a line that says where it is; line ends, form feeds and spaces at line ends can be seen."""
    marked = text[start:end].replace("\r", "␍").replace("\f", "␌").replace("\t", "⇥")
    marked = re.sub(" +(?=\n|$)", lambda found: "·" * len(found[0]), marked).replace("\n", "⏎\n")
    return f"--- {number} [{start}, {end})\n{marked}" + ("" if marked.endswith("\n") else "\n")


def golden(name: str) -> str:
    """Sample -> its units, and the pieces of those that are over a limit."""
    text = read(name)
    spans = list(pairwise(segment(text).tolist()))
    parts = [f"=== {name}: {len(spans)} units\n", *(shown(text, *span, i) for i, span in enumerate(spans, 1))]
    whole = {trim_chunk(text, *span): number for number, span in enumerate(spans, 1)}
    for max_size in LIMITS:
        chunks = Splitter(limits=Limits(max_size), cut=everywhere).split(text, alike)
        parts.append(f"\n=== at most {max_size} characters: {len(chunks)} chunks\n")
        numbered = list(enumerate(chunks, 1))
        for same, run in groupby(numbered, key=lambda pair: (pair[1].start, pair[1].end) in whole):
            members = list(run)
            if same:
                first, last = (whole[Span(one.start, one.end)] for _, one in (members[0], members[-1]))
                parts.append(f"--- units {first} to {last}, whole\n" if first < last else f"--- unit {first}, whole\n")
            else:
                parts += [shown(text, chunk.start, chunk.end, number) for number, chunk in members]
    return "".join(parts)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_documents_are_cut_as_their_golden_files_show(path: Path) -> None:
    file, found = path.with_name(path.name + ".golden"), golden(path.name)
    if os.environ.get("CAESURA_REWRITE") == "1":
        file.write_bytes(found.encode("utf-8"))
    assert found == file.read_bytes().decode("utf-8")
