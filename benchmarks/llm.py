"""What language-model work costs, and what it survives, counted at a server of our own: a table for each promise.

    python benchmarks/llm.py [calls faults kill throughput memory cost] [--text FILE] [--prices IN OUT]

The server is `tests/fakes/servers/openai_server.py`, the client the package
`openai`; the model takes a set latency.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from llm_calls import calls
from llm_cost import cost
from llm_faults import faults, kill
from llm_speed import memory, throughput
from tables import Table

from caesura_llm.report import Prices


def main() -> None:
    """Reads the command line, measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of tables; all if there is none")
    parser.add_argument("--text", type=Path)
    parser.add_argument("--prices", type=float, nargs=2, default=(0.4, 1.6), help="of a million tokens, in and out")
    options = parser.parse_args()
    tables: dict[str, Callable[[], Table]] = {
        "calls": lambda: calls(options.text),
        "faults": faults,
        "kill": kill,
        "throughput": throughput,
        "memory": memory,
        "cost": lambda: cost(options.text, Prices(*options.prices)),
    }
    if unknown := set(options.names) - {*tables}:
        parser.error(f"no such table: {', '.join(sorted(unknown))}")
    for name in options.names or tables:
        print(tables[name]().markdown(), flush=True)


if __name__ == "__main__":
    main()
