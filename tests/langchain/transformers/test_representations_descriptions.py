"""Tables, code and images are described, and prose costs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.llms import Plain, documents, every_how, llm, made, sync_and_async
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document

from caesura.errors import SettingError
from langchain_caesura import DescriptionTransformer

TABLE = "| Bird | Pairs |\n|---|---|\n| Tern | 508 |\n| Eider | 118 |"
CODE = "```python\nimport this\n```"


@every_how
async def test_tables_and_code_are_described_and_prose_costs_nothing(how: str) -> None:
    model = Plain()
    given = [Document(TABLE, id="table"), *documents(), Document(f"As follows.\n\n{CODE}", id="code")]
    found = await made(DescriptionTransformer(model), given, how)
    assert [one.metadata["parent_id"] for one in found] == ["table", "code"]
    assert all(one.page_content.startswith("In short: ") for one in found)
    assert {one.metadata["view"] for one in found} == {"description"}
    assert model.calls == 1
    assert await made(DescriptionTransformer(model), documents(), how) == []
    assert model.calls == 1


PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.enable_socket
@sync_and_async
async def test_images_are_described_with_what_stands_around_them(how: str, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    images: list[Any] = ["https://a.b/c.png", PNG, tmp_path / "photo.jpg", ["data:image/gif;base64,R0lG", PNG], None]
    given = [
        Document(f"Sales of {k}.", id=f"c{k}", metadata={"image": image, "page": k}) for k, image in enumerate(images)
    ]
    given.insert(2, Document("```\ncode\n```", id="code"))
    with OpenAIServer() as server:
        found = await made(DescriptionTransformer(llm(server)), given, how)
    pictures = [f"A picture ({1 + (k == 3)}) of Sales of {k}." for k in range(4)]
    assert [one.page_content for one in found] == [*pictures[:2], "In short: ``` code ```", *pictures[2:]]
    assert [one.metadata["parent_id"] for one in found] == ["c0", "c1", "code", "c2", "c3"]
    assert all("image" not in one.metadata for one in found)  # it is with the chunk
    contents = [body["messages"][1]["content"] for body in server.requests]
    parts = [part for content in contents if isinstance(content, list) for part in content[1:]]
    sent = sorted(part["image_url"]["url"] for part in parts)
    png = "data:image/png;base64,iVBORw0KGgo="
    assert sent == sorted(["https://a.b/c.png", png, "data:image/jpeg;base64,/9j/", "data:image/gif;base64,R0lG", png])


@pytest.mark.parametrize("wrong", ["iVBORw0KGgo=", 7, {"url": "x"}])
def test_what_is_no_image_is_refused_with_the_remedy(wrong: Any) -> None:
    with pytest.raises(SettingError, match="data:image/png;base64"):
        DescriptionTransformer(Plain()).transform_documents([Document("a", metadata={"image": wrong})])
