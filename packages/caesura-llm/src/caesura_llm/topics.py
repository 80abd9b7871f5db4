"""Topics by a language model: groups of propositions that belong together, each with a title and a summary.

In rounds: of each, the requests, `parallel` of them and `batch` propositions in each, are made from the topics as they
stood before it, and their answers are taken in the order of the requests. So the result does not depend on the order in
which replies come. The first round has one request: there are no topics yet. After a round, topics that have grown by
half are given new titles, several in one request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from caesura.checks import OnFailure, check_int, check_number
from caesura.errors import ReplyError
from caesura.types import Vectors
from caesura.vectors import as_rows, normalize
from caesura_llm.conversation import Image, Reply, Request
from caesura_llm.grouping import Topic, TopicBuilder, finish_topics, join_nearest_topic, nearest_topic, shortlist
from caesura_llm.passages import Passage
from caesura_llm.prompts import GROUPS, TITLES, TOPIC_TITLES, TOPICS, Prompt, check_prompt, quote
from caesura_llm.repair_ladder import Ask, PendingRequests, RepairLadder, Shortfall
from caesura_llm.replies import items, whole_number

RETITLED_AT_ONCE = 8
"""The most topics that one request asks new titles for."""
QUOTED = 8
"""The most propositions of a topic that it quotes."""


@dataclass(slots=True)
class AssignmentBatch:
    """Propositions that are put to topics together.

    waiting: those that no reply has placed. topics: those that are listed, then those opened here.
    """

    waiting: list[int]
    topics: list[TopicBuilder]
    placed: list[tuple[int, list[int]]] = field(default_factory=list)
    opened: list[TopicBuilder] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    def text(self, asked: Sequence[int], propositions: Sequence[str]) -> str:
        """What a request says: the topics, and the propositions that are asked about, each under its number."""
        topics = [
            f"Topic {place}:\n{quote(one.title)}\n{quote(one.summary)}" for place, one in enumerate(self.topics, 1)
        ]
        lines = [quote(propositions[index], f"[{place}] ") for place, index in enumerate(asked, 1)]
        return "\n".join([*(topics or ["There are no topics yet."]), "", "Propositions:", *lines])

    def read(self, groups: Iterable[dict[str, Any]], asked: Sequence[int], dropped: Counter[str]) -> None:
        """Takes the usable groups of a reply and counts what is left out. asked: as in `text`."""
        listed = len(self.topics)
        for group in groups:
            numbers = self._waiting_members(group.get("propositions"), asked, dropped)
            if not numbers:
                continue
            topic, title, summary = whole_number(group.get("topic")), group.get("title"), group.get("summary")
            if topic == 0 and isinstance(title, str) and title.strip():
                self.opened.append(TopicBuilder(title.strip(), summary.strip() if isinstance(summary, str) else ""))
                self.topics.append(self.opened[-1])
                topic = len(self.topics)
            elif topic is None or not 1 <= topic <= listed:
                dropped["topics"] += 1
                continue
            self.waiting = [index for index in self.waiting if index not in numbers]
            self.placed.append((topic, numbers))

    def _waiting_members(self, value: Any, asked: Sequence[int], dropped: Counter[str]) -> list[int]:
        """The numbers of a group -> those of them that wait, as indices."""
        places = [whole_number(number) for number in (value if isinstance(value, list) else [value])]
        numbers: list[int] = []
        for place in places:
            index = asked[place - 1] if place is not None and 1 <= place <= len(asked) else None
            if index is not None and index in self.waiting and index not in numbers:
                numbers.append(index)
        dropped["numbers"] += len(places) - len(numbers)
        return numbers

    def settle(
        self, topics: list[TopicBuilder], opened: list[TopicBuilder], vectors: Vectors, threshold: float
    ) -> None:
        """Adds members to their topics. A topic like one that this round has opened, by title or meaning, joins it.

        topics: all there are; opened: those of them that this round has opened. Both grow.
        """
        members: dict[int, list[int]] = {}
        for place, numbers in self.placed:
            members.setdefault(place, []).extend(numbers)
        earlier = list(opened)
        for place, numbers in members.items():
            topic = self.topics[place - 1]
            (topic.merged_into or topic).add(numbers, vectors)
            if not any(topic is one for one in self.opened):
                continue
            twin = next((one for one in opened if one.title.casefold() == topic.title.casefold()), None)
            twin = twin or nearest_topic(topic.mean(), earlier, threshold)
            if twin is None:
                opened.append(topic)
                topics.append(topic)
            else:
                topic.merged_into = twin
                twin.add(numbers, vectors)


def topics_to_retitle(topics: Sequence[TopicBuilder], growth: float) -> list[list[TopicBuilder]]:
    """Those that have grown by this share, and by three, since they got their titles; those of one request together."""
    grown = [one for one in topics if len(one.members) >= max(one.titled_size * (1 + growth), one.titled_size + 3)]
    return [grown[start : start + RETITLED_AT_ONCE] for start in range(0, len(grown), RETITLED_AT_ONCE)]


def retitle_prompt(topics: Sequence[TopicBuilder], propositions: Sequence[str]) -> str:
    """The text of a request for titles: each topic's title, summary and some members, evenly spread."""
    parts = []
    for place, topic in enumerate(topics, 1):
        members = sorted(topic.members)
        step = max(1.0, len(members) / QUOTED)
        some = [members[int(k * step)] for k in range(min(QUOTED, len(members)))]
        lines = [quote(propositions[index], f"[{k}] ") for k, index in enumerate(some, 1)]
        parts.append("\n".join([f"Topic {place}:", quote(topic.title), quote(topic.summary), *lines]))
    return "\n\n".join(parts)


