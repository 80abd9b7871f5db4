"""`from_dict` revives the embeddings that it knows; another has to be passed, and is not taken for its base."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import every_parser, same
from llama_index.core.embeddings import MockEmbedding

from caesura import SettingError
from llama_index.node_parser.caesura import StaticEmbedding


@every_parser
@pytest.mark.parametrize("make", [dict, lambda embed_model: {"embed_model": embed_model}])
def test_static_and_mock_embeddings_are_revived(parser: Any, make: Any) -> None:
    for model in (StaticEmbedding(embed_batch_size=9), MockEmbedding(embed_dim=5)):
        revived = parser.from_dict(parser(**make(embed_model=model)).to_dict()).embed_model
        assert type(revived) is type(model)
        assert revived.to_dict() == model.to_dict()


@every_parser
def test_another_embedding_has_to_be_passed(parser: Any) -> None:
    made = parser(embed_model=Words())
    with pytest.raises(SettingError, match=r"Words.*from_dict\(data, embed_model="):
        parser.from_dict(made.to_dict())
    same(made, parser.from_dict(made.to_dict(), embed_model=made.embed_model))


class Loud(MockEmbedding):
    """Not a MockEmbedding, whatever its inherited class_name says."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return [float(len(text))] * self.embed_dim


@every_parser
def test_an_embedding_is_not_revived_as_its_base(parser: Any) -> None:
    data = parser(embed_model=Loud(embed_dim=3)).to_dict()
    with pytest.raises(SettingError, match="embed_model"):
        parser.from_dict(data)
