"""Layout of found nodes: where each lies in the largest node around it, what fits of it, and what it becomes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, TextNode

from caesura.ids import digest
from caesura.sizers import tokens
from caesura.tiktoken_sizer import known_words
from caesura.types import Sizer
from caesura_documents.chunk_metadata import NAMES
from caesura_retrieval.parent_merging import enough
from caesura_retrieval.passages import PackedPassage, PassageSpan, pack
from caesura_retrieval.shortening import shorten_span
from llama_index.node_parser.caesura.node_metadata import NodeMetadata, as_found
from llama_index.node_parser.caesura.nodes import OF_SOURCE, id_reference
from llama_index.node_parser.caesura.retrieval.node_records import TreeNode
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree, is_covered, start_within


class Layout:
    """Spans of found nodes, and of parents that may take their place.

    A node is laid out in the largest node that it is an exact slice of, by way of its parents, because the text between
    it and its neighbours is known there alone. One that is no slice of its parent, as a proposition, stands for itself.

    tree: has the nodes that are named, and all above them. parents: those to try, with all below them. places: what
    nodes say of where they stand.
    """

    def __init__(
        self, tree: NodeTree, names: Iterable[str], parents: Iterable[str] = (), places: NodeMetadata | None = None
    ) -> None:
        """See the class."""
        self.tree = tree
        self._children, self._parents = tree.families()
        self._places = places or NodeMetadata()
        self._atoms: dict[str, list[tuple[int, int, str]]] = {}
        self._laid: dict[str, list[tuple[int, int, str]]] = {}
        self.spans: dict[str, PassageSpan] = {}
        self.parents: dict[str, list[PassageSpan]] = {}
        self._nodes: dict[PassageSpan, str] = {}
        self._slices: dict[PassageSpan, BaseNode] = {}
        self._lines: dict[str, list[str]] = {}
        self._loose: dict[str, str] = {}
        for name in names:
            self._lines[name] = line = self._line(name)
            if len(line) == 1 and (parent := self._parents.get(name)) is not None:
                self._loose[name] = parent
        families: dict[str, set[str]] = {}
        for name, line in self._lines.items():
            families.setdefault(line[-1], set()).add(name)
        tried = list(parents)
        for parent in tried:
            top = self._line(parent)[-1]
            inside = [parent, *self._leaves(parent)]
            if all(self._start(name, top) is not None for name in inside):
                families.setdefault(top, set()).update(inside)
        laid = {name: span for top, members in families.items() for name, span in self._lay(top, members).items()}
        for name, line in self._lines.items():
            self.spans[name] = laid[name]
            self.parents[name] = [laid[parent] for parent in line[1:] if parent in tried and parent in laid]
        self._nodes = {span: name for name, span in reversed(laid.items())}
        for name, parent in self._loose.items():
            self._lay_loose(name, parent, parent in tried)

    # -- where nodes are ----------------------------------------------------------------------------------------------

    def _leaves(self, name: str) -> list[str]:
        """What is below a node and has nothing below it; itself where nothing is."""
        leaves: list[str] = []
        stack, seen = [name], set[str]()
        while stack:
            each = stack.pop()
            children = [] if each in seen else self._children.get(each, [])
            seen.add(each)
            stack += reversed(children)
            leaves += [] if children else [each]
        return leaves

    def _line(self, name: str) -> list[str]:
        """Returns a node and those above it, as far as it is a slice of them."""
        line = [name]
        while (parent := self._parents.get(line[-1])) is not None and parent not in line:
            if any(self._start(each, parent) is None for each in line):
                break
            line.append(parent)
        return line

    def _start(self, name: str, around: str) -> int | None:
        """Where a node starts in another; None where it is not known to be a slice of it."""
        return start_within(self.tree.nodes.get(name), self.tree.nodes[around])

    def _lay(self, top: str, members: Collection[str]) -> dict[str, PassageSpan]:
        """Returns the spans of a node and of slices of it, by the places of the smallest of them."""
        nodes = self.tree.nodes
        if len(members) == 1:  # as mostly
            [name] = members
            start = 0 if name == top else self._start(name, top) or 0
            end = start + len(nodes[name].text)
            self._atoms[top] = self._laid[top] = [(start, end, name)]
            return {name: PassageSpan(top, start, end, 0, 0)}
        text = nodes[top].text
        bounds: list[tuple[int, int, str]] = []
        for name in members:
            start = 0 if name == top else self._start(name, top) or 0
            bounds.append((start, -(start + len(nodes[name].text)), name))
        ends = [(start, -negative, name) for start, negative, name in sorted(bounds)]
        atoms: list[tuple[int, int, str]] = []
        places: list[int] = []
        for number, (start, end, name) in enumerate(ends):
            if number + 1 < len(ends) and ends[number + 1][1] <= end:
                continue  # the next lies within this one
            gap = bool(atoms) and text[atoms[-1][1] : start].strip() != ""
            places.append(places[-1] + 1 + gap if places else 0)
            atoms.append((start, end, name))
        starts, stops = [start for start, *_ in atoms], [end for _, end, _ in atoms]
        self._atoms[top], self._laid[top] = atoms, ends
        return {
            name: PassageSpan(top, start, end, places[bisect_left(starts, start)], places[bisect_right(stops, end) - 1])
            for start, end, name in ends
        }

    def _lay_loose(self, name: str, parent: str, is_tried: bool) -> None:
        """Lays out a node that is no slice of its parent: by its number among the children, characters too."""
        children = self._children[parent]
        family, place = f"{parent}\n", children.index(name)
        whole = PassageSpan(family, -1, len(children), 0, len(children) - 1, joins=False)
        self.spans[name] = PassageSpan(family, place, place + 1, place, place, joins=False)
        self._nodes[self.spans[name]] = name
        self._nodes[whole] = parent
        self.parents[name] = [whole] if is_tried else []
        if parent in self.spans:  # found too
            self.spans[parent] = whole

    # -- what they become ------------------------------------------------------------------------------------------

    def promising_parents(self, taken: Iterable[str], merge_ratio: float) -> list[str]:
        """Returns the parents of which enough may have been taken, as far as can be told. taken: names of nodes."""
        inside: Counter[str] = Counter()
        for name in taken:
            above = [self._loose[name]] if name in self._loose else self._lines[name][1:]
            for parent in above:
                inside[parent] += len(self._children[parent]) if self._children[name] else 1
        return [parent for parent, found in inside.items() if enough(found, len(self._children[parent]), merge_ratio)]

    def shows(self, span: PassageSpan) -> bool:
        """Whether the filter hides nothing of a span: but for whitespace, it lies in nodes that are shown."""
        if span in self._nodes and self.tree.shows(self._nodes[span]):
            return True
        top = self.tree.nodes.get(span.document)
        shown = [(start, end) for start, end, name in self._laid.get(span.document, ()) if self.tree.shows(name)]
        return top is not None and is_covered(top.text, span.start, span.end, shown)

    def name_of(self, span: PassageSpan) -> str:
        """Returns what a span is known by: the node that it is, or a slice of one."""
        return self._nodes.get(span) or f"{span.document}\n{span.start}\n{span.end}"

    def make_nodes(self, passages: Iterable[PackedPassage]) -> list[BaseNode]:
        """Returns for each passage the node that it is, or one of the slice: of the same document and metadata as what
        it is a slice of, but with the place of what it is made of, and with what all of that says alike."""
        return as_found([self.stored_node(passage.span) for passage in passages])

    def stored_node(self, span: PassageSpan) -> BaseNode:
        """Returns one of these with all that the document store keeps. It is made once."""
        if span in self._nodes:
            return self.tree.nodes[self._nodes[span]].node
        if span not in self._slices:
            self._slices[span] = self._slice(span)
        return self._slices[span]

    def text(self, span: PassageSpan) -> str:
        """Returns the text of what a span is or becomes."""
        if span in self._nodes:
            return self.tree.nodes[self._nodes[span]].text
        return self.tree.nodes[span.document].text[span.start : span.end]

    def is_bare(self, span: PassageSpan) -> bool:
        """Whether a language model is surely shown no metadata of what a span is or becomes: none of what that is made
        of."""
        if span in self._nodes:
            return self.tree.nodes[self._nodes[span]].is_bare
        names = [span.document, *(name for *_, name in self._parts(span))]
        return all(self.tree.nodes[name].is_bare for name in names)

    def _slice(self, span: PassageSpan) -> BaseNode:
        top = self.tree.nodes[span.document].node
        assert isinstance(top, TextNode)  # noqa: S101 - else nothing is joined
        text = top.text[span.start : span.end]
        offset, source = top.start_char_idx, top.source_node
        if source is not None:  # what it says of a place is about the node, and the slice says its own
            own = {key: value for key, value in source.metadata.items() if key not in OF_SOURCE}
            source = source.model_copy(update={"metadata": own})
        parts = self._parts(span)
        first, last = self.tree.nodes[parts[0][2]].node, self.tree.nodes[parts[-1][2]].node
        beside = {NodeRelationship.PREVIOUS: first.prev_node, NodeRelationship.NEXT: last.next_node}
        place = (top.node_id, str(span.start)) if offset is None else (top.ref_doc_id or "", str(offset + span.start))
        return top.model_copy(
            update={
                "id_": digest(*place, text),
                "text": text,
                "start_char_idx": None if offset is None else offset + span.start,
                "end_char_idx": None if offset is None else offset + span.end,
                **self._metadata(top, span, parts),
                "relationships": {
                    **({} if source is None else {NodeRelationship.SOURCE: source}),
                    **{kind: info for kind, info in beside.items() if info is not None},
                    NodeRelationship.CHILD: [id_reference(self.tree.nodes[name].node) for *_, name in parts],
                },
            }
        )

    def _parts(self, span: PassageSpan) -> list[tuple[int, int, str]]:
        """Returns the nodes that a slice is made of, in its order, each with its start and end: the smallest that were
        found, and where these do not cover it, the largest that the filter shows."""

        def within(nodes: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
            return [each for each in nodes if each[0] < span.end and span.start < each[1]]

        atoms = within(self._atoms[span.document])
        if not atoms or span.start < atoms[0][0] or atoms[-1][1] < span.end:  # of what was found, nothing covers it
            shown = (each for each in self._laid[span.document] if self.tree.shows(each[2]))
            length = len(self.tree.nodes[span.document].text)
            atoms = [(0, length, span.document)] if self.tree.shows(span.document) else within(shown)
        return atoms

    def _metadata(self, top: TextNode, span: PassageSpan, atoms: Sequence[tuple[int, int, str]]) -> dict[str, Any]:
        """The metadata of a slice, and which of it models are not shown. A node that the filter hides gives none.
        atoms: the nodes that it is made of."""
        is_shown = self.tree.shows(span.document)
        parts = [self.tree.nodes[name].node for *_, name in atoms]
        said = [
            self._places.part(node, max(span.start - start, 0), min(span.end, end) - start)
            for node, (start, end, _) in zip(parts, atoms, strict=True)
        ]
        joined = self._places.join(said)
        first, *others = [self._places.without(node, NAMES) for node in parts]
        shared = {key: value for key, value in first.items() if all(key in own and own[key] == value for own in others)}
        hidden = {"excluded_embed_metadata_keys": (), "excluded_llm_metadata_keys": joined}
        return {
            "metadata": {**(self._places.without(top, NAMES) if is_shown else {}), **shared, **joined},
            **{
                name: list(dict.fromkeys([*(key for node in (top, *parts) for key in getattr(node, name)), *own]))
                for name, own in hidden.items()
            },
        }


class Fitting:
    """How passages of nodes are fitted into a budget for one question: what they measure, and what is left of a node
    that does not fit. Each is looked at once.

    size: of a text. question: of which a shortened node has some words. What is measured is what a language model is
    shown, metadata included. show: returns a node as a language model is shown it; None: as it is. The other settings
    are those of `PassageRetriever`.
    """

    def __init__(
        self,
        size: Sizer,
        question: str,
        budget: int,
        most: int | None,
        merge_ratio: float,
        metadata: NodeMetadata | None,
        show: Callable[[BaseNode], BaseNode] | None = None,
    ) -> None:
        """See the class."""
        self.question: str = question
        self._size, self._metadata, self._show = size, metadata, show
        self._budget, self._most, self._merge_ratio = budget, most, merge_ratio
        self._adds_up = _adds_up(size)
        self._sizes: dict[str, int] = {}
        self._leasts: dict[str, int] = {}
        self._parts: dict[tuple[str, int], PassageSpan | None] = {}
        self.languages: dict[str, str] = {}
        """Of the documents of found nodes, by the names of these. That of another is read in the text around it."""

    def pack(
        self, tree: NodeTree, scores: Mapping[str, float], parents: Iterable[str] = ()
    ) -> tuple[Layout, list[PackedPassage]]:
        """Returns the passages that fit together, best first, and the layout of their spans.

        scores: of the nodes that were found, the best first. parents: those that may take the place of what is in them.
        """
        layout = Layout(tree, scores, parents, self._metadata)
        passages = pack(
            scores.items(),
            layout.spans,
            self._budget,
            size=partial(self._measure, layout),
            least=partial(self._least, layout) if self._adds_up and self._show is None else None,
            most=self._most,
            shorten=partial(self._shorten, layout),
            parents=lambda names: chain.from_iterable(map(layout.parents.__getitem__, names)),
            merge_ratio=self._merge_ratio,
            allows=None if tree.passes is None else layout.shows,
        )
        return layout, passages

    def _measure(self, layout: Layout, span: PassageSpan) -> int:
        """The size of the node that a span is or becomes."""
        name = layout.name_of(span)
        if name not in self._sizes:
            if self._show is None and layout.is_bare(span):
                self._sizes[name] = self._size(layout.text(span))
            else:
                own = TreeNode.of(layout.stored_node(span))
                self._sizes[name] = self._sizer_of(own)(own.text)
        return self._sizes[name]

    def _least(self, layout: Layout, span: PassageSpan) -> int:
        """What the node that a span is or becomes measures at least."""
        name = layout.name_of(span)
        if name not in self._leasts:
            self._leasts[name] = least_tokens(layout.text(span)) if layout.is_bare(span) else 0
        return self._leasts[name]

    def _sizer_of(self, node: TreeNode) -> Sizer:
        """Returns what measures texts with the metadata that a language model is shown of a node."""
        if self._show is None and node.is_bare:
            return self._size
        shown = (node.bare if self._show is None else self._show(node.node)).model_copy()

        def size(text: str) -> int:
            vars(shown)["text"] = text  # which pydantic need not look at
            return self._size(shown.get_content(metadata_mode=MetadataMode.LLM))

        return size

    def _shorten(self, layout: Layout, span: PassageSpan, room: int) -> PassageSpan | None:
        """Of a span that does not fit, the sentences with the question's words that do, if there are some."""
        top = layout.tree.nodes.get(span.document)
        if top is None or not top.is_sliced or not span.joins:
            return None
        key = layout.name_of(span), room
        if key not in self._parts:
            size, language = self._sizer_of(top), self.languages.get(key[0])
            least = least_tokens if self._adds_up and size is self._size else None
            self._parts[key] = shorten_span(top.text, span, room, size, self.question, language, least)
        part = self._parts[key]
        return None if part is None else part._replace(first=span.first, last=span.last)


def _adds_up(size: Sizer) -> bool:
    """Whether a sizer counts tokens of which none is of two words in a line."""
    encode = getattr(size, "encode", None)
    return isinstance(size, tokens) and size.bytewise and known_words(getattr(encode, "func", encode)) is not None


def least_tokens(text: str) -> int:
    """Returns how many tokens of such a sizer a text has at least: a word has one or more, and only at the end of a
    line may one be of two words."""
    return len(text.split()) - text.count("\n") - text.count("\r")
