"""A number of seconds -> hostile texts and settings for so long, each law that a split breaks, shrunk, and a summary.

    python benchmarks/fuzz.py [seconds] [--seed 0] [--first 0] [--documents 0]

Case n of a seed is always the same text and the same settings: `--first n --documents 1` runs that one alone. A law
that is broken is printed with a text as short as was found that breaks it; the exit code is 1 where one was.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
import traceback
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from caesura import (
    Adjacent,
    Average,
    Background,
    CaesuraError,
    Chunk,
    ClusterCut,
    Cohesion,
    Count,
    DistanceThreshold,
    DoublePassCut,
    Elbow,
    Gradient,
    Interquartile,
    Limits,
    NClusters,
    Neighbours,
    OptimalCut,
    Overlapping,
    Percentile,
    PercentileCut,
    Segmentation,
    SettingError,
    Silhouette,
    Splitter,
    StandardDeviation,
    Ward,
    aligned,
    joined,
    sentences,
    tokens,
    utf8_bytes,
    words,
)
from caesura.edges import is_tiling
from caesura.text.refine import refine

SECONDS_PER_MB = 2.0
SHRINK_SECONDS = 20.0
SHOWN_OF_A_KIND = 3

SAMPLES = (
    (
        "# Tide gauges\n\nA gauge reads the sea, e.g. every 6 min. Mr. Ó Dálaigh (b. 1961) built ours!\n"
        "\n## Parts\n\n| part | cost |\n|:-----|-----:|\n| float | 3.50 € |\n| drum \\| pen | 12 |\n"
        "\n- rope,\n  wet\n- nails:\n  1. long\n  2. short\n\n> It never failed.\n>> Never?\n"
        '\n```python\nfor x in sea:\n    print(x)  # "a.b"\n```\n\n    indented = code()\n\n'
        "Done[^1]. See <https://example.org/a.b?c=d>.\n\n[^1]: Nearly.\n"
    ),
    (
        '"""Reads gauges."""\n\nfrom sea import tide\n\n\nclass Gauge:\n    """One gauge. It has a float'
        '."""\n\n    def read(self, at: float = .5) -> str:\n        if at > 1.0 and not self.dry:\n'
        '            return f"{at:.2f}"\n        return {\'a\': [1, (2, 3)], "b": "x.y. Z"}["b"]\n'
        "\n\n@cached\ndef mean(xs): return sum(xs) / len(xs)\n"
    ),
    (
        "function tide(at) {\n  const x = `${at}. Now?`; // Why. Because!\n  return [1, 2].map((n) => ({ n, at })"
        ");\n}\n\n/* A block.\n * Of lines. */\nexport default tide;\n"
    ),
    (
        "<!DOCTYPE html>\n<html><body>\n<h1>Tides</h1><p>The sea rose. It fell.</p>\n<table><tr><td>a</td><td>1.5"
        "</td></tr>\n<tr><td>b</td></tr></table>\n<pre>\n x. y\n</pre>\n<!-- no. yes -->\n<script>if (a < b) { c("
        "); }</script></body>"
    ),
    ('{"tides": [{"at": "05:40", "m": 3.2, "note": "High. Wind."}, {"at": null, "m": -1e-3}],\n "ok": true}\n'),
    'at,height,note\n05:40,3.2,"High, windy. ""Very"" so."\n11:52,0.4,\n"18:0\n1",3.1,é\n',
    (
        "\\section{Tides}\nLet $h(t)=\\sum_i a_i$. Then\n\\begin{equation}\n h = a_0. \\label{h}\n"
        "\\end{equation}\n$$ x^2 \\ge 0. $$\n\\[ \\int f. \\]\n\\begin{tabular}{ll} a & b \\\\ c & d \\end{tabula"
        "r}\nSee Fig.~3, cf. [2, p. 7].\n"
    ),
    (
        "---\ntitle: Tides\ntags: [sea, moon]\n---\n\nANNA: Is it high?\nBEN: No... wait. It is!\n"
        "ANNA: \"Then go,\" he said. 'Go!'\n[12:03] <ben> ok :) see http://a.b/c?d=e.f and mail x.y@z.org.\n"
    ),
    (
        "ANNUAL REPORT 2026                                  Page 3\n\nThe gauge was moved in the spring, for the"
        " old pier had be-\ncome unsafe. Readings went on\nthe same day.\n\nStation     1999    2000\n"
        "North       3.1     3.2\n\x0cANNUAL REPORT\n\nof tides.\n"
    ),
    (
        "Der Pegel stieg z. B. am 3. Mai um ca. 2,5 m. „Wirklich?“, fragte Dr. Weiß. Ja! L'eau « monte », M. Roy."
        " ¿Cuánto? ¡Mucho!"
    ),
    (
        "Река вышла из берегов 3 мая, т. е. рано. «Неужели?» — спросил И. П. Ветров. Да… Ποιος ήρθε; Η θάλασσα. Ծ"
        "ովը բարձրացավ։ Ո՞վ եկավ։"
    ),
    ("ارتفع البحر اليوم، أليس كذلك؟ نعم! ثم هدأ؛ قال د. علي. הים עלה היום. מי בא? \u200fטוב!\u200e سلامٌ عليكم۔"),
    ("समुद्र आज ऊँचा था। क्या यह सच है? क्षत्रिय श्री ज्ञान॥ সমুদ্র উঁচু ছিল। ক্ষমা। கடல் உயர்ந்தது. க்ஷ శ్రీ ක්\u200dෂ ക്ഷ ಕ್ಷ"),
    (
        "น้ำขึ้นในตอนเช้าและลงในตอนเย็นของวันเดียวกัน แล้วก็กลับมาอีกครั้งในวันถัดไป ទ\u17b9កឡ\u17beងន\u17c5ព"
        "\u17c1លព\u17d2រ\u17b9ក។ ព\u17b7តទ\u17c1៖ ရေတက်သည်။ ဟုတ်လား၊ ཆུ་མཚོ་འཕར་སོང་། ཨོཾ༎ ባሕሩ ከፍ አለ። እውነት፧"
    ),
    (
        "今天海水很高。真的吗？真的！他说：“走吧。”然后走了……（完）「静かだ。」と彼は言った。本当？はい！바다가 "
        "높았다. 정말? 그래! 각ᆨ 한글"
    ),
    (
        "👩\u200d🚀🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 1\ufe0f\u20e3 👍🏽👨\u200d👩"
        "\u200d👧\u200d👦 🇩🇪🇫🇷🇯 e\u0301\u0323 Z\u0351\u036b\u0313\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324"
        "\u031e\u0349\u035a\u032f\u031e\u0320\u034dA\u0334\u0335\u031c\u0330\u0354\u036b\u0357\u0362L ﷽ ﬁ ǆ 𝒳 "
        "\U000e0041\u200b\ufeff"
    ),
)

