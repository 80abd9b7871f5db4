"""A cut in, a LlamaIndex node parser out: a cut of one's own, or the core's with all that it can be told."""

from __future__ import annotations

from typing import Annotated, Any

from llama_index.core.bridge.pydantic import Field, WithJsonSchema, pydantic

from caesura.adapter_cuts import own_cut
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.filed_cuts import filed_cut, found_cut
from llama_index.node_parser.caesura.functions import must_pickle


class SemanticSplitter(BaseSemanticSplitter):
    """Cuts where `cut` says: a function of your own, or one of the core's, such as ``caesura.OptimalCut()``.

    It sees one unit row per sentence, centred if `calibrated`, how many tokens each has, and the limits; it returns the
    first sentence of each new node, as an array. A node that is over `chunk_size` all the same is parted between its
    sentences. ``caesura.testing.check_cut`` holds a cut to all of it.

    `to_dict` and a pipeline's cache know a function by its module and name, a frozen dataclass by those and its fields;
    any other cut needs a `cache_tag`.
    """

    cut: Annotated[pydantic.SkipValidation[Cut], WithJsonSchema({"type": ["string", "object"]})] = Field(
        description="(vectors, sizes, limits) -> breaks: what cuts."
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticSplitter"

    def _cut(self) -> tuple[Cut, View | None]:
        return own_cut(self.cut), None

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """See `Filed`."""
        return {**super().to_dict(**kwargs), "cut": filed_cut(self.cut, self.cache_tag)}

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        super()._revive(settings, resolved, trusted)
        if "cut" in settings:
            settings["cut"] = found_cut(settings["cut"], trusted)

    def __getstate__(self) -> dict[str, Any]:
        must_pickle("cut", self.cut)
        return super().__getstate__()
