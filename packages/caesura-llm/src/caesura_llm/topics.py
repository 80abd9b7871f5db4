"""Propositions and their vectors in, topics out: groups of those that belong together, each with title and summary.

In rounds: of each, the requests, `parallel` of them and `batch` propositions in each, are made from the topics as they
stood before it, and their answers are taken in the order of the requests. So the result does not depend on the order in
which replies come. The first round has one request: there are no topics yet. After a round, topics that have grown by
half are given new titles, several in one request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from caesura.checks import OnFailure, check_int, check_number, check_on_failure
from caesura.errors import ReplyError
from caesura.types import Vectors
from caesura.vectors import as_rows, normalize
from caesura_llm.conversation import Failure, Reply, Request, Tally, Unanswered, failed, reason
from caesura_llm.grouping import Group, Topic, finished, join_nearest, nearest, shortlist
from caesura_llm.prompts import GROUPS, TITLES, TOPIC_TITLES, TOPICS, Prompt, repairing, shown
from caesura_llm.replies import items, whole_number


@dataclass(slots=True)
class Slot:
    """waiting: the propositions that no reply has placed. topics: those that are listed, then those opened here."""

    waiting: list[int]
    topics: list[Group]
    placed: list[tuple[int, list[int]]] = field(default_factory=list)
    opened: list[Group] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    def text(self, asked: Sequence[int], propositions: Sequence[str]) -> str:
        """What a request shows: the topics, and the propositions that are asked about, each under its number."""
        topics = [
            f"Topic {place}:\n{shown(one.title)}\n{shown(one.summary)}" for place, one in enumerate(self.topics, 1)
        ]
        lines = [shown(propositions[index], f"[{place}] ") for place, index in enumerate(asked, 1)]
        return "\n".join([*(topics or ["There are no topics yet."]), "", "Propositions:", *lines])

    def read(self, said: Iterable[dict[str, Any]], asked: Sequence[int], dropped: Counter[str]) -> None:
        """Takes the groups of a reply, as far as they are good; what is not is counted. asked: as `text` showed it."""
        listed = len(self.topics)
        for item in said:
            named = item.get("propositions")
            places = [whole_number(value) for value in (named if isinstance(named, list) else [named])]
            numbers = []
            for place in places:
                index = asked[place - 1] if place is not None and 1 <= place <= len(asked) else None
                if index in self.waiting and index not in numbers:
                    numbers.append(index)
            dropped["numbers"] += len(places) - len(numbers)
            if not numbers:
                continue
            topic, title, summary = whole_number(item.get("topic")), item.get("title"), item.get("summary")
            if topic == 0 and isinstance(title, str) and title.strip():
                self.opened.append(Group(title.strip(), summary.strip() if isinstance(summary, str) else ""))
                self.topics.append(self.opened[-1])
                topic = len(self.topics)
            elif topic is None or not 1 <= topic <= listed:
                dropped["topics"] += 1
                continue
            self.waiting = [index for index in self.waiting if index not in numbers]
            self.placed.append((topic, numbers))

    def settle(self, groups: list[Group], opened: list[Group], vectors: Vectors, threshold: float) -> None:
        """Members join. A group that this round has opened before, by its title or its meaning, is that one.

        groups: all there are; opened: those of them that this round has opened. Both grow.
        """
        members: dict[int, list[int]] = {}
        for topic, numbers in self.placed:
            members.setdefault(topic, []).extend(numbers)
        earlier = list(opened)
        for topic, numbers in members.items():
            group = self.topics[topic - 1]
            (group.joined or group).add(numbers, vectors)
            if not any(group is one for one in self.opened):
                continue
            same = next((one for one in opened if one.title.casefold() == group.title.casefold()), None)
            same = same or nearest(group.mean(), earlier, threshold)
            if same is None:
                opened.append(group)
                groups.append(group)
            else:
                group.joined = same
                same.add(numbers, vectors)


RENAMED = 8
"""Topics that one request asks new titles for."""
SHOWN = 8
"""Propositions of a topic that it shows."""


def due(groups: Sequence[Group], growth: float) -> list[list[Group]]:
    """Those that have grown by this share, and by three, since they got their titles; those of one request together."""
    some = [one for one in groups if len(one.members) >= max(one.named * (1 + growth), one.named + 3)]
    return [some[start : start + RENAMED] for start in range(0, len(some), RENAMED)]


def grown(groups: Sequence[Group], propositions: Sequence[str]) -> str:
    """What a request shows of such topics: title, summary, and members evenly over all."""
    parts = []
    for place, group in enumerate(groups, 1):
        members = sorted(group.members)
        step = max(1.0, len(members) / SHOWN)
        some = [members[int(k * step)] for k in range(min(SHOWN, len(members)))]
        lines = [shown(propositions[index], f"[{k}] ") for k, index in enumerate(some, 1)]
        parts.append("\n".join([f"Topic {place}:", shown(group.title), shown(group.summary), *lines]))
    return "\n\n".join(parts)


def rename(groups: Sequence[Group], reply: Reply | None) -> int:
    """Gives new titles to those that the reply has one for; the others keep theirs until they have grown again.

    reply: None where none came. Returns how many keep theirs.
    """
    left = dict(enumerate(groups, 1))
    try:
        named = (
            [] if reply is None or reply.stop == "refused" else items(reply.text, "topics", ("number", "title")).items
        )
    except ReplyError:
        named = []
    for item in named:
        title, summary = item.get("title"), item.get("summary")
        place = whole_number(item.get("number"))
        if place in left and isinstance(title, str) and title.strip() and isinstance(summary, str):
            group = left.pop(place)
            group.title, group.summary = title.strip(), summary.strip()
    for group in groups:
        group.named = len(group.members)
    return len(left)


@dataclass(frozen=True, slots=True)
class _Ask:
    """What a request asks to be placed: some of a slot's propositions. keys: of the requests for them so far."""

    slot: Slot
    numbers: list[int]
    keys: tuple[str, ...] = ()
    repair: bool = False


