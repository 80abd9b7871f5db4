"""Two machines write a document at once, where no lock keeps them apart: it is there, as one of them wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, edited, kept, retriever, rows, sound
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore

from langchain_caesura import ParentDocumentRetriever
from langchain_caesura.parents.indexing import OvertakenError

FIRST, OTHERS = DOCUMENTS[0], DOCUMENTS[1:]
ONE, TWO = edited(FIRST), edited(FIRST, "Snow fell on the quay.", 0.2).model_copy(update={"metadata": {"version": 2}})
MOMENTS = {
    "while it cuts": ("child_splitter", "split_documents"),
    "before its rows": ("vectorstore", "add_documents"),
    "before old rows go": ("vectorstore", "delete"),
    "before old texts go": ("docstore", "mdelete"),
}


def machines() -> tuple[ParentDocumentRetriever, ParentDocumentRetriever]:
    """Two retrievers on the same stores, by document stores that do not know of each other."""
    one = retriever(docstore=InMemoryStore(), **SPLITTINGS["overlapping"])
    two = retriever(one.vectorstore, docstore=InMemoryStore(), **SPLITTINGS["overlapping"])
    two.docstore.store = one.docstore.store
    one.add_documents([FIRST, *OTHERS])
    return one, two


def meanwhile(
    patch: pytest.MonkeyPatch, made: ParentDocumentRetriever, moment: str, work: Callable[[], Any], times: int = 1
) -> Callable[[], int]:
    """Has `work` done so many times, when the retriever gets there -> how often it was."""
    part, name = MOMENTS[moment]
    owner = type(getattr(made, part))
    call, done, busy = getattr(owner, name), list[None](), list[None]()

    def told(self: Any, *arguments: Any, **settings: Any) -> Any:
        if not busy and len(done) < times:
            done.append(None)
            busy.append(None)
            work()
            busy.clear()
        return call(self, *arguments, **settings)

    patch.setattr(owner, name, told)
    return lambda: len(done)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("other", [ONE, TWO], ids=["the same version", "another version"])
async def test_what_the_last_one_wrote_is_whole_and_nothing_of_the_other_stays(
    monkeypatch: pytest.MonkeyPatch, moment: str, other: Document
) -> None:
    one, two = machines()
    done = meanwhile(monkeypatch, one, moment, lambda: two.add_documents([other]))
    await one.aadd_documents([ONE]) if moment == "before its rows" else one.add_documents([ONE])
    assert done() == 1
    fresh = retriever(**SPLITTINGS["overlapping"])
    fresh.add_documents([ONE, *OTHERS])
    assert rows(one).keys() == rows(fresh).keys()
    assert kept(one).keys() == kept(fresh).keys()
    assert sound(one)


def test_deleted_while_another_machine_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = machines()
    done = meanwhile(monkeypatch, one, "before old rows go", lambda: two.add_documents([TWO]))
    assert one.delete([str(FIRST.id)])["succeeded"] == [FIRST.id]
    assert done() == 1
    fresh = retriever(**SPLITTINGS["overlapping"])
    fresh.add_documents(OTHERS)
    assert rows(one).keys() == rows(fresh).keys()
    assert one.docstore.store.keys() == fresh.docstore.store.keys()


def test_a_machine_that_others_always_come_before_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = machines()
    versions = iter(range(99))
    meanwhile(
        monkeypatch, one, "before its rows", lambda: two.add_documents([edited(FIRST, f"Day {next(versions)}.")]), 99
    )
    with pytest.raises(OvertakenError, match="from one machine"):
        one.add_documents([ONE])
    monkeypatch.undo()
    one.add_documents([ONE])
    assert sound(one)
    assert "parrot" in one.invoke("parrot spoke", k=1)[0].page_content
