"""Topics in, nodes out: one for each, or several of a large one, that know the sentences that they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from llama_index.core.schema import BaseNode, TextNode

from caesura.llm.agentic import Grouped
from caesura.llm.grouping import Topic
from caesura.llm.sections import sections
from caesura.llm.spans import as_text
from caesura.types import Sizer
from llama_index.node_parser.caesura.llm.derived import fields_of
from llama_index.node_parser.caesura.nodes import origin
from llama_index.node_parser.caesura.room import rendered


@dataclass(frozen=True, slots=True)
class TopicNodes:
    """What topics of these passages become nodes by. The other settings: `AgenticSplitter`."""

    passages: Sequence[BaseNode]
    size: Sizer
    chunk_size: int | None
    id_func: Callable[..., str]
    include_metadata: bool

    def of(self, grouped: Grouped) -> list[TextNode]:
        """A document's topics -> their nodes."""
        topics = enumerate(grouped.topics)
        return [node for number, topic in topics for node in self._topic(grouped, number, topic)]

    def _topic(self, grouped: Grouped, number: int, topic: Topic) -> Iterator[TextNode]:
        """The nodes of one topic, with the metadata that all its passages have in common."""
        of = sorted({grouped.propositions[member].passage for member in topic.members})
        first, *others = [self.passages[index] for index in of]
        common = {
            key: value
            for key, value in first.metadata.items()
            if all(key in node.metadata and node.metadata[key] == value for node in others)
        }
        base = first.model_copy(update={"metadata": common})
        placed = all(origin(self.passages[index]) is not None for index in of)
        titles = {"topic": number, "topic_title": topic.title, "topic_summary": topic.summary}
        settings = self.id_func, number, self.include_metadata
        hidden, measure = self._shown(TextNode(**fields_of(base, "topic", "", None, titles, *settings)))
        for one in sections(topic, grouped.propositions, measure, self.chunk_size):
            added = {**titles, "kept": one.kept, "spans": as_text(one.spans) if placed else None}
            node = TextNode(**fields_of(base, "topic", one.text, one.spans if placed else None, added, *settings))
            node.excluded_embed_metadata_keys += hidden
            node.excluded_llm_metadata_keys += hidden
            yield node

    def _shown(self, node: TextNode) -> tuple[list[str], Sizer]:
        """What is not shown of a topic, so that metadata takes half of the room at most; what measures a text then."""
        keys = list(node.excluded_embed_metadata_keys), list(node.excluded_llm_metadata_keys)
        for hidden in ([], ["topic_summary"], ["topic_summary", "topic_title"]):
            node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys = keys[0] + hidden, keys[1] + hidden
            measure = rendered(node, self.size)
            if self.chunk_size is None or 2 * (measure("a") - self.size("a")) <= self.chunk_size:
                break
        return hidden, measure
