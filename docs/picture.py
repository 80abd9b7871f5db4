"""The sample article in, `docs/chunks.svg` out: a stretch of it, chunks in colour. Run by `nox -s picture`."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape
from pathlib import Path

from caesura import Background, Chunk, Limits, Splitter
from caesura_static import StaticEmbedder

HERE = Path(__file__).parent
COLUMNS, WIDTH, HEIGHT = 92, 7.3, 18.0
LEFT, TOP, RIGHT = 18.0, 64.0, 176.0
TINTS = ("#dbeafe", "#fde9c8", "#d9f0e3", "#f3dff0")
EDGES = ("#2563a8", "#b4690e", "#1f7a4d", "#8e3c86")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the picture: a stretch of the text."""

    start: int
    end: int


def lines(text: str, start: int, end: int) -> list[Line]:
    """The stretches of the text that fit a line of the picture, paragraphs and code as they are broken in the text."""
    made, at = [], start
    for row in text[start:end].split("\n"):
        place = at
        for piece in textwrap.wrap(row, COLUMNS) or [""]:
            place = text.index(piece, place)
            made.append(Line(place, place + len(piece)))
            place += len(piece)
        at += len(row) + 1
    return made


def drawing(text: str, chunks: list[Chunk], start: int, end: int, title: str) -> str:
    """Text and chunks -> SVG of the stretch from `start` to `end`."""
    rows = lines(text, start, end)
    body: list[str] = []
    shown = [(number, chunk) for number, chunk in enumerate(chunks, 1) if chunk.start < end and chunk.end > start]
    for row, line in enumerate(rows):
        top = TOP + row * HEIGHT
        for number, chunk in shown:
            first, last = max(line.start, chunk.start), min(line.end, chunk.end)
            if first < last:
                x, width = LEFT + (first - line.start) * WIDTH, (last - first) * WIDTH
                tint = TINTS[number % len(TINTS)]
                body.append(
                    f'<rect x="{x - 2:.1f}" y="{top:.1f}" width="{width + 4:.1f}" height="{HEIGHT}" fill="{tint}"/>'
                )
    for row, line in enumerate(rows):
        content = text[line.start : line.end]
        if content.strip():
            body.append(
                f'<text x="{LEFT:.1f}" y="{TOP + row * HEIGHT + 13:.1f}" textLength="{len(content) * WIDTH:.1f}" '
                f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{escape(content)}</text>'
            )
    for number, chunk in shown:
        inside = [row for row, line in enumerate(rows) if line.start < chunk.end and line.end > chunk.start]
        x, top, bottom = LEFT + COLUMNS * WIDTH + 14, TOP + inside[0] * HEIGHT + 2, TOP + (inside[-1] + 1) * HEIGHT - 2
        if len(inside) > 1 and any(other.end > rows[inside[0]].start for _, other in shown if other.end <= chunk.start):
            top += HEIGHT
        colour = EDGES[number % len(EDGES)]
        middle = min(max((top + bottom) / 2, TOP + 10), TOP + len(rows) * HEIGHT - 8)
        body.append(f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}" stroke="{colour}" stroke-width="3"/>')
        body.append(
            f'<text x="{x + 10:.1f}" y="{middle - 2:.1f}" class="label" style="fill:{colour};font-weight:700">'
            f"chunk {number}</text>"
            f'<text x="{x + 10:.1f}" y="{middle + 12:.1f}" class="label">'
            f"[{chunk.start:,}, {chunk.end:,})</text>"
        )
    width, height = LEFT + COLUMNS * WIDTH + RIGHT, TOP + len(rows) * HEIGHT + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}">\n'
        "<style>text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1b1b1b}"
        ".title{font:600 15px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}"
        ".label{font:12px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#ffffff"/>\n'
        f'<text x="{LEFT}" y="34" class="title">{escape(title)}</text>\n' + "\n".join(body) + "\n</svg>\n"
    )


def main() -> None:
    """Draws two sections of the sample article."""
    text = (HERE.parent / "examples" / "article.md").read_text(encoding="utf-8")
    embed = StaticEmbedder()
    splitter = Splitter(limits=Limits(max_size=800, target_size=400), background=Background(embed.background))
    start, end = text.index("## The lamp and its glass"), text.index("Water worried us")
    title = "Chunks of the sample article: even, and the formula stays with what explains it"
    svg = drawing(text, splitter.split(text, embed), start, end - 2, title)
    (HERE / "chunks.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
