"""How long a run over many files takes, when workers die and some are slow: `python benchmarks/scale_simulation.py`.

Workers take files in order, as engines do; a file that was lost goes back to the end, and is begun anew, as `SplitFile`
begins it. Near the end, idle workers take a second copy of what has run longest, where the engine does so.
"""

from __future__ import annotations

import argparse
import heapq
import random
from dataclasses import dataclass
from math import exp, log

NEVER = 100
"""Times the ideal span, at which a run is given up."""


@dataclass(frozen=True, slots=True)
class World:
    """seconds: of work in all, at a healthy worker's speed. files: so many; spread: the deviation of the log of their
    length. slow: this share of the workers takes `slowness` times as long. mean_life: seconds until a worker
    dies; back: until it is there again. copies: whether idle workers take second copies.
    """

    seconds: float
    files: int
    workers: int
    spread: float = 0.5
    slow: float = 0.02
    slowness: float = 5.0
    mean_life: float = float("inf")
    back: float = 120.0
    copies: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """span: seconds from start to end. ideal: were all workers healthy and busy throughout. lost: work done in vain, as
    a share of all that was to do. deaths: of workers at work.
    """

    span: float
    ideal: float
    lost: float
    deaths: int


def run(world: World, seed: int = 0) -> Run:
    """A world -> one run of it."""
    dice = random.Random(seed)
    lengths = [exp(dice.gauss(0, world.spread)) for _ in range(world.files)]
    scale = world.seconds / sum(lengths)
    lengths = [length * scale for length in lengths]
    pace = [world.slowness if dice.random() < world.slow else 1.0 for _ in range(world.workers)]
    waiting, done, lost, deaths = list(range(world.files))[::-1], set[int](), 0.0, 0
    running: dict[int, list[tuple[float, int]]] = {}
    events: list[tuple[float, int, int, bool]] = []  # when, which worker, which file, whether it dies then
    idle: list[int] = []
    now = 0.0

    def begin(worker: int, file: int) -> None:
        takes = lengths[file] * pace[worker]
        life = dice.expovariate(1 / world.mean_life) if world.mean_life < float("inf") else float("inf")
        running.setdefault(file, []).append((now, worker))
        heapq.heappush(events, (now + min(takes, life), worker, file, life < takes))

    def take(worker: int) -> None:
        while waiting:
            file = waiting.pop()
            if file not in done:
                return begin(worker, file)
        alone = [(began[0][0], file) for file, began in running.items() if len(began) == 1]
        if world.copies and alone:
            return begin(worker, min(alone)[1])
        idle.append(worker)
        return None

    for worker in range(world.workers):
        take(worker)
    ideal = world.seconds / world.workers
    while len(done) < world.files and now < NEVER * ideal:
        now, worker, file, dies = heapq.heappop(events)
        if file == -1:
            take(worker)
            continue
        began = next(start for start, who in running[file] if who == worker) if file in running else now
        if dies:
            lost, deaths = lost + (now - began) / pace[worker], deaths + 1
            running[file] = [one for one in running.get(file, []) if one[1] != worker]
            if not running[file]:
                del running[file]
                waiting.insert(0, file)
            heapq.heappush(events, (now + world.back, worker, -1, False))
            if idle:
                take(idle.pop())
            continue
        done.add(file)
        for start, who in running.pop(file, []):
            if who != worker:  # the other copy is stopped
                lost += (now - start) / pace[who]
                events = [event for event in events if event[1:3] != (who, file)]
                heapq.heapify(events)
                take(who)
        take(worker)
    return Run(now, ideal, lost / world.seconds, deaths)


def main() -> None:
    """Prints how far a run is from the ideal, by files per worker and by what goes wrong."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--workers", type=int, default=256)
    reader.add_argument("--hours", type=float, default=6.0, help="what the work would take were nothing to go wrong")
    reader.add_argument("--seeds", type=int, default=5)
    given = reader.parse_args()
    bad = {
        "nothing": {"slow": 0.0},
        "2 % of workers five times as slow, no copies": {"copies": False},
        "the same, with copies": {},
        "and workers live 24 h": {"mean_life": 86_400.0},
        "and workers live 2 h": {"mean_life": 7_200.0},
    }
    each = (1, 4, 16, 64)
    print(f"{given.workers} workers, {given.hours:g} hours of work for each; span / ideal, and work in vain in percent")
    print("| what goes wrong | " + " | ".join(f"{count} files a worker" for count in each) + " |")
    print("|---|" + "---|" * len(each))
    for name, settings in bad.items():
        cells = []
        for count in each:
            world = World(given.hours * 3600 * given.workers, count * given.workers, given.workers, **settings)  # type: ignore[arg-type]
            runs = [run(world, seed) for seed in range(given.seeds)]
            span = exp(sum(log(one.span / one.ideal) for one in runs) / len(runs))
            vain = 100 * sum(one.lost for one in runs) / len(runs)
            cells.append(f"{span:.2f} ({vain:.1f})" if span < NEVER else "never")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