def retitle(topics: Sequence[TopicBuilder], reply: Reply | None) -> int:
    """Gives new titles to those that the reply has one for; the others keep theirs until they have grown again.

    reply: None where none came. Returns how many keep theirs.
    """
    left = dict(enumerate(topics, 1))
    titles: list[dict[str, Any]] = []
    if reply is not None and reply.stop != "refused":
        with suppress(ReplyError):
            titles = items(reply.text, "topics", ("number", "title")).items
    for item in titles:
        title, summary = item.get("title"), item.get("summary")
        place = whole_number(item.get("number"))
        if place in left and isinstance(title, str) and title.strip() and isinstance(summary, str):
            topic = left.pop(place)
            topic.title, topic.summary = title.strip(), summary.strip()
    for topic in topics:
        topic.titled_size = len(topic.members)
    return len(left)


@dataclass(frozen=True, slots=True)
class _Assignment(Ask):
    """Some of a batch's propositions."""

    batch: AssignmentBatch = field(kw_only=True)


class Topics(RepairLadder[_Assignment]):
    """A `Conversation` about propositions, in the order of the document; its results are the topics, when all is said.

    propositions: their texts. prompt: what the model is told. titles: and for a new title. max_tokens: of each reply.
    on_failure: "raise", or "keep", which lists a failure. vectors: one row per proposition, from any embedder; centred
    on its background where it has one (`unit_rows`). batch: propositions in a request. shortlist: topics that a request
    lists, at most, those nearest by vectors. parallel: requests in a round. threshold: the cosine with a topic's mean
    from which two topics that one round opens are one, and a proposition joins a topic where the model's answers fail
    (`by_embedding`). growth: how much a topic grows before it is given a new title.

    Each proposition is in exactly one topic. Those of a topic are in their order, and topics are in the order of their
    first. If a proposition is a `Passage`, failures say where it stands.

    If no reply places a proposition, the model is asked again. If this fails too, its vector places it, and it is
    listed as a failure, or raised.

    It drops parts of replies that cannot be used, and counts them in ``tally.dropped``. "numbers" are numbers that do
    not exist or come twice. "topics" are topics that do not exist. "titles" are titles that could not be renewed.

    Raises `SettingError` for a setting that cannot be used, `EmbeddingError` if there is not one finite row for each
    proposition.
    """

    schema = GROUPS

    def __init__(
        self,
        propositions: Sequence[str | Passage],
        vectors: Any,
        *,
        prompt: Prompt = TOPICS,
        titles: Prompt = TITLES,
        batch: int = 40,
        shortlist: int = 12,
        parallel: int = 4,
        threshold: float = 0.5,
        growth: float = 0.5,
        max_tokens: int | None = None,
        on_failure: OnFailure = "raise",
    ) -> None:
        for name, value in (("batch", batch), ("shortlist", shortlist), ("parallel", parallel)):
            check_int(name, value, 1)
        check_number("threshold", threshold, -1, 1)
        check_number("growth", growth, 0, 1e6)
        check_prompt("titles", titles)
        super().__init__(prompt, max_tokens, on_failure)
        self._propositions = [one if isinstance(one, Passage) else Passage(one, start=None) for one in propositions]
        self._texts = [one.text for one in self._propositions]
        self._vectors: Vectors = normalize(as_rows(vectors, len(self._texts)))
        self.titles: Prompt = titles
        self.batch: int = batch
        self._shortlist, self._parallel = shortlist, parallel
        self._threshold, self._growth = threshold, growth
        self.tally.items = len(self._texts)
        self._topics: list[TopicBuilder] = []
        self._titles: PendingRequests[list[TopicBuilder]] = PendingRequests()
        self._round: list[AssignmentBatch] = []
        self._next = 0
        self._given = False

    def pending(self) -> list[Request]:
        if not self._requests and not self._titles and self._next < len(self._texts):
            for _ in range(self._parallel if self._topics else 1):
                numbers = list(range(self._next, min(self._next + self.batch, len(self._texts))))
                self._next += len(numbers)
                if numbers:
                    listed = shortlist(self._topics, self._vectors[numbers], self._shortlist)
                    self._round.append(AssignmentBatch([*numbers], listed))
                    self._ask(_Assignment(numbers, batch=self._round[-1]))
        return self._requests.requests() or self._titles.requests()

    def accept(self, request: Request, reply: Reply) -> None:
        if request in self._titles:
            self.tally.dropped["titles"] += retitle(self._titles.take(request), reply)
        else:
            super().accept(request, reply)
            self._end_round()

    def reject(self, request: Request, error: BaseException) -> None:
        if request in self._titles:
            self.tally.dropped["titles"] += retitle(self._titles.take(request), None)
        else:
            super().reject(request, error)
            self._end_round()

    def finished(self) -> list[Topic]:
        if self._given or self._requests or self._titles or self._next < len(self._texts):
            return []
        self._given = True
        return finish_topics(self._topics)

    def _end_round(self) -> None:
        """Once all is answered, settles the batches in their order and asks for the titles that are due."""
        if self._requests or not self._round:
            return
        opened: list[TopicBuilder] = []
        for batch in self._round:
            batch.settle(self._topics, opened, self._vectors, self._threshold)
        for index in sorted(index for batch in self._round for index in batch.failed):
            join_nearest_topic(index, self._texts[index], self._topics, self._vectors, self._threshold)
        self._round = []
        self.tally.finished = self._next
        for some in topics_to_retitle(self._topics, self._growth):
            request = self.titles.request(retitle_prompt(some, self._texts), TOPIC_TITLES, self.max_tokens)
            self._titles.add(request, some)

    # -- the ladder --------------------------------------------------------------------------------------------------

    def _write(self, ask: _Assignment) -> tuple[str, Sequence[Image]]:
        return ask.batch.text(ask.items, self._texts), ()

    def _take_reply(self, ask: _Assignment, reply: Reply) -> Shortfall:
        fault, cut = "", False
        try:
            read = items(reply.text, "groups", ("topic", "propositions"))
            cut = read.cut
            ask.batch.read(filter(read.complete, read.items), ask.items, self.tally.dropped)
        except ReplyError as error:
            fault = str(error)
        left = [index for index in ask.items if index in ask.batch.waiting]
        missing = "no group has it" if ask.stage == "repair" else f"{len(left)} propositions were in no group"
        return Shortfall(left, fault or missing, ask.stage if cut and len(left) < len(ask.items) else None)

    def _split(self, ask: _Assignment, apart: bool) -> list[_Assignment]:
        """One proposition may be what is refused: each half is asked for by itself."""
        if not apart or len(ask.items) == 1:
            return []
        middle = len(ask.items) // 2
        place = next(place for place, batch in enumerate(self._round, 1) if batch is ask.batch)
        parts = []
        for half in (ask.items[middle:], ask.items[:middle]):
            self._round.insert(place, AssignmentBatch([*half], [*ask.batch.topics]))
            parts.append(_Assignment(half, keys=ask.keys, batch=self._round[place]))
        return parts

    def _fail(self, item: int, ask: _Assignment, fault: str, cause: BaseException | None) -> None:
        self._record(item, self._propositions[item], fault, ask.keys, cause)
        ask.batch.failed.append(item)
