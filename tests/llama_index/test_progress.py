"""A bar shows how far splitting and embedding are, where it is asked for, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index_embedding_fakes import Words
from llama_index_fakes import ONE_ARTICLE, content, every_parser


@every_parser
async def test_progress_is_shown_on_request_only(parser: Any, capfd: pytest.CaptureFixture[str]) -> None:
    made = parser(embed_model=Words())
    quiet = [made(ONE_ARTICLE), await made.acall(ONE_ARTICLE)]
    assert capfd.readouterr().err == ""
    shown = [made.get_nodes_from_documents(ONE_ARTICLE, show_progress=True)]
    sync = capfd.readouterr().err
    shown.append(await made.aget_nodes_from_documents(ONE_ARTICLE, show_progress=True))
    for seen in (sync, capfd.readouterr().err):
        assert "Parsing nodes" in seen
        assert "Generating embeddings" in seen
    assert [content(nodes) for nodes in quiet + shown] == [content(quiet[0])] * 4
