"""A case in, the first law that a split of it breaks out."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
from fuzz_case import Case
from fuzz_samples import SAMPLES

from caesura import CaesuraError, Chunk, Segmentation, SettingError, sentences
from caesura.edges import is_tiling
from caesura.text.blocks import blocks
from caesura.text.refine import refine

SECONDS_PER_MB = 2.0


class BrokenError(Exception):
    """A law that was broken: its name, and what was found."""


def hold(law: str, holds: object, found: object = "") -> None:
    """Raises `BrokenError` unless it holds."""
    if not holds:
        raise BrokenError(law, str(found)[:300])


def sentences_tile(text: str) -> None:
    """Sentences are a tiling without blank units, and the same ones every time."""
    edges = sentences(text)
    hold("sentences() tile the text", is_tiling(edges, len(text)), edges)
    units = [text[a:b] for a, b in pairwise(edges.tolist())]
    hold("no sentence is blank", not text.strip() or all(unit.strip() for unit in units), units)
    hold("sentences() twice are the same", np.array_equal(edges, sentences(text)))


def split_keeps_the_laws(case: Case, text: str) -> list[Chunk]:
    """All that a split of one text promises."""
    splitter, largest = case.splitter, case.splitter.limits.max_size
    case.embed.asked.clear()
    try:
        batch = splitter.prepare([text])
    except SettingError as error:
        most = largest or 2 * (splitter.limits.target_size or len(text))
        alone = any(splitter.size(one) > most for one in set(text))
        hold("a SettingError only where one code point is over the limit", alone, error)
        return []
    (made,) = splitter.finish(
        batch, case.embed(batch.texts) if batch.texts else np.zeros((0, case.embed.d), np.float32)
    )
    units_keep_the_laws(case, text, made)
    for shown in case.embed.asked:
        hold("nothing blank is embedded", shown.strip(), ascii(shown))
        hold(
            "what is embedded can be written in UTF-8",
            not any("\ud800" <= one <= "\udfff" for one in shown),
            ascii(shown),
        )
        small = largest is None or splitter.view is not None or splitter.size(shown) <= largest
        hold("nothing over the limit is embedded", small, ascii(shown))
    chunks, wide = made.chunks(), made.chunks(case.overlap)
    chunks_keep_the_laws(case, text, chunks, 0)
    chunks_keep_the_laws(case, text, wide, case.overlap)
    headings_have_text_below(case, text, chunks)
    hold("an overlap moves starts alone", [one.end for one in wide] == [one.end for one in chunks])
    vectors = made.vectors()
    hold("one vector per chunk", vectors.shape == (len(chunks), case.embed.d), vectors.shape)
    return chunks


def units_keep_the_laws(case: Case, text: str, made: Segmentation) -> None:
    """Units and groups tile the text, and refine() has no more to do."""
    splitter, largest = case.splitter, case.splitter.limits.max_size
    hold("units tile the text", is_tiling(made.units, len(text)), made.units)
    hold("groups tile the text", is_tiling(made.edges, len(text)), made.edges)
    hold("groups are made of units", np.isin(made.edges, made.units).all())
    hold(
        "a size is 0 for a blank unit alone",
        all(
            bool(text[a:b].strip()) == bool(size)
            for (a, b), size in zip(pairwise(made.units.tolist()), made.sizes, strict=True)
        ),
    )
    if largest is not None:
        hold("refine() only adds edges", np.isin(splitter.segment(text), made.units).all())
        again = refine(text, made.units, splitter.size, largest)
        hold("refine() is idempotent", np.array_equal(again, made.units), np.setdiff1d(again, made.units))
        for a, b in pairwise(made.units.tolist()):
            measured = splitter.size(text[a:b]), splitter.size(text[a:b].strip())
            one_blank = b - a == 1 and text[a].isspace()  # cannot be cut, is never embedded and no chunk of its own
            hold("a unit fits whole and trimmed", one_blank or max(measured) <= largest, ascii(text[a:b]))


def chunks_keep_the_laws(case: Case, text: str, chunks: list[Chunk], overlap: int) -> None:
    """Chunks are rising slices within the limit, none blank, and what is outside them is whitespace."""
    splitter, largest, end, start = case.splitter, case.splitter.limits.max_size, 0, -1
    for chunk in chunks:
        hold("a chunk is a slice of its text", chunk.text == text[chunk.start : chunk.end] != "", chunk)
        hold("chunks rise", chunk.start > start and (overlap or chunk.start >= end) and chunk.end > end, chunk)
        hold("no chunk is blank", chunk.text.strip(), ascii(chunk.text))
        hold(
            "a trimmed chunk has no whitespace at its ends",
            not splitter.trim or chunk.text == chunk.text.strip() or is_indented(text, chunk),
            ascii(chunk.text),
        )
        hold("nothing but whitespace is lost", not text[end : chunk.start].strip(), ascii(text[end : chunk.start]))
        if largest is not None:
            size = splitter.size(chunk.text)
            hold(
                "no chunk is over the limit" + " and its overlap" * bool(overlap),
                size <= largest + overlap,
                f"{size}: {chunk.text!a}",
            )
        start, end = chunk.start, chunk.end
    hold("nothing but whitespace is lost", not text[end:].strip(), ascii(text[end:]))


def is_indented(text: str, chunk: Chunk) -> bool:
    """Whether a chunk begins with the indentation of its first line, as code does, and has no other whitespace."""
    begins = not chunk.start or text[chunk.start - 1] in "\n\r"
    return begins and chunk.text.lstrip(" \t") == chunk.text.strip()


def headings_have_text_below(case: Case, text: str, chunks: list[Chunk]) -> None:
    """No chunk ends with a heading if that takes at most half of the limit, and the first line below it fits too."""
    limits, measure = case.splitter.limits, case.splitter.size
    if case.splitter.segment is not sentences or len(text) > 20_000:
        return
    least = min(filter(None, (limits.max_size, limits.target_size)), default=None)
    ends, run = {chunk.end for chunk in chunks}, -1
    for (start, end, kind), (below, _, following) in pairwise([*blocks(text, lists=False), (len(text), 0, "end")]):
        run = (start if run < 0 else run) if kind == "heading" else -1
        shown = start + len(text[start:end].rstrip())
        if run < 0 or shown not in ends or following in ("heading", "rule", "closing", "end"):
            continue
        line = text[below:].lstrip().partition("\n")[0]
        room = least is None or (
            measure(text[run:shown]) * 2 <= least and measure(text[run:below] + line) <= least and len(line) < least
        )
        hold("no chunk ends with a heading", not room, ascii(text[run : below + 40]))


def in_linear_time(what: str, text: str, run: Callable[[], object], more: Callable[[], float] = float) -> None:
    """Raises `BrokenError` where the fastest of three runs takes over 2 s per megabyte of UTF-8, and `more`."""
    allowed = 0.005 + SECONDS_PER_MB * len(text.encode("utf-8", "surrogatepass")) / 1e6 + more()
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
        if best <= allowed:
            return
    raise BrokenError(f"{what} take at most {SECONDS_PER_MB:g} s per MB", f"{best:.3f} s for {len(text)} characters")


def check(case: Case) -> None:
    """Raises `BrokenError` for the first law that the case breaks."""
    text = case.text
    try:
        in_linear_time("sentences()", text, lambda: sentences(text))
        sentences_tile(text)
        chunks = split_keeps_the_laws(case, text)
        if case.times > 1 and case.splitter.size is len and case.splitter.segment is sentences:
            in_linear_time(
                "chunks",
                text,
                lambda: case.splitter.split(text, lambda texts: np.ones((len(texts), case.embed.d))),
                lambda: 0.0002 * count(case, text),
            )
        if len(text) < 2000 and chunks:
            other = SAMPLES[len(text) % len(SAMPLES)]
            try:
                alone = [case.splitter.split(one, case.embed) for one in (other, text)]
            except SettingError:
                return
            hold("many texts are cut as each alone", case.splitter.split_many([other, text], case.embed, 3) == alone)
    except (BrokenError, KeyboardInterrupt, MemoryError):
        raise
    except CaesuraError as error:
        raise BrokenError(f"no {type(error).__name__} for settings that can be met", error) from error
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise BrokenError(
            f"nothing but a CaesuraError: {type(error).__name__} in {Path(where.filename).name}",
            f"{error} (line {where.lineno})",
        ) from error


def count(case: Case, text: str) -> int:
    """The number of units."""
    return len(case.splitter.prepare([text]).units[0])


def broken_by(case: Case) -> tuple[str, str] | None:
    """The law that a case breaks, and what was found; None where it keeps all."""
    try:
        check(case)
    except BrokenError as error:
        return error.args[0], error.args[1]
    return None
