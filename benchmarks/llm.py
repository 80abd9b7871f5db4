"""What language-model work costs, and what it survives, counted at a server of our own: a table for each promise.

    python benchmarks/llm.py [calls faults kill throughput memory cost] [--text FILE] [--prices IN OUT]

The server is `tests/openai_server.py`, the client the package `openai`; the model's own time is a set latency.
"""

# ruff: noqa: E402 - the tests' modules have to be found first
from __future__ import annotations

import argparse
import asyncio
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import httpx
import openai
from llm_cost import cost
from llm_fakes import chat, passages
from openai_server import FAULTS, OpenAIServer, seeded
from tables import Table

from caesura import Limits, Splitter, calibrate
from caesura.edges import spans
from caesura.llm.drive import Driver
from caesura.llm.grouping import Topic
from caesura.llm.openai import async_openai_chat
from caesura.llm.packed import Passage
from caesura.llm.propositions import Proposition, Propositions
from caesura.llm.report import Prices
from caesura.llm.schedule import Pace
from caesura.llm.topics import Topics
from caesura.text.sentences import sentences
from caesura.vectors import unit_rows
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
        topics, report = driver.run(Topics(texts, unit_rows(embed(texts), len(texts), background.mean)), chat(server))
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


def faults(_: Path | None) -> Table:
    """2,000 passages, one to a request, one reply in twenty faulty in one of all ways."""
    table = Table("One reply in twenty faulty, 2,000 passages")
    for seed in (1, 2, 3):
        with OpenAIServer(plan=seeded(0.05, seed), keep=False) as server:
            pace = Pace(max_concurrency=32, base=0.01, timeout=2)
            driver = Driver(pace)
            results, report = driver.run(Propositions(passages(2000), budget=1, on_failure="keep"), chat(server))
            faulty = sum(count for fault, count in server.served.items() if fault != "ok")
            table.rows.append(
                {
                    "seed": seed,
                    "faulty replies": faulty,
                    "calls per passage": f"{server.calls / 2000:.4f}",
                    "passages lost": 2000 - sum(bool(one.propositions) for one in results),
                    "failed and kept": sum(one.failure is not None for one in results),
                    "listed": len(report.failures),
                }
            )
    table.notes.append(f"faults: {', '.join(FAULTS)}")
    return table


def kill(_: Path | None) -> Table:
    """A run killed twenty times, then to the end, beside one that is not disturbed."""
    count, kills, flying = 400, 20, 8
    worker, dice = ROOT / "tests" / "llm" / "worker.py", random.Random(7)
    with tempfile.TemporaryDirectory() as folder, OpenAIServer(latency=0.05, keep=False) as server:

        def start(journal: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, str(worker), server.url, f"{folder}/{journal}", str(count)]
            return subprocess.Popen(command, stdout=subprocess.PIPE)

        for _ in range(kills):
            enough, running = server.calls + dice.randrange(1, 25), start("replies.db")
            while server.calls < enough and running.poll() is None:
                time.sleep(0.002)
            time.sleep(dice.random() * 0.05)
            running.kill()
            running.communicate()
        killed = server.calls
        found, _ = start("replies.db").communicate()
        twice = sum(number - 1 for number in server.seen.values())
        whole, _ = start("fresh.db").communicate()
    table = Table("kill -9, twenty times in a row, then to the end")
    table.rows.append(
        {
            "passages": count,
            "kills": kills,
            "calls before the last run": killed,
            "asked twice": twice,
            "in flight at most": kills * flying,
            "equal to an undisturbed run": str(found == whole and len(found) > 1000),
        }
    )
    return table


def throughput(_: Path | None) -> Table:
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


def memory(_: Path | None) -> Table:
    """The memory of the process, for more and more passages, results read and let go."""
    table = Table("Memory over passages")
    for count in (1000, 10_000):
        with server_process("0") as url:
            command = [sys.executable, __file__, "one", "--url", url, "--count", str(count)]
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
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


class server_process:  # noqa: N801 - used as a function
    """The server as a process of its own -> its URL."""

    def __init__(self, latency: str) -> None:
        command = [sys.executable, str(ROOT / "tests" / "openai_server.py"), latency]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


TABLES: dict[str, Callable[[Path | None], Table]] = {
    "calls": calls,
    "faults": faults,
    "kill": kill,
    "throughput": throughput,
    "memory": memory,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of tables; all if there is none")
    parser.add_argument("--text", type=Path)
    parser.add_argument("--prices", type=float, nargs=2, default=(0.4, 1.6), help="of a million tokens, in and out")
    parser.add_argument("--url", default="")
    parser.add_argument("--count", type=int, default=0)
    options = parser.parse_args()
    if unknown := set(options.names) - {*TABLES, "cost", "one"}:
        parser.error(f"no such table: {', '.join(sorted(unknown))}")
    if options.names == ["one"]:
        one(options.url, options.count)
    else:
        TABLES["cost"] = lambda text: cost(text, Prices(*options.prices))
        for name in options.names or TABLES:
            print(TABLES[name](options.text).markdown(), flush=True)
