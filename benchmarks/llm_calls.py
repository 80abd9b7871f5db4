"""A text -> the calls and tokens from it to topics, ours beside the published agentic chunker's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
from llm_server import ROOT, OpenAIServer, chat
from tables import Table

from caesura import Limits, Splitter, calibrate
from caesura.edges import spans
from caesura.text.sentences import sentences
from caesura.vectors import as_rows, unit_rows
from caesura_llm.driver import Driver
from caesura_llm.grouping import Topic
from caesura_llm.passages import Passage
from caesura_llm.propositions import Proposition, Propositions
from caesura_llm.topics import Topics
from caesura_static import StaticEmbedder

ESSAYS = ROOT.parent / "shared" / "data" / "essays"
AGENTIC = {"find": 1180, "extract": 330, "summarize": 1340, "entitle": 1390, "first summary": 1290, "first title": 1180}
"""Characters of the agentic chunker's own words in each of its calls, their indentation included."""


def calls(text: Path | None) -> Table:
    """1,000 propositions, from raw text to topics, beside the agentic chunker's calls for the same propositions."""
    paths = [text] if text else [ESSAYS / "worked.txt", ESSAYS / "mit.txt"]
    if not all(path.exists() for path in paths):
        raise SystemExit(f"no {paths[0]}: pass a text of 1,000 sentences or more with --text")
    raw = "\n\n".join(path.read_text("utf-8") for path in paths)
    raw = raw[: spans(sentences(raw))[999].end]
    embed = StaticEmbedder()
    background = calibrate(embed)
    chunks = Splitter(limits=Limits(max_size=1200), background=background).split(raw, embed)
    with OpenAIServer(keep=False) as server:
        driver = Driver()
        found, _ = driver.run(Propositions(Passage(one.text, "essay", one.start) for one in chunks), chat(server))
        propositions = [one for each in found for one in each.propositions]
        texts = [one.text for one in propositions]
        topics, report = driver.run(
            Topics(texts, unit_rows(as_rows(embed(texts), len(texts)), background.mean)), chat(server)
        )
        ours = (server.calls, server.prompt_tokens + server.completion_tokens)
    table = Table("Calls and tokens, counted at the server")
    table.rows.append(
        {"from raw text to topics": "Caesura", "topics": len(topics), "calls": ours[0], "tokens": ours[1]}
    )
    for fewer in (topics, [Topic(*rest) for rest in merged(topics, 40)]):
        with OpenAIServer(keep=False) as server:
            agentic(server.url, propositions, fewer)
            theirs = (server.calls, server.prompt_tokens + server.completion_tokens)
        table.rows.append(
            {
                "from raw text to topics": "agentic chunker",
                "topics": len(fewer),
                "calls": theirs[0],
                "tokens": theirs[1],
                "our calls": f"1/{theirs[0] / ours[0]:.0f}",
                "our tokens": f"1/{theirs[1] / ours[1]:.0f}",
            }
        )
    table.notes += [
        f"{len(raw)} characters, {len(topics)} topics, {report.repairs} repairs",
        "the agentic chunker's calls are replayed for our propositions, with its own words (by length) and the outline",
        "what making the propositions and its replies take is not counted for it; it is for us",
    ]
    return table


def merged(topics: list[Topic], count: int) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Every so many topics as one: what the peer would pay if it opened few."""
    for start in range(count):
        some = topics[start::count]
        yield some[0].title, some[0].summary, tuple(sorted(member for one in some for member in one.members))


def agentic(url: str, propositions: list[Proposition], topics: list[Topic]) -> None:
    """Four calls for each proposition, one after another, as the published class makes them."""
    home = {member: topic for topic in topics for member in topic.members}
    held: dict[Topic, list[str]] = {}
    with httpx.Client() as client:

        def ask(kind: str, text: str) -> None:
            words = [{"role": "system", "content": "x" * AGENTIC[kind]}, {"role": "user", "content": text}]
            client.post(f"{url}/chat/completions", json={"model": "m", "messages": words}).raise_for_status()

        for index, proposition in enumerate(propositions):
            topic, text = home[index], proposition.text
            about = f"{topic.title}\n{topic.summary}"
            if held:
                outline = "".join(
                    f"Chunk ID: 12345\nChunk Name: {one.title}\nChunk Summary: {one.summary}\n\n" for one in held
                )
                ask("find", f"{outline}\n{text}")
                ask("extract", "12345")
            first = topic not in held
            held.setdefault(topic, []).append(text)
            listed = "\n".join(held[topic])
            ask("first summary" if first else "summarize", text if first else f"{listed}\n{topic.summary}")
            ask("first title" if first else "entitle", topic.summary if first else f"{listed}\n{about}")
