"""A server that is a process of its own -> calls in a second, and the memory of the process that makes them.

python benchmarks/llm_speed.py URL COUNT        prints the peak memory in MB of one run
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import openai
from llm_server import passages, server_process
from peak import peak
from tables import Table

from caesura_llm.driver import Driver
from caesura_llm.openai import async_openai_chat
from caesura_llm.passages import Passage
from caesura_llm.propositions import Propositions
from caesura_llm.retries import Pace


def throughput() -> Table:
    """16 at once, each reply after 200 ms, the server a process of its own."""
    with server_process("0.2") as url:

        async def main(count: int) -> tuple[float, float]:
            async with openai.AsyncOpenAI(base_url=url, api_key="any") as client:
                driver, asking = Driver(Pace(max_concurrency=16)), async_openai_chat(client, "m")
                await driver.arun(Propositions(passages(32), budget=1), asking)
                begun, cpu = time.monotonic(), time.process_time()
                await driver.arun(Propositions(passages(count), budget=1), asking)
                return count / (time.monotonic() - begun), (time.process_time() - cpu) / count * 1000

        rounds = [asyncio.run(main(1000)) for _ in range(3)]
    table = Table("16 requests at once, 200 ms each, 1,000 passages, one process")
    for rate, spent in rounds:
        table.rows.append({"per second": rate, "possible": 80.0, "ms of CPU per call": spent})
    table.notes.append("the CPU is the client's, almost all of it: other work on the machine shows here")
    return table


def memory() -> Table:
    """The memory of the process, for more and more passages, results read and let go."""
    table = Table("Memory over passages")
    for count in (1000, 10_000):
        with server_process("0") as url:
            command = [sys.executable, __file__, url, str(count)]
            peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        table.rows.append({"passages": count, "peak in MB": float(peak)})
    return table


def one(url: str, count: int) -> None:
    """Prints the peak memory in MB of one run."""

    async def main() -> None:
        async with openai.AsyncOpenAI(base_url=url, api_key="any") as client:
            source = (passage for start in range(0, count, 100) for passage in passages(100, 8))
            work = Propositions((Passage(f"{p.text} {k}.") for k, p in enumerate(source)), budget=1)
            async for _ in Driver(Pace(max_concurrency=16)).astream(work, async_openai_chat(client, "m")):
                pass

    asyncio.run(main())
    print(peak() / 1e6)


if __name__ == "__main__":
    one(sys.argv[1], int(sys.argv[2]))
