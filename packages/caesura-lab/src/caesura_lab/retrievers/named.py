"""Retrievers ready to be asked: ours and the baselines by name and settings, and a user's own."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from threading import Thread
from typing import Any, TypeAlias

from caesura import CaesuraError, SettingError
from caesura.checks import check_names
from caesura_lab.embedders import Embedder
from caesura_lab.passage_index import PassageIndex
from caesura_lab.reading import Source
from caesura_lab.retrievers.baselines import RankedChunks, Ranking, rank_by_vectors, rank_by_words, rank_equally
from caesura_lab.retrievers.found import Find, FoundText, read_found
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.methods import Method, make_method, parse_spec
from caesura_lab.splitters.peers import PEERS, Settings

AnyRetriever: TypeAlias = "str | Callable[..., Any] | Any"
"""A name with settings (``bm25:size=800``), ``module:name`` of one's own, a function from a question to texts, or a
retriever of LangChain or LlamaIndex."""
AnyRetrievers: TypeAlias = "Sequence[AnyRetriever] | Mapping[str, AnyRetriever] | None"

SIZE = 400
"""How large the chunks of the baselines are, in characters."""
CHUNKING = ("splitter", "size", "overlap")
"""The settings of a baseline: what cuts its chunks."""


class RetrieverError(CaesuraError):
    """A retriever of a user failed on a question."""


@dataclass(frozen=True, slots=True)
class Retriever:
    """What is measured: ``prepare(sources, embedder)`` indexes texts and gives what is to be asked.

    is_indexed: whether it has indexed what it searches, as a user's own has, and prepares nothing.
    """

    name: str
    prepare: Callable[[Sequence[Source], Embedder], Find]
    is_indexed: bool = False


def make_ours(name: str, settings: Settings) -> Retriever:
    """A `PassageIndex`, which searches as the retrievers of the plugins do by default. settings: words."""
    check_names(f"retriever {name!r}", settings, ["words"])

    def prepare(sources: Sequence[Source], embedder: Embedder) -> Find:
        index = PassageIndex(sources, embedder=embedder)

        def find(question: str, budget: int) -> list[FoundText]:
            return [FoundText(each.text, each.path) for each in index.find(question, budget=budget, **settings)]

        return find

    return Retriever(name, prepare)


def make_baseline(rank: Callable[[RankedChunks, Embedder], Ranking]) -> Callable[[str, Settings], Retriever]:
    """How chunks are ranked -> what makes the baseline. Its settings: splitter, by default recursive, size, overlap."""

    def make(name: str, settings: Settings) -> Retriever:
        check_names(f"retriever {name!r}", settings, CHUNKING)
        method = make_chunking(**settings)

        def prepare(sources: Sequence[Source], embedder: Embedder) -> Find:
            chunks = RankedChunks.of(sources, method, embedder)
            return chunks.find(rank(chunks, embedder))

        return Retriever(name, prepare)

    return make


def make_chunking(splitter: str = "recursive", size: int = SIZE, overlap: int = 0) -> Method:
    """What cuts the chunks of a baseline. Raises `SettingError` where it cannot run here."""
    return make_method(str(splitter), Sizing(size, overlap=overlap))


NAMED: dict[str, Callable[[str, Settings], Retriever]] = {
    "ours": make_ours,
    "vectors": make_baseline(rank_by_vectors),
    "bm25": make_baseline(lambda chunks, _: rank_by_words(chunks)),
    "equal-ranks": make_baseline(
        lambda chunks, embedder: rank_equally([rank_by_vectors(chunks, embedder), rank_by_words(chunks)])
    ),
}
"""The retrievers that have names."""


def make_retriever(given: AnyRetriever, name: str | None = None) -> Retriever:
    """What a user calls a retriever -> a `Retriever`.

    Raises `SettingError` for an unknown name or setting, a module that cannot be imported, or what cannot be asked.
    """
    if isinstance(given, Retriever):
        return given if name is None else replace(given, name=name)
    if not isinstance(given, str):
        return _make_own(name or str(getattr(given, "__name__", type(given).__name__)), given)
    kind = given.partition(":")[0].strip()
    if kind in NAMED:
        return NAMED[kind](name or given, parse_spec(given)[1])
    if ":" in given:
        return _make_own(name or given, load_own(given))
    near = get_close_matches(kind, NAMED, 1)
    remedy = f"did you mean {near[0]}?" if near else f"choose from {', '.join(NAMED)}, or name your own, module:name"
    raise SettingError(f"there is no retriever {kind!r}: {remedy}")


def make_retrievers(given: AnyRetrievers) -> list[Retriever]:
    """Several retrievers -> each by a name that no other has. None: all that can run here."""
    if given is None:
        given = list_retrievers()[0]
    if isinstance(given, str):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else [(None, each) for each in given]
    made = [make_retriever(each, name) for name, each in pairs]
    names = [each.name for each in made]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SettingError(f"retrievers must differ in their names, {', '.join(twice)} is there more than once")
    if not made:
        raise SettingError(f"give at least one retriever: {', '.join(NAMED)}, or your own, module:name")
    return made


def list_retrievers() -> tuple[list[str], list[str]]:
    """Returns the names of all retrievers that can run here, and for each other one a line with the remedy."""
    if missing := PEERS["recursive"].missing:
        others = ", ".join(name for name in NAMED if name != "ours")
        return ["ours"], [
            f"{others} are left out: pip install {missing}, or name another splitter, bm25:splitter=fixed"
        ]
    return list(NAMED), []


def load_own(spec: str) -> Any:
    """``module:name`` -> what is called so there. Modules of the working folder are found too.

    Raises `SettingError` where it cannot be imported.
    """
    module, _, name = spec.partition(":")
    if module.endswith(".py") or not name:
        right = f"{module.removesuffix('.py').replace(os.sep, '.')}:{name or 'NAME'}"
        raise SettingError(f"a retriever of your own must be named module:name, as {right}, got {spec!r}")
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # a module may raise anything when it is imported
        raise SettingError(f"retriever {spec!r} cannot be imported: {type(error).__name__}: {error}") from error
    return found


def _make_own(name: str, own: Any) -> Retriever:
    """A user's retriever: asked for each budget if it takes one, else once."""
    ask = next((each for each in (getattr(own, way, None) for way in ("invoke", "retrieve")) if callable(each)), own)
    if not callable(ask) or inspect.isclass(ask):
        raise SettingError(
            f"retriever {name!r} must be a function from a question to texts, or a retriever of LangChain or "
            f"LlamaIndex, got {type(own).__name__} {own!r:.80}"
        )
    try:
        is_setting = "budget" in getattr(type(own), "model_fields", {})  # of the plugin's `ParentDocumentRetriever`
        budgeted = is_setting or "budget" in inspect.signature(ask).parameters
    except (TypeError, ValueError):  # of what is not written in Python
        budgeted = False
    kept: dict[str, list[FoundText]] = {}

    def ask_once(question: str, **options: int) -> list[FoundText]:
        try:
            returned = ask(question, **options)
            return list(read_found(name, _wait(returned) if inspect.isawaitable(returned) else returned))
        except CaesuraError:
            raise
        except (Exception, SystemExit) as error:  # it may raise anything, and the others' figures are worth having
            raise RetrieverError(
                f"it failed on {question!r:.80}: {type(error).__name__}: {error}".split("\n", 1)[0]
            ) from error

    def find(question: str, budget: int) -> Iterator[FoundText]:
        if budgeted:
            yield from ask_once(question, budget=budget)
            return
        if question not in kept:
            kept.clear()  # of one question at a time
            kept[question] = ask_once(question)
        yield from kept[question]

    return Retriever(name, lambda sources, embedder: find, is_indexed=True)


def _wait(returned: Awaitable[Any]) -> Any:
    """Awaits in the one loop that all retrievers have, in a thread: a notebook's own loop is running already."""

    async def run() -> Any:
        return await returned

    return asyncio.run_coroutine_threadsafe(run(), _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop that a client keeps its connections in, from one question to the next."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="caesura-measure", daemon=True).start()
    return loop
