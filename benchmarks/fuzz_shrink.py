"""A case that breaks a law in, one with a text as short as was found that breaks the same law out."""

from __future__ import annotations

import time

from fuzz_case import Case
from fuzz_laws import broken_by

SHRINK_SECONDS = 20.0


def shrunk(case: Case, law: str) -> Case:
    """The same settings and a text as short as can be found that breaks the same law: by halves, then by characters."""

    def breaks(part: str, times: int) -> bool:
        trial = Case(part, times, case.splitter, case.overlap, case.embed)
        found = broken_by(trial) if part and time.monotonic() < until else None
        return found is not None and found[0] == law

    until = time.monotonic() + SHRINK_SECONDS
    part, times = case.part, case.times
    if "per MB" in law:
        for shorter in (part[: len(part) // 2**power] for power in range(12, 0, -1)):
            if shorter and breaks(shorter, len(case.text) // len(shorter)):
                return Case(shorter, len(case.text) // len(shorter), case.splitter, case.overlap, case.embed)
        return case
    for fewer in (1, 2, 5, times // 100, times // 10):
        if 0 < fewer < times and breaks(part, fewer):
            times = fewer
            break
    if times > 1 and len(part) * times < 5000 and breaks(part * times, 1):
        part, times = part * times, 1
    step = max(len(part) // 2, 1)
    while step:
        at = 0
        while at < len(part):
            if breaks(part[:at] + part[at + step :], times):
                part = part[:at] + part[at + step :]
            else:
                at += step
        step //= 2
    for at in range(len(part)):
        if part[at] != "a" and breaks(part[:at] + "a" + part[at + 1 :], times):
            part = part[:at] + "a" + part[at + 1 :]
    return Case(part, times, case.splitter, case.overlap, case.embed)
