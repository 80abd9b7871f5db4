"""What the replies about one batch of propositions say -> the groups that they join, each placed once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from caesura.llm.grouping import Group, cosines
from caesura.llm.replies import whole_number
from caesura.types import Vectors
from caesura.vectors import normalised


@dataclass(slots=True)
class Slot:
    """waiting: the propositions that no reply has placed. topics: those that are listed, then those opened here."""

    waiting: list[int]
    topics: list[Group]
    placed: list[tuple[int, list[int]]] = field(default_factory=list)
    opened: list[Group] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    def read(self, item: dict[str, Any], asked: list[int], count: int, dropped: Counter[str]) -> int:
        """Takes one group of a reply, as far as it is good -> how many propositions it places.

        asked: the propositions, by their place in the request. count: the topics that it listed.
        """
        listed = item.get("propositions")
        places = [whole_number(value) for value in (listed if isinstance(listed, list) else [listed])]
        numbers = []
        for place in places:
            index = asked[place - 1] if place is not None and 1 <= place <= len(asked) else None
            if index in self.waiting and index not in numbers:
                numbers.append(index)
        dropped["numbers"] += len(places) - len(numbers)
        topic, title, summary = whole_number(item.get("topic")), item.get("title"), item.get("summary")
        if topic is not None and topic > count:
            topic = None
        if topic == 0 and numbers and isinstance(title, str) and title.strip():
            self.topics.append(Group(title.strip(), summary.strip() if isinstance(summary, str) else ""))
            self.opened.append(self.topics[-1])
            topic = len(self.topics)
        if not numbers:
            return 0
        if topic is None or topic < 1:
            dropped["topics"] += 1
            return 0
        self.waiting = [index for index in self.waiting if index not in numbers]
        self.placed.append((topic, numbers))
        return len(numbers)

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
            same = same or _nearest(group, earlier, threshold)
            if same is None:
                opened.append(group)
                groups.append(group)
            else:
                group.joined = same
                same.add(numbers, vectors)


def _nearest(group: Group, groups: list[Group], threshold: float) -> Group | None:
    if not groups or group.total is None:
        return None
    table = cosines(normalised(group.total[None].astype("float32")), groups)[0]
    best = int(table.argmax())
    return groups[best] if table[best] >= threshold else None
