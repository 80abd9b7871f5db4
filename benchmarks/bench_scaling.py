"""Sizes -> time and memory of one large document and of many, for each of our cuts, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable

from choi import DATA, documents
from ours import OURS
from peak import peak
from tables import Row, Table
from timing import digits

from caesura import Limits, Splitter
from caesura.background import Background
from caesura_scale.stream import split_stream
from caesura_static import StaticEmbedder

MEGABYTES = (0.1, 1.0, 10.0, 50.0)
MANY = 10_000  # characters of each of many documents


def scaling(say: Callable[[str], None]) -> Table:
    """(f) One document and many, up to 50 MB."""
    table = Table("Scaling: from text to chunks, built-in model, chunks of up to 2,000 characters")
    for name in OURS:
        for shape in ("one document", "many documents"):
            row: Row = {"splitter": name, "text": shape}
            seconds: dict[float, float] = {}
            for size in MEGABYTES:
                found = json.loads(
                    subprocess.run(
                        [sys.executable, __file__, name, shape, str(size)], capture_output=True, check=True, text=True
                    ).stdout
                )
                seconds[size] = found["seconds"]
                row[f"{size:g} MB"] = f"{digits(found['seconds'])} s"
            row["10 MB over 1 MB"] = digits(seconds[10.0] / seconds[1.0])
            row["MB/s at 50 MB"] = digits(50 / seconds[50.0])
            row["memory at 50 MB, times the text"] = digits(found["memory"])
            row["without the vectors"] = digits(found["memory"] - found["vectors"])
            table.rows.append(row)
            say(f"{name}, {shape}: {seconds}")
    table.notes = [
        "Each figure is one run in a fresh process, after a warm-up: seconds of the processor.",
        "Memory: the most that the process held, minus what it held before the text, divided by the text's bytes.",
        f'"Many documents" have {MANY:,} characters each, and go through `split_stream`.',
    ]
    return table


def main(name: str, shape: str, megabytes: str) -> None:
    """Splits so much text and prints seconds and memory as JSON."""
    embed = StaticEmbedder()
    cut = OURS[name].default
    splitter = Splitter(limits=Limits(2000), cut=cut, background=Background(embed.background))
    prose = "\n\n".join(path.read_text("utf-8") for path in sorted((DATA / "essays").glob("*.txt")))
    prose += "\n\n" + "\n\n".join("\n".join(document.sentences) for document in documents())
    splitter.split(prose[:100_000], embed)
    before = peak()
    wanted = int(float(megabytes) * 1e6)
    text = (prose * (wanted // len(prose) + 1))[:wanted]
    started = time.process_time()
    units = 0
    if shape == "one document":
        made = splitter.finish(batch := splitter.prepare([text]), embed(batch.texts))[0]
        chunks, units = made.chunks(), len(batch.texts)
        assert chunks
    else:
        parts = (text[start : start + MANY] for start in range(0, len(text), MANY))
        for made in split_stream(splitter, parts, embed):
            made.chunks()
    seconds = time.process_time() - started
    memory = peak() - before
    size = len(text.encode())
    print(json.dumps({"seconds": seconds, "memory": memory / size, "vectors": 4 * units * embed.dimension / size}))


if __name__ == "__main__":
    main(*sys.argv[1:])