class Topics:
    """A `Conversation` about propositions, in the order of the document; its results are the topics, when all is said.

    vectors: one row per proposition, from any embedder; centred on its background where it has one (`unit_rows`).
    batch: propositions in a request. shortlist: topics that a request lists, at most, those nearest by vectors.
    parallel: requests in a round. threshold: the cosine with a topic's mean from which two topics that one round opens
    are one, and a proposition joins a topic where the model's answers fail (`by_embedding`). growth: how much a topic
    grows before it is given a new title. document_id: what failures are listed under.

    A proposition that no reply places, after a repair, is placed by its vector and listed as a failure, or raised. Of
    replies is dropped, and counted: numbers that do not exist or come twice ("numbers"), topics that do not
    ("topics"), titles that could not be renewed ("titles").

    Returns topics such that each proposition is in exactly one, those of a topic in their order, topics by their first.
    """

    def __init__(
        self,
        propositions: Sequence[str],
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
        document_id: str = "",
    ) -> None:
        for name, value in (("batch", batch), ("shortlist", shortlist), ("parallel", parallel)):
            check_int(name, value, 1)
        if max_tokens is not None:
            check_int("max_tokens", max_tokens, 1)
        check_number("threshold", threshold, -1, 1)
        check_number("growth", growth, 0, 1e6)
        self._texts = list(propositions)
        self._vectors: Vectors = normalize(as_rows(vectors, len(self._texts)))
        self.prompt: Prompt = prompt
        self.titles: Prompt = titles
        self.max_tokens: int | None = max_tokens
        self._batch, self._shortlist, self._parallel = batch, shortlist, parallel
        self._threshold, self._growth = threshold, growth
        self._on_failure: OnFailure = check_on_failure(on_failure)
        self._document_id = document_id
        self.tally: Tally = Tally(items=len(self._texts))
        self._groups: list[Group] = []
        self._unanswered: Unanswered[_Ask | list[Group]] = Unanswered()
        self._slots: list[Slot] = []
        self._next = 0
        self._given = False

    def pending(self) -> list[Request]:
        if not self._unanswered and self._next < len(self._texts):
            for _ in range(self._parallel if self._groups else 1):
                numbers = list(range(self._next, min(self._next + self._batch, len(self._texts))))
                self._next += len(numbers)
                if numbers:
                    slot = Slot([*numbers], shortlist(self._groups, self._vectors[numbers], self._shortlist))
                    self._slots.append(slot)
                    self._ask(_Ask(slot, numbers))
        return self._unanswered.requests()

    def accept(self, request: Request, reply: Reply) -> None:
        ask = self._unanswered.answered(request)
        if isinstance(ask, list):
            self.tally.dropped["titles"] += rename(ask, reply)
        elif reply.stop == "refused":
            self._halve(ask, reason(reply), None)
        else:
            self._place(ask, reply)
        self._end_of_round()

    def reject(self, request: Request, error: BaseException) -> None:
        ask = self._unanswered.answered(request)
        if isinstance(ask, list):
            self.tally.dropped["titles"] += rename(ask, None)
        else:
            self._halve(ask, reason(error), error)
        self._end_of_round()

    def finished(self) -> list[Topic]:
        if self._given or self._unanswered or self._next < len(self._texts):
            return []
        self._given = True
        return finished(self._groups)

    def _ask(self, ask: _Ask, fault: str = "") -> None:
        text = ask.slot.text(ask.numbers, self._texts)
        text = repairing(text, fault) if fault else text
        request = self.prompt.request(text, GROUPS, self.max_tokens, repair=ask.repair)
        self.tally.repairs += ask.repair
        self._unanswered.add(request, replace(ask, keys=(*ask.keys, request.key)))

    def _place(self, ask: _Ask, reply: Reply) -> None:
        fault, cut = "", False
        try:
            found = items(reply.text, "groups", ("topic", "propositions"))
            cut = found.cut
            ask.slot.read(filter(found.complete, found.items), ask.numbers, self.tally.dropped)
        except ReplyError as error:
            fault = str(error)
        left = [index for index in ask.numbers if index in ask.slot.waiting]
        if not left:
            return
        again = replace(ask, numbers=left)
        if cut and len(left) < len(ask.numbers):
            self._ask(again)
        elif not ask.repair:
            self._ask(replace(again, repair=True), fault or f"{len(left)} propositions were in no group")
        else:
            self._fail(again, fault or "no group has it", None)

    def _halve(self, ask: _Ask, fault: str, cause: BaseException | None) -> None:
        """One proposition may be what is refused: each half is asked for by itself."""
        if len(ask.numbers) == 1:
            self._fail(ask, fault, cause)
            return
        middle = len(ask.numbers) // 2
        at = next(place for place, slot in enumerate(self._slots, 1) if slot is ask.slot)
        for part in (ask.numbers[middle:], ask.numbers[:middle]):
            slot = Slot([*part], [*ask.slot.topics])
            self._slots.insert(at, slot)
            self._ask(_Ask(slot, part, ask.keys))

    def _fail(self, ask: _Ask, fault: str, cause: BaseException | None) -> None:
        for index in ask.numbers:
            failed(Failure(index, self._document_id, fault, ask.keys), self._on_failure, self.tally, cause)
        ask.slot.failed += ask.numbers

    def _end_of_round(self) -> None:
        """When all is answered: takes what the slots say, in their order, and asks for the titles that are due."""
        if self._unanswered or not self._slots:
            return
        opened: list[Group] = []
        for slot in self._slots:
            slot.settle(self._groups, opened, self._vectors, self._threshold)
        for index in sorted(index for slot in self._slots for index in slot.failed):
            join_nearest(index, self._texts[index], self._groups, self._vectors, self._threshold)
        self._slots = []
        self.tally.finished = self._next
        for some in due(self._groups, self._growth):
            request = self.titles.request(grown(some, self._texts), TOPIC_TITLES, self.max_tokens)
            self._unanswered.add(request, some)
