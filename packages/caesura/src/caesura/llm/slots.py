"""One batch of propositions and the topics listed for it in, the groups that replies place them in out, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.llm.growing_topics import Group, nearest
from caesura.llm.replies import whole_number
from caesura.llm.shown import shown
from caesura.types import Vectors


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