MARKS = (
    *".!?,;:()[]{}<>\"'`|#-*_=~+$\\/&%@^ \t\n\r\x0b\x0c\x00\x1c\x1f\x7f\x85\xa0\xad",
    *"。！？、，；：「」『』（）“”‘’„«»‹›…‥—–‐·•।॥؟،؛۔።፧།༎៖។၊။։՞\u200b\u200c\u200d\u200e\u200f\u2028",
    *"\u2029\u202e\u2060\u3000\ufe0f\ufeff�",
    "```", "~~~", "````md", "$$", "\\[", "\\]", "\\(", "\\begin{equation}", "\\end{equation}", "\\begin{table}",
    "---\n", "***", "\n\n", "\n\n\n\n", "\r\n", "\r\n\r\n", "\n\r", "\n    ", "\n\t", "\n> ", "\n>>", "\n- ", "\n* ",
    "\n1. ", "\n10) ", "\n# ", "\n###### ", "\n|", "|\n", "\n|-|-|\n", "|---", "\n===\n", "<table>", "</table>",
    "<tr><td>", "<pre>", "</pre>", "<!--", "-->", "<script>", "</", "<a ", "<![CDATA[", "...", "....", ". . .", "?!",
    "e.g. ", "Dr. ", "U.S. ", "No. 5", "3.14", "a.b.c", "http://x.y/z.", "x@y.z", "\n[1]", "[^1]: ", "e\u0301",
    "\u0301", "\u0e33", "\u0903", "\u094d", "\u0915\u094d\u0937", "\u1100\u1161\u11a8", "\u1160", "\U0001f1e6",
    "\U0001f3fb", "\u20e3", "\U000e007f", "\U0001f469\u200d", "\ud800", "\udfff", "\ud83d\ude00", "\u0600",
    "\U000110bd", "\U0010ffff", "\ufdfd", "\u1e9e", "\u0130",
)  # fmt: skip

