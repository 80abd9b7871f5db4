"""One run over passages, to be killed: URL JOURNAL PASSAGES on the command line, the results as JSON on stdout.

With "contexts" as a fourth argument, over documents of ten chunks.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import openai
from fakes.servers.conversations import passages

from caesura_llm.contexts import Contexts, ContextSource, join_slices
from caesura_llm.conversation import Conversation
from caesura_llm.driver import Driver
from caesura_llm.journal import Journal
from caesura_llm.openai import async_openai_chat
from caesura_llm.propositions import Propositions
from caesura_llm.retries import Pace


def conversation(count: int, kind: str) -> Conversation[Any]:
    """Passages one to a request, or the chunks of documents."""
    if kind != "contexts":
        return Propositions(passages(count), budget=1)
    chunks = [passage.text for passage in passages(count)]
    joined = [join_slices((text, None) for text in chunks[at : at + 10]) for at in range(0, count, 10)]
    return Contexts([ContextSource(text, chunks=tuple(places)) for text, places in joined], "chunk")


async def main(url: str, path: str, count: int, kind: str = "") -> None:
    """8 requests at once."""
    async with openai.AsyncOpenAI(base_url=url, api_key="any") as client:
        with Journal(path) as journal:
            driver, chat = Driver(Pace(max_concurrency=8)), async_openai_chat(client, "m")
            results, _ = await driver.arun(conversation(count, kind), chat, journal=journal)
    print(json.dumps([dataclasses.asdict(one) for one in results]))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:]))
