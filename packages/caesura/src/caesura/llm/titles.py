"""Topics that have grown in, new titles and summaries for them out: which are due, what is asked, what a reply says."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.errors import ReplyError
from caesura.llm.conversation import Reply
from caesura.llm.growing_topics import Group
from caesura.llm.replies import items, whole_number
from caesura.llm.shown import shown

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