BLOCKS = (
    (0x00, 0x7F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x8FF), (0x900, 0xDFF), (0xE00, 0xFFF),
    (0x1000, 0x109F), (0x1100, 0x11FF), (0x1200, 0x139F), (0x1680, 0x18AF), (0x2000, 0x206F), (0x20A0, 0x214F),
    (0x2190, 0x2BFF), (0x2E80, 0x30FF), (0x3400, 0x3500), (0x4E00, 0x5000), (0xA000, 0xABFF), (0xAC00, 0xAD00),
    (0xD7B0, 0xD7FF), (0xD800, 0xDFFF), (0xE000, 0xE010), (0xFB00, 0xFE2F), (0xFE30, 0xFFFF), (0x10000, 0x11FFF),
    (0x1F1E6, 0x1F1FF), (0x1F300, 0x1FAFF), (0xE0000, 0xE01EF), (0x10FFF0, 0x10FFFF),
)  # fmt: skip

OPENERS = (
    "(", "[", "{", "“", "«", "「", '"', "'", "`", "> ", ">", "<table>", "<div>", "```\n", "$$", "\\[", "- ", "  ",
    "\n  - ", "\\begin{equation}", "**",
)  # fmt: skip

# --- texts ------------------------------------------------------------------------------------------------------------


def odd_character(rng: random.Random) -> str:
    """Any code point, blocks with rules of their own far more often than their share."""
    return chr(rng.randint(*rng.choice(BLOCKS)) if rng.random() < 0.9 else rng.randrange(sys.maxunicode + 1))


def piece_of(rng: random.Random) -> str:
    """Something to put into a text."""
    kind = rng.randrange(10)
    if kind < 4:
        return rng.choice(MARKS)
    if kind < 6:
        return "".join(odd_character(rng) for _ in range(rng.choice((1, 1, 2, 8, 40))))
    if kind == 6:
        return rng.choice(MARKS) * rng.choice((2, 3, 10, 100, 1000))
    if kind == 7:
        return "".join(rng.choice("abcdefXYZéя中") for _ in range(rng.choice((5, 30, 300, 3000))))
    if kind == 8:
        depth = rng.choice((2, 5, 30, 200))
        return "".join(rng.choice(OPENERS) for _ in range(depth)) if rng.random() < 0.5 else rng.choice(OPENERS) * depth
    sample = rng.choice(SAMPLES)
    start = rng.randrange(len(sample))
    return sample[start : start + rng.choice((3, 20, 200))]


def mutated(text: str, rng: random.Random) -> str:
    """A text with one thing done to it."""
    if not text:
        return piece_of(rng)
    at = rng.randrange(len(text) + 1)
    to = min(len(text), at + rng.choice((1, 2, 5, 20, 100, 1000)))
    kind = rng.randrange(14)
    if kind < 6:
        return text[:at] + piece_of(rng) + text[at:]
    if kind == 6:
        return text[:at] + text[to:]
    if kind == 7:
        return text[:at] + text[at:to] * rng.choice((2, 3, 20)) + text[to:]
    if kind == 8:
        return text[:at]  # what was open stays open
    if kind == 9:
        return text[at:]
    if kind == 10:
        return text.replace("\n", rng.choice(("\r\n", "\r", " ", "\n\n", "", "\u2028", "\n> ", "\n    ", "\x85")))
    if kind == 11:
        return text.replace(" ", rng.choice(("", "\u00a0", "\n", "  ", "\t", "\u3000", "\u200b")))
    if kind == 12:
        return rng.choice((text.upper, text.lower, text.swapcase, lambda: text[::-1]))()
    return unicodedata.normalize(rng.choice(("NFD", "NFC", "NFKD")), text)


