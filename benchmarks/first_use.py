"""Text on standard input -> seconds of the processor that the built-in model takes for its sentences, once, in this
fresh process.

Other data has not been read, so no word is known; the model's file has, and Python and numpy are loaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

from caesura.text.sentences import units
from caesura_static import StaticEmbedder, model


def sentences(text: str) -> list[str]:
    """A text -> its units, without the whitespace around them."""
    return [text[start:end].strip() for start, end in pairwise(units(text).tolist())]


def first_use(text: str) -> float:
    """A text -> the seconds of the processor in a fresh process, on one core."""
    own = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", str(Path(__file__))]
    return float(subprocess.run(command, input=text.encode(), env=own, capture_output=True, check=True).stdout)


if __name__ == "__main__":
    given = sentences(sys.stdin.buffer.read().decode())
    model.load()
    started = time.process_time()
    StaticEmbedder()(given)
    print(time.process_time() - started)
