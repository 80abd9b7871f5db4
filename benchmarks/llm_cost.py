"""What a megabyte of text costs, at given prices: calls and tokens of each kind of work, counted at the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from llm_server import ROOT, OpenAIServer, chat
from tables import Table

from caesura import Limits, Splitter, calibrate
from caesura.vectors import as_rows, unit_rows
from caesura_llm.driver import Driver
from caesura_llm.passages import Passage
from caesura_llm.propositions import Propositions
from caesura_llm.report import Prices
from caesura_llm.representations import Representations, questions
from caesura_llm.topics import Topics
from caesura_static import StaticEmbedder


def cost(text: Path | None, prices: Prices) -> Table:
    """Each kind of work on one text, in passages of 2,000 characters as the plugins make them, scaled to a megabyte."""
    essays = [ROOT.parent / "shared" / "data" / "essays" / name for name in ("worked.txt", "mit.txt")]
    paths = [text] if text else essays if all(path.exists() for path in essays) else [ROOT / "examples" / "article.md"]
    raw = "\n\n".join(path.read_text("utf-8") for path in paths)
    embed = StaticEmbedder()
    background = calibrate(embed)
    chunks = Splitter(limits=Limits(max_size=2000), background=background).split(raw, embed)
    passages = [Passage(one.text, "text", one.start) for one in chunks]

    def topics(driver: Driver, client: Any) -> None:
        found, _ = driver.run(Propositions(passages), client)
        said = [one.text for each in found for one in each.propositions]
        driver.run(Topics(said, unit_rows(as_rows(embed(said), len(said)), background.mean)), client)

    def ask(make: Callable[..., Any], *settings: Any) -> Callable[[Driver, Any], object]:
        return lambda driver, client: driver.run(make(passages, *settings), client)

    work: dict[str, Callable[[Driver, Any], object]] = {
        "propositions": ask(Propositions),
        "agentic chunks: propositions, then topics": topics,
        "a summary of each chunk": ask(Representations),
        "3 questions for each chunk": ask(questions),
    }
    table = Table(f"A megabyte, at {prices.input:g} for a million tokens in and {prices.output:g} out")
    scale = 1e6 / len(raw.encode())
    for name, done in work.items():
        with OpenAIServer(keep=False) as server:
            done(Driver(), chat(server))
            into, out = server.prompt_tokens * scale, server.completion_tokens * scale
        money = [(into * prices.input + longer * out * prices.output) / 1e6 for longer in (1, 2)]
        counted = {"calls": round(server.calls * scale), "tokens in": round(into, -3), "tokens out": round(out, -3)}
        rounded = {key: int(value) for key, value in counted.items()}
        table.rows.append(
            {"work": name, **rounded, "cost": f"{money[0]:.2f}", "if replies are twice as long": f"{money[1]:.2f}"}
        )
    table.notes += [
        f"{len(raw.encode())} bytes in {len(passages)} passages; a token is four characters",
        "the server's model says each sentence again, once, and asks questions of a few words; yours will say more",
    ]
    return table
