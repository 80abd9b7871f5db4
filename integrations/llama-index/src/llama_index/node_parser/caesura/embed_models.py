"""What may be given as `embed_model`; and what `to_dict` says of one in, the embedding out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import BeforeValidator, SerializeAsAny, WithJsonSchema
from llama_index.core.embeddings.loading import RECOGNIZED_EMBEDDINGS, load_embed_model

from caesura.adapter import EmbedFunction
from caesura.adapter_embedder import check_embedder
from caesura.errors import SettingError
from caesura.plain import kind_of
from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.functions import found

Function: TypeAlias = Annotated[Callable[..., Any], WithJsonSchema({"type": "string"})]
EmbedModel: TypeAlias = BaseEmbedding | EmbedFunction | Literal["settings"] | None


def _embed_model(value: Any) -> Any:
    """What may be given as embed_model -> the same. Raises `SettingError`, which pydantic passes on as its own."""
    by_name = isinstance(value, str) and value == "settings"
    if value is not None and not by_name and not isinstance(value, BaseEmbedding):
        check_embedder("embed_model", "be an embedding of LlamaIndex, 'settings' or None", value)
    return value


TakenEmbedModel: TypeAlias = Annotated[
    SerializeAsAny[BaseEmbedding] | Function | Literal["settings"] | None, BeforeValidator(_embed_model)
]


def loaded(data: Any, wanted: str | None, trusted: bool) -> Any:
    """What `to_dict` says of an embedding -> the embedding, if it is ours or one that LlamaIndex knows how to load, or
    a function that has a name."""
    if isinstance(data, str) and data != "settings":
        return found("embed_model", data, trusted)
    if not isinstance(data, dict):
        return data
    if "cache_tag" in data and "class_name" not in data:
        return found("embed_model", data, trusted)
    name = data.get("class_name")
    model: BaseEmbedding | None = None
    if name == StaticEmbedding.class_name():
        model = StaticEmbedding.from_dict(data)
    elif name in RECOGNIZED_EMBEDDINGS:
        model = load_embed_model(data)
    if model is None or (wanted is not None and kind_of(type(model)) != wanted):
        raise SettingError(
            f"from_dict() cannot make an embedding of class {wanted or name}: pass it, from_dict(data, embed_model=…)"
        )
    return model
