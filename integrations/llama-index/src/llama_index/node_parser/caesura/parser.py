"""LlamaIndex documents or nodes in, nodes out, cut where their vectors turn, sync or async."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.schema import BaseNode

from caesura.adapter import EmbedFunction
from caesura.adapter_sentences import segmenter
from caesura.text.sentences import units
from caesura.types import Limits, Sizer
from caesura.work import Stages, Work
from llama_index.node_parser.caesura.calling import warn_caller
from llama_index.node_parser.caesura.embed_models import EmbedModel
from llama_index.node_parser.caesura.embeds import Embeds

_dispatcher = get_dispatcher(__name__)


class Ready(NamedTuple):
    """What is to be done: the stages, the nodes' texts, what the metadata of each leaves, and what to warn of."""

    stages: Stages[Any]
    texts: list[str]
    limits: list[Limits] | None = None
    warnings: Sequence[str] = ()


class SemanticParser(Embeds):
    """What splitters and the hierarchy share: an embedder and a tokenizer drive the core's stages."""

    @classmethod
    def from_defaults(cls, embed_model: EmbedModel = None, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses. None means the default, save for `chunk_size`."""
        given = {name: value for name, value in settings.items() if value is not None or name == "chunk_size"}
        return cls(embed_model=embed_model, **given)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._stages(len if self.tokenizer is None else self._size())  # so that a bad setting is refused here

    # -- what subclasses say; not abstract: LlamaIndex would report a span for each -----------------------------------

    def _stages(self, size: Sizer) -> Stages[Any]:
        """The settings -> a Splitter or a Hierarchy. Raises `SettingError`."""
        raise NotImplementedError

    def _ready(self, stages: Stages[Any], nodes: Sequence[BaseNode], size: Sizer) -> Ready:
        """The texts of the nodes, what their metadata leaves them, the stages that cut them, and what to warn of."""
        raise NotImplementedError

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Any], show_progress: bool) -> list[BaseNode]:
        """What the stages made of each node -> nodes."""
        raise NotImplementedError

    # -- the work ---------------------------------------------------------------------------------------------------

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        model = self._model()
        embed, _ = self._embed(model, show_progress)
        made = self._work(self._prepared(nodes), model).run(embed)
        return self._wrapped(nodes, made, show_progress)

    @_dispatcher.span
    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        model = self._model()
        _, aembed = self._embed(model, show_progress)
        ready = await asyncio.to_thread(self._prepared, nodes)
        made = await self._work(ready, model).arun(aembed)
        return await asyncio.to_thread(self._wrapped, nodes, made, show_progress)

    def _shared(self, size: Sizer) -> dict[str, Any]:
        """The settings that a Splitter and a Hierarchy have in common."""
        return {
            "size": size,
            "segment": segmenter(self.sentence_splitter, units),
            "background": self._own_background(),
        }

    def _prepared(self, nodes: Sequence[BaseNode]) -> Ready:
        size = self._size()
        return self._ready(self._stages(size), nodes, size)

    def _work(self, ready: Ready, model: BaseEmbedding | EmbedFunction) -> Work[Any]:
        """Not in a thread: a warning shows the line that called."""
        for message in ready.warnings:
            warn_caller(message)
        return Work(lambda: ready[:3], model, self._memory, self.calibrated)
