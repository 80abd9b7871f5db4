"""A number of seconds -> hostile texts and settings for so long, each law that a split breaks, shrunk, and a summary.

    python benchmarks/fuzz.py [seconds] [--seed 0] [--first 0] [--documents 0]

Case n of a seed is always the same text and the same settings: `--first n --documents 1` runs that one alone. A law
that is broken is printed with a text as short as was found that breaks it; the exit code is 1 where one was.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable

import numpy as np
from fuzz_case import Case
from fuzz_laws import broken_by
from fuzz_shrink import shrunk

SHOWN_OF_A_KIND = 3


def fuzz(seed: int, numbers: Iterable[int], seconds: float) -> Counter[str]:
    """Runs cases until the time is over; prints what breaks a law as it comes, and a summary. Returns laws broken."""
    begin, documents, characters = time.monotonic(), 0, 0
    broken: Counter[str] = Counter()
    for number in numbers:
        if time.monotonic() - begin > seconds:
            break
        case = Case.of(seed, number)
        documents, characters = documents + 1, characters + len(case.part) * case.times
        found = broken_by(case)
        if found is None:
            continue
        law, what = found
        broken[law] += 1
        if broken[law] <= SHOWN_OF_A_KIND:
            small = shrunk(case, law)
            what = (broken_by(small) or found)[1]
            print(f"BROKEN: {law}\n    {what}\n    --seed {seed} --first {number}\n{small}\n", flush=True)
    print(f"{documents} documents, {characters} characters, {sum(broken.values())} violations", flush=True)
    for law, times in broken.most_common():
        print(f"{times:8} {law}")
    return broken


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument(
        "--documents", type=int, default=0, help="stop after so many, whatever the time; 0 is any number"
    )
    options = parser.parse_args()
    last = options.first + options.documents if options.documents else sys.maxsize
    np.seterr(all="raise", under="ignore")
    sys.exit(1 if fuzz(options.seed, range(options.first, last), options.seconds) else 0)


if __name__ == "__main__":
    main()