def made_text(rng: random.Random) -> tuple[str, int]:
    """A part and how many times it comes: mostly once; sometimes so often that what is not linear shows."""
    kind = rng.randrange(20)
    if kind < 12:
        text = "".join(
            rng.choice(SAMPLES) + rng.choice(("", "\n", "\n\n", " ")) for _ in range(rng.choice((1, 1, 1, 2, 4)))
        )
        if rng.random() < 0.3:
            text = text[(cut := rng.randrange(len(text))) : cut + 300]
        for _ in range(rng.choice((0, 1, 2, 4, 8, 20))):
            text = mutated(text, rng)
    elif kind < 18:
        text = "".join(piece_of(rng) for _ in range(rng.choice((1, 2, 3, 5, 10, 30))))
    else:
        text = "".join(odd_character(rng) for _ in range(rng.choice((1, 10, 100, 1000))))
    text = text[:30_000]
    if rng.random() < 0.03:
        text = rng.choice((text, piece_of(rng), rng.choice(MARKS), rng.choice(MARKS) + rng.choice(MARKS)))[:3000] or "x"
        return text, rng.choice((60_000, 200_000)) // len(text) + 1
    return text, 1


# --- settings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FakeBPE:
    """A tokenizer whose counts do not add up: some pieces, drawn by `seed`, are entries of its vocabulary and cheap.

    A whole word can cost less than its beginning, a space makes a word cheaper or dearer, and a code point alone costs
    its bytes.
    """

    seed: int

    def __call__(self, text: str) -> range:
        return range(sum(cost(self.seed, piece) for piece in PIECE.findall(text)))


PIECE = re.compile(r" ?[^\W\d_]+|\d{1,3}|[^\S\n]+|\n+|[^\w\s]{1,4}|.", re.DOTALL)


def cost(seed: int, piece: str) -> int:
    """The tokens of one piece."""
    size = len(piece.encode("utf-8"))
    if len(piece) == 1:
        return size
    return 1 + size // 24 if crc32(piece.encode("utf-8"), seed) % 2 else -(-size // 3)


def dear_ends(text: str) -> int:
    """A sizer to which whitespace at either end is dear, so that a longer text can measure less."""
    return len(text) + 3 * (text != text.strip())


def dear_start(text: str) -> int:
    """A sizer that charges for every text it is given, and for its first word again, as special tokens do."""
    return len(text) + 2 + (text[:1].isalpha() and not text.isspace()) if text else 0


@cache
def tiktoken_encode() -> Callable[[str], list[int]] | None:
    """OpenAI's tokenizer from the data that llama-index-core carries; None where one of the two is missing."""
    core = find_spec("llama_index.core") if find_spec("llama_index") else None
    data = Path(core.origin).parent / "_static" / "tiktoken_cache" if core and core.origin else Path()
    if not data.is_dir() or find_spec("tiktoken") is None:
        return None
    from tiktoken import get_encoding

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(data)
    try:
        return get_encoding("cl100k_base").encode_ordinary  # type: ignore[no-any-return]
    finally:
        os.environ.pop("TIKTOKEN_CACHE_DIR") if before is None else os.environ.update(TIKTOKEN_CACHE_DIR=before)


@dataclass(frozen=True, slots=True)
class AtPattern:
    """A segmenter by `re`: the pieces between matches, or with the matches, stripped or not."""

    pattern: str
    stripped: bool

    def __call__(self, text: str) -> list[str]:
        found = [piece for piece in re.split(self.pattern, text) if piece]
        return [piece.strip() for piece in found] if self.stripped else found


