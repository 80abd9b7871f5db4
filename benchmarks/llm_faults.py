"""Replies that are faulty, and runs that are killed -> what is lost, and what is paid for twice."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time

from llm_server import FAULTS, ROOT, OpenAIServer, chat, passages, seeded
from tables import Table

from caesura_llm.driver import Driver
from caesura_llm.propositions import Propositions
from caesura_llm.retries import Pace


def faults() -> Table:
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


def kill() -> Table:
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
