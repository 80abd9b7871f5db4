"""A folder of {language}.json, each [[text, [sentences]], ...] -> the share of texts that are cut exactly right.

    python benchmarks/sentences.py [folder] [--show] [--speed]

Without a folder, that of `sentence_rules`, which we wrote, and the maintainers' one where it is there. Whitespace
around sentences is not compared. Beside ours stand, where they are installed and know the language, the rules of spaCy,
pySBD and sentencex, and one that has learnt: Punkt, from the data in llama-index-core, or for Thai PyThaiNLP's crfcut.
`--show` prints what is wrong; `--speed` times English prose and input that was made to be slow, and fails where a
megabyte takes over 2 s or two take more than 2.3 times as long as one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from caesura.text.sentences import sentences, units

RULES = Path(__file__).resolve().parent / "sentence_rules"
FOLDER = RULES.parents[2] / "shared" / "data" / "sentences"
PEERS = ("spaCy", "pySBD", "sentencex", "learnt")
PUNKT = {
    "cs": "czech",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "tr": "turkish",
}
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
    "Thai letters": "ก ",
    "Lao particles": "ຂອງເດີ້ ",
    "Burmese particles": "သွားတယ် ",
    "Khmer words": "ភ្លៀង\u200b ",
    "links in Tibetan": "དང་། ",
    "letters in Urdu": "اے۔ ",
    "Ethiopic colons": "ሀ፡፡",
    "ordinals": "ä 1. A ",
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


def list_peers(language: str) -> dict[str, Callable[[str], list[str]]]:
    """A language -> the segmenters of other packages for it, by name, of those that are installed."""
    found: dict[str, Callable[[str], list[str]]] = {}
    with suppress(ImportError):
        import spacy

        try:
            nlp = spacy.blank(language)
        except ImportError:  # it has no such language, or wants another package for it
            nlp = spacy.blank("xx")
        nlp.add_pipe("sentencizer")
        found["spaCy"] = lambda text: [sentence.text for sentence in nlp(text).sents]
    with suppress(ImportError, ValueError):
        import pysbd

        found["pySBD"] = pysbd.Segmenter(language=language, clean=False).segment
    with suppress(ImportError):
        import sentencex

        found["sentencex"] = lambda text: sentencex.segment(language, text)
    if learnt := find_learnt(language):
        found["learnt"] = learnt
    return found


def find_learnt(language: str) -> Callable[[str], list[str]] | None:
    """A language -> a segmenter of other packages that has learnt from texts, None without one."""
    with suppress(ImportError):
        if language == "th":
            import pycrfsuite  # noqa: F401 - what crfcut needs
            from pythainlp.tokenize import sent_tokenize

            return lambda text: sent_tokenize(text, engine="crfcut")
        if language in PUNKT and (core := find_spec("llama_index.core")) and core.origin:
            import nltk

            nltk.data.path.insert(0, str(Path(core.origin).parent / "_static" / "nltk_cache"))
            return nltk.tokenize.PunktTokenizer(PUNKT[language]).tokenize
    return None


def is_right(got: list[str], expected: list[str]) -> bool:
    """Whether two lists of sentences are equal but for whitespace."""
    return [squeeze(piece) for piece in got if piece.strip()] == [squeeze(piece) for piece in expected]


def accuracy(folder: Path, show: bool) -> None:
    """Print how many texts are cut exactly right, per language."""
    files = sorted(folder.glob("*.json"))
    if not files:
        sys.exit(f"no rule sets: expected {folder} to hold files like en.json, [[text, [sentence, ...]], ...]")
    counts: dict[str, Counter[str]] = {}
    for file in files:
        rows = json.loads(file.read_text(encoding="utf-8"))
        count = counts[file.stem] = Counter({"of": len(rows)})
        for name, segment in ({"right": pieces} | list_peers(file.stem)).items():
            count[name] += sum(is_right(segment(text), expected) for text, expected in rows)
            count[f"of {name}"] += len(rows)
        for text, expected in rows if show else ():
            if not is_right(pieces(text), expected):
                print(f"{file.stem}: expected {json.dumps(expected, ensure_ascii=False)}")
                print(f"{' ' * len(file.stem)}       got {json.dumps(pieces(text), ensure_ascii=False)}")
    print(f"{'language':<16}{'right':>6}{'of':>6}{'share':>9}" + "".join(f"{peer:>11}" for peer in PEERS))
    groups = {name: (name,) for name in counts} | {"/".join(TOGETHER[:3]) + "/...": TOGETHER, "all": tuple(counts)}
    for name, members in groups.items():
        total: Counter[str] = Counter()
        for member in members:
            total.update(counts.get(member, {}))
        peers = "".join(f"{_beside(total, peer):>11}" for peer in PEERS)
        print(f"{name:<16}{total['right']:>6}{total['of']:>6}{total['right'] / max(total['of'], 1):>9.1%}{peers}")


def _beside(total: Counter[str], peer: str) -> str:
    """How many texts a peer has right, and of how many where it does not know all languages."""
    of = total[f"of {peer}"]
    return "-" if not of else f"{total[peer]}" if of == total["of"] else f"{total[peer]}/{of}"


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
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--show", action="store_true", help="print the texts that are cut wrongly")
    parser.add_argument("--speed", action="store_true", help="time instead of compare")
    options = parser.parse_args()
    folders = [options.folder] if options.folder else [RULES, *([FOLDER] if FOLDER.is_dir() else [])]
    if options.speed:
        speed()
    for folder in () if options.speed else folders:
        accuracy(folder, options.show)


if __name__ == "__main__":
    main()