@dataclass(frozen=True, slots=True)
class AtEvery:
    """A segmenter of edges, blank units among them: one behind every match and at random places besides."""

    pattern: str
    seed: int

    def __call__(self, text: str) -> Any:
        rng = random.Random(self.seed)
        ends = {match.end() for match in re.finditer(self.pattern, text)} | {0, len(text)}
        ends |= {rng.randrange(1, max(len(text), 2)) for _ in range(rng.choice((0, 3, 30)))}
        return np.array(sorted(end for end in ends if end <= len(text)), dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Vectors:
    """An embedder: rows drawn by the text and `seed`, of one kind. Keeps what it was asked."""

    kind: str
    seed: int
    d: int
    asked: list[str] = field(default_factory=list, compare=False, repr=False)

    def __call__(self, texts: Sequence[str]) -> Any:
        self.asked.extend(texts)
        with np.errstate(all="ignore"):
            rows = np.array([self.row(text) for text in texts], np.float64).reshape(len(texts), self.d)
            rows = rows if self.kind == "float64" else rows.astype(np.float32)
        return rows.tolist() if self.kind == "lists" else rows

    def row(self, text: str) -> Any:
        draw = np.random.default_rng([self.seed, crc32(text.encode("utf-8", "surrogatepass"))])
        row = draw.normal(size=self.d) + (2 * (len(text) % 3 == 0))
        if self.kind == "zeros":
            return row * 0
        if self.kind == "alike":
            return np.ones(self.d)
        if self.kind in ("odd", "lists") and draw.random() < 0.4:
            return row * draw.choice([0.0, -0.0, 1e-45, 1e-30, 1e30, 3e38, np.nan, np.inf, -np.inf])
        if self.kind == "float64":
            return row * 10.0 ** draw.integers(-300, 300)
        return row


def made_splitter(rng: random.Random, length: int) -> tuple[Splitter, int]:
    """Settings at random, as such that suit a text of that length, and an overlap."""
    sizes: list[Any] = [len, len, utf8_bytes, words, dear_ends, dear_start, tokens(FakeBPE(rng.randrange(100)))]
    largest = rng.choice(
        (None, 1, 2, 3, 4, 5, 7, 12, 20, 40, 80, 150, 300, 512, 1000, 2000, 5000, rng.randint(1, 5000))
    )
    if length > 20_000:
        largest = None if largest is None else max(largest, 300)
    elif tiktoken_encode() and (largest is not None or length < 3000):
        sizes += [tokens(tiktoken_encode())] * 2
    smallest = rng.choice((0, 0, 0, 1, 5, 50, 500))
    segment = rng.choice(
        (
            *(sentences,) * 6,
            aligned(AtPattern(rng.choice((r"(?<=[.?!])\s+", r"\n+", r"(\W)", r"\b", "(?<=。)")), rng.random() < 0.5)),
            aligned(str.splitlines),
            aligned(str.split),
            AtEvery(rng.choice((r"\n", r"[.!?]\s*", r"\s", r"(?=\S)")), rng.randrange(1 << 20)),
        )
    )
    window = rng.choice((Adjacent(rng.randint(1, 5)), Neighbours(), Overlapping(rng.randint(0, 3))))
    threshold = rng.choice(
        (
            Percentile(rng.choice((0, 50, 80, 95, 100))),
            StandardDeviation(rng.uniform(-2, 3)),
            Interquartile(rng.uniform(-1, 2)),
            Gradient(rng.choice((0, 50, 95, 100))),
            Count(rng.choice((1, 2, 5, 100))),
        )
    )
    three = [rng.choice((-1.0, 0.0, 0.2, 0.5, 1.0)) for _ in range(3)]
    least, half, few = rng.choice((1, 3, 9)), rng.choice((0, 0.25, 5)), rng.choice((1, 2, 30))
    stop = rng.choice((None, Elbow(), Silhouette(), NClusters(few), DistanceThreshold(rng.choice((0, 0.5, 2)))))
    cut = rng.choice(
        (
            DoublePassCut(),
            DoublePassCut(*three, rng.randint(0, 4), least),
            PercentileCut(),
            PercentileCut(window, threshold),
            OptimalCut(),
            OptimalCut(rng.choice((0, 0.5, 3)), structure=rng.choice((0, 0.3, 2)), half_weight=half),
            OptimalCut(n_chunks=few),
            OptimalCut(target_size=rng.choice((1, 30, 400, 9000))),
            ClusterCut(),
            ClusterCut(rng.choice((Average(), Cohesion(), Ward())), stop, half),
        )
    )
    limits = Limits(largest, smallest if largest is None else min(smallest, largest))
    view = joined(rng.randint(0, 2)) if rng.random() < 0.1 else None
    overlap = rng.choice((0, 0, 1, 10, 100))
    return Splitter(limits, rng.choice(sizes), segment, view, cut, None, rng.random() < 0.7), overlap


@dataclass(slots=True)
class Case:
    """One text and its settings, made from a seed and a number alone."""

    part: str
    times: int
    splitter: Splitter
    overlap: int
    embed: Vectors

    @classmethod
    def of(cls, seed: int, number: int) -> Case:
        rng = random.Random(seed * 1_000_003 + number)
        part, times = made_text(rng)
        kind = rng.choice(("plain", "plain", "odd", "lists", "float64", "zeros", "alike"))
        embed = Vectors(kind, rng.randrange(1000), rng.choice((1, 2, 8)))
        splitter, overlap = made_splitter(rng, len(part) * times)
        if rng.random() < 0.3:
            weight = rng.choice((0.5, 64.0, float("inf")))
            mean = np.random.default_rng(rng.randrange(1000)).normal(size=embed.d) / 3
            splitter = Splitter(
                splitter.limits,
                splitter.size,
                splitter.segment,
                splitter.view,
                splitter.cut,
                Background(mean, weight),
                splitter.trim,
            )
        return cls(part, times, splitter, overlap, embed)

    @property
    def text(self) -> str:
        return self.part * self.times

    def __str__(self) -> str:
        text = ascii(self.part) if len(self.part) < 3000 else f"{self.part[:1500]!a} … ({len(self.part)} characters)"
        made = f"{text} * {self.times}" if self.times > 1 else text
        return f"    text = {made}\n    splitter = {self.splitter}\n    embed = {self.embed}; overlap = {self.overlap}"


# --- laws -------------------------------------------------------------------------------------------------------------


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
        alone = largest is not None and any(splitter.size(one) > largest for one in set(text))
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
            not splitter.trim or chunk.text == chunk.text.strip(),
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


# --- findings ---------------------------------------------------------------------------------------------------------


def broken_by(case: Case) -> tuple[str, str] | None:
    """The law that a case breaks, and what was found; None where it keeps all."""
    try:
        check(case)
    except BrokenError as error:
        return error.args[0], error.args[1]
    return None


def shrunk(case: Case, law: str) -> Case:
    """The same settings and a text as short as can be found that breaks the same law: by halves, then by characters."""

    def breaks(part: str, times: int) -> bool:
        trial = Case(part, times, case.splitter, case.overlap, case.embed)
        found = broken_by(trial) if part and time.monotonic() < until else None
        return found is not None and found[0] == law

    until = time.monotonic() + SHRINK_SECONDS
    part, times = case.part, case.times
    if "per MB" in law:
        for shorter in (part[: len(part) // 2**power] for power in range(12, 0, -1)):
            if shorter and breaks(shorter, len(case.text) // len(shorter)):
                return Case(shorter, len(case.text) // len(shorter), case.splitter, case.overlap, case.embed)
        return case
    for fewer in (1, 2, 5, times // 100, times // 10):
        if 0 < fewer < times and breaks(part, fewer):
            times = fewer
            break
    if times > 1 and len(part) * times < 5000 and breaks(part * times, 1):
        part, times = part * times, 1
    step = max(len(part) // 2, 1)
    while step:
        at = 0
        while at < len(part):
            if breaks(part[:at] + part[at + step :], times):
                part = part[:at] + part[at + step :]
            else:
                at += step
        step //= 2
    for at in range(len(part)):
        if part[at] != "a" and breaks(part[:at] + "a" + part[at + 1 :], times):
            part = part[:at] + "a" + part[at + 1 :]
    return Case(part, times, case.splitter, case.overlap, case.embed)


def fuzz(seed: int, numbers: Iterable[int], seconds: float) -> Counter[str]:
    """Runs cases until the time is over; prints what breaks a law as it comes, and a summary. Returns laws broken."""
    begin, documents, characters = time.monotonic(), 0, 0
    broken: Counter[str] = Counter()
    for number in numbers:
        if time.monotonic() - begin > seconds:
            break
        case = Case.of(seed, number)
        documents, characters = documents + 1, characters + len(case.part) * case.times
        found = broken_by(case)
        if found is None:
            continue
        law, what = found
        broken[law] += 1
        if broken[law] <= SHOWN_OF_A_KIND:
            small = shrunk(case, law)
            what = (broken_by(small) or found)[1]
            print(f"BROKEN: {law}\n    {what}\n    --seed {seed} --first {number}\n{small}\n", flush=True)
    print(f"{documents} documents, {characters} characters, {sum(broken.values())} violations", flush=True)
    for law, times in broken.most_common():
        print(f"{times:8} {law}")
    return broken


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument(
        "--documents", type=int, default=0, help="stop after so many, whatever the time; 0 is any number"
    )
    options = parser.parse_args()
    last = options.first + options.documents if options.documents else sys.maxsize
    np.seterr(all="raise", under="ignore")
    sys.exit(1 if fuzz(options.seed, range(options.first, last), options.seconds) else 0)


if __name__ == "__main__":
    main()
