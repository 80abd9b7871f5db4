"""A folder of {language}.json, each [[text, [sentences]], ...] -> the share of texts that are cut exactly right.

    python benchmarks/sentences.py [folder] [--show] [--speed]

Whitespace around sentences is not compared. `--show` prints what is wrong; `--speed` times English prose and input that
was made to be slow, and fails where a megabyte takes over 2 s or two take more than 2.3 times as long as one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from caesura.text.sentences import sentences, units

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "sentences"
TOGETHER = ("de", "fr", "es", "it", "ru", "ja", "zh", "kk", "hy")
PROSE = (
    "The river had risen in the night, and Mr. Hale went down to look at the bridge before breakfast. It was still "
    'there. "We were lucky," he said to nobody in particular, and he wrote the level, 3.42 metres, in his book. On the '
    "other bank the miller's cart stood up to its axles in brown water; the horse had been taken out of it in time. "
    "Who had done that, and when? Nobody in the village would say (they seldom did). By 9 a.m. the sun was out, the "
    "water was falling, and the first of the carts from the U.S. Geological Survey came over the hill with its lamps "
    "lit.\n\n"
)
SLOW = {
    "stops": ".",
    "brackets": "((((",
    "dotted": "a.a.a.",
    "double quotes": '"',
    "curly quotes": "“",
    "guillemets": "«a ",
    "newlines": "\n",
    "lines": "a\n",
    "one letter": "a",
    "one word per space": "word ",
    "spaces": " ",
    "numbers": "1. 1. 1. ",
    "items": "1. a\n",
    "ideographic stops": "。",
    "ideographs": "字",
    "questions": "?! ",
    "fences": "```a\n",
    "formulas": "$$ ",
    "tables": "|a|\n",
    "headings": "# a\n",
    "spaced dots": ". ",
    "bullets": "• a ",
    "Thai": "ก",
    "Thai words": "ก" * 24 + " ",
    "backticks": "`",
    "underscores": "_",
    "carriage returns": "\r\n \r",
    "references": ".[1]",
    "shadow": "། ",
    "empty items": "\n- ",
    "empty items by number": "10) \n",
    "nested items": "\n - a\n  - b",
    "items in brackets": "a) b\n",
    "elements never closed": "\n<pre>",
    "lists never closed": "<ul>\n- a\n",
    "environments never closed": "\n\\begin{align}",
    "formulas never closed": "\n\\[a",
    "docstrings never closed": '\n"""a',
    "all of these": '<pre>\n<ul>\n<ol>\n<table>\n\\begin{align}\n$$\n"""\n',
    "closing tags": "</p>\n",
    "quotations": "\n> ",
    "speakers": "A: b\n",
    "code": "x = {\n\n",
    "capitals": "AB\n\n",
    "front matter": "---\n",
    "notes": "a. [1] ",
    "notes in brackets": "A. (2) ",
    "numbers alone": "1\n\n",
    "bullets alone": "•\n",
    "no letters": "?! (3) ",
    "turns": "Ann: a. b.\nBob: c.\n",
    "turns in paragraphs": "Ann: a.\n\nBob: c.\n\n",
    "speakers never again": "".join(f"N{i}: a.\n" for i in range(30_000)),
    "a note that comes again": "Note: a.\n\nIt rang here.\n\n",
    "times": "[12:03] a.\n",
    "names in angle brackets": "<bob> a.\n",
    "names without an end": "Ann (b (c) ",
    "messages": '{"role": "user", "content": "a. b"}, ',
    "messages without a role": '[{"content": ',
    "lines in brackets": "[a\n",
    "questions of their own": "Why so?\n\n",
    "questions and answers": "Q: Why so?\nA: So. It is.\n\n",
}


def pieces(text: str) -> list[str]:
    """Text -> its sentences."""
    edges = sentences(text).tolist()
    return [text[a:b] for a, b in pairwise(edges)]


def squeeze(text: str) -> str:
    """Text -> the text without whitespace."""
    return "".join(text.split())


def accuracy(folder: Path, show: bool) -> None:
    """Print the share of texts that are cut exactly right, per language."""
    files = sorted(folder.glob("*.json"))
    if not files:
        sys.exit(f"no rule sets: expected {folder} to hold files like en.json, [[text, [sentence, ...]], ...]")
    counts: dict[str, tuple[int, int]] = {}
    for file in files:
        rows = json.loads(file.read_text(encoding="utf-8"))
        right = 0
        for text, expected in rows:
            got = pieces(text)
            good = [squeeze(piece) for piece in got] == [squeeze(piece) for piece in expected]
            right += good
            if show and not good:
                print(f"{file.stem}: expected {json.dumps(expected, ensure_ascii=False)}")
                print(f"{' ' * len(file.stem)}       got {json.dumps(got, ensure_ascii=False)}")
        counts[file.stem] = (right, len(rows))
    print(f"{'language':<16}{'right':>6}{'of':>6}{'share':>9}")
    groups = {name: (name,) for name in counts} | {"/".join(TOGETHER[:3]) + "/...": TOGETHER, "all": tuple(counts)}
    for name, members in groups.items():
        right, of = (sum(counts[m][i] for m in members if m in counts) for i in (0, 1))
        print(f"{name:<16}{right:>6}{of:>6}{right / max(of, 1):>9.1%}")


def seconds(text: str, segment: Callable[[str], object] = sentences, runs: int = 3) -> float:
    """Text -> the processor time of the fastest of some runs."""
    best = float("inf")
    for _ in range(runs):
        begin = time.process_time()
        segment(text)
        best = min(best, time.process_time() - begin)
    return best


def speed() -> None:
    """Print the time per input; exit with a message where it grows faster than the input."""
    prose = PROSE * (4_000_000 // len(PROSE))
    sentence = re.sub(r"(?<=[.?]) (?=[A-Z]\w{1,})(?!Geo|Hale)", "\n\n", prose)
    words = [" ".join(prose.split()[at : at + 7]).rstrip(",.;?") + ".\n\n" for at in range(0, 140, 7)]
    texts = {
        "English prose": prose,
        "the same, wrapped": prose.replace(", ", ",\n"),
        "the same, not ASCII": prose + "é",
        "a sentence each": sentence,
        "seven words each": "".join(words) * (4_000_000 // len("".join(words))),
    }
    slow = []
    print(f"{'input':<27}{'1 MB':>9}{'2 MB':>9}{'ratio':>7}{'units':>9}")
    for name, seed in SLOW.items():
        one = seed * (1_000_000 // len(seed))
        first, second, other = seconds(one), seconds(one + one), seconds(one, units)
        if max(first, other) > 2 or (second > 2.3 * first and second > 0.05):
            slow.append(name)
        print(f"{name:<27}{first:>8.3f}s{second:>8.3f}s{second / max(first, 1e-9):>7.2f}{other:>8.3f}s", flush=True)
    for name, text in texts.items():
        length = text.find("\n\n") if "each" in name else len(PROSE)
        print(f"{name:<27}{len(text) / 1e6 / seconds(text):>8.1f} MB/s, {length} characters a paragraph")
    if slow:
        sys.exit("more than linear, or over 2 s per MB: " + ", ".join(slow))


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--show", action="store_true", help="print the texts that are cut wrongly")
    parser.add_argument("--speed", action="store_true", help="time instead of compare")
    options = parser.parse_args()
    speed() if options.speed else accuracy(options.folder, options.show)


if __name__ == "__main__":
    main()
