"""Documents, rows and embedders for `SplitBatch` and the engines that run it."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from caesura import Background, Limits, OptimalCut, Splitter
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

SUBJECTS = {
    "tide": "The tide rises twice a day. The moon pulls at the sea. Sailors read tide tables. A harbour dries.",
    "bread": "Bread needs flour and water. Knead the dough until it is smooth. Warm dough rises. Bake it in an oven.",
    "bonds": "Bond yields rose. The bank raised its rate. Investors sold their shares. Inflation fell behind wages.",
    "birds": "Swifts sleep on the wing. The heron waits by the pond. Geese fly south in autumn. Owls hunt at night.",
}
SPLITTER = Splitter(limits=Limits(200), cut=OptimalCut())
READY = replace(SPLITTER, background=Background(StaticEmbedder().background))
BATCH = SplitBatch(SPLITTER, StaticEmbedder)


def documents(count: int, seed: int = 0) -> dict[str, Any]:
    """So many documents of a few subjects each, as columns; every tenth is blank, ids are out of order."""
    dice = random.Random(seed)
    ids = [f"doc-{number}" for number in range(count)]
    dice.shuffle(ids)
    texts = [
        "  \n"
        if place % 10 == 9
        else " ".join(
            f"{SUBJECTS[dice.choice([*SUBJECTS])]} It was told on day {dice.randrange(400)}." for _ in range(3)
        )
        for place in range(count)
    ]
    return {
        "id": np.array(ids, object),
        "text": np.array(texts, object),
        "page": np.arange(count),
    }


def rows(columns: Any) -> list[tuple[Any, ...]]:
    """The columns of a dict of arrays, as comparable rows."""
    return list(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))


class Poisoned:
    """The built-in model, which does not bear one word. calls: how many texts each call had."""

    calls: list[int]

    def __init__(self, word: str = "poison") -> None:
        self.word, self.calls, self.embed = word, [], StaticEmbedder()

    def __call__(self, texts: Sequence[str]) -> Any:
        self.calls.append(len(texts))
        if any(self.word in text for text in texts):
            raise ConnectionError(f"400: {self.word}")
        return self.embed(texts)


class Told:
    """The built-in model; every process that makes one leaves a file with its id in a folder.

    seconds: what a call takes at least.
    """

    def __init__(self, folder: str, seconds: float = 0.0) -> None:
        self.embed, self.seconds = StaticEmbedder(), seconds
        for number in range(1_000_000):
            try:
                (Path(folder) / f"{os.getpid()}-{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            return

    @property
    def background(self) -> Any:
        return self.embed.background

    def __call__(self, texts: Sequence[str]) -> Any:
        time.sleep(self.seconds)
        return self.embed(texts)


class Fatal(Told):
    """The built-in model; the first call of all that are made with a folder kills the process that makes it."""

    def __init__(self, folder: str, calls: int = 1) -> None:
        super().__init__(folder)
        self.folder, self.calls = Path(folder), calls

    def __call__(self, texts: Sequence[str]) -> Any:
        for number in range(self.calls):
            with suppress(FileExistsError):
                (self.folder / f"0-killed-{number}").touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        return self.embed(texts)


def from_server(url: str) -> Any:
    """The URL of an `OpenAIServer` -> an embedder that asks it."""
    from openai import OpenAI

    from caesura_llm.openai import openai_vectors

    return openai_vectors(OpenAI(base_url=url, api_key="any"), "any-model", max_inputs=64)


def processes(folder: Path) -> list[int]:
    """The processes that made an embedder in a folder, once for each embedder."""
    return sorted(int(path.name.split("-")[0]) for path in folder.iterdir() if not path.name.startswith("0-"))
