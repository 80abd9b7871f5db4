"""This checkout beside another one: the own time of every splitter, called in turn, as ratios.

`python benchmarks/against.py PATH_OF_THE_OTHER_CHECKOUT [--rounds 25]`, with an interpreter that has what the packages
need installed. Each checkout runs in a process of its own, from its own sources; in every round each splitter is called
once in both. Seconds are those of the processor. A ratio over 1 means that this checkout is slower.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


def sources(checkout: Path) -> list[str]:
    """The folders of a checkout that Python imports from."""
    packages = (path for folder in ("packages", "integrations") for path in sorted(checkout.glob(f"{folder}/*/src")))
    return [str(checkout / "benchmarks"), *map(str, packages)]


def serve(text: str) -> None:
    """Times one call of the splitter whose name comes in a line, and answers with seconds."""
    from contestants import NearFree, core, plugins

    splitters = {**core(NearFree()), **plugins(NearFree())}
    for split in splitters.values():
        split([text])
    print("\t".join(splitters), flush=True)
    gc.disable()
    for line in sys.stdin:
        gc.collect()
        started = time.process_time()
        splitters[line.rstrip("\n")]([text])
        print(time.process_time() - started, flush=True)


class Checkout:
    """A process that runs the splitters of one checkout."""

    def __init__(self, path: Path, text: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sources(path)), "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-P", __file__, "--serve", str(text)]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.names = self._read().split("\t")

    def time(self, name: str) -> float:
        """Seconds that one call takes."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        return float(self._read())

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("a checkout's process ended: see its error above")
        return line.rstrip("\n")


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--text", type=Path, default=ROOT / "../shared/data/essays/worked.txt")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve.read_text("utf-8"))
        return
    this, other = (Checkout(path, arguments.text.resolve()) for path in (ROOT, arguments.other.resolve()))
    print(f"{'splitter':45} {'here ms':>8} {'there ms':>8}  ratio (middle half of {arguments.rounds} rounds)")
    for name in [name for name in this.names if name in other.names]:
        pairs = []
        for number in range(arguments.rounds):
            first, second = (this, other) if number % 2 else (other, this)
            seconds = {checkout: checkout.time(name) for checkout in (first, second)}
            pairs.append((seconds[this], seconds[other]))
        here, there = np.median(pairs, axis=0) * 1000
        low, middle, high = np.percentile([one / two for one, two in pairs], [25, 50, 75])
        print(f"{name:45} {here:8.2f} {there:8.2f}  {middle:.3f} ({low:.3f} to {high:.3f})")
    this.close()
    other.close()


if __name__ == "__main__":
    main()
