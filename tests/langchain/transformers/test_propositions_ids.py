"""What propositions are known by, and that one thing is said once."""

from __future__ import annotations

from typing import Any

from fakes.langchain.llms import BEES, TEA, Plain, documents, every_how, made
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura_llm.prompts import PROPOSITIONS, Prompt
from langchain_caesura import PropositionTransformer


async def test_ids_tell_models_prompts_and_documents_apart() -> None:
    async def ids(given: list[Document], **settings: Any) -> set[str]:
        model = settings.pop("model", None) or Plain()
        return {str(one.id) for one in await made(PropositionTransformer(model, **settings), given, "sync")}

    own = await ids(documents()[:1])
    other = Prompt(PROPOSITIONS.name, PROPOSITIONS.version, PROPOSITIONS.text + " Be brief.")
    for others in (
        await ids(documents()[:1], model=Plain(flavour="other")),
        await ids(documents()[:1], prompt=other),
        await ids([documents()[0].model_copy(update={"id": "wasps"})]),
    ):
        assert own.isdisjoint(others)
    assert await ids(documents()[:1]) == own
    assert len(own - await ids([Document("x" + BEES[1:], id="bees")])) == 1  # the sentence that was edited


async def test_equal_documents_without_ids_have_propositions_of_their_own() -> None:
    found = await made(PropositionTransformer(Plain()), [Document(TEA), Document(TEA)], "sync")
    assert len({one.id for one in found}) == len(found) == 6
    assert len({one.metadata["parent_id"] for one in found}) == 2


@every_how
async def test_passages_that_overlap_and_documents_given_twice_say_it_once(how: str) -> None:
    text = " ".join(f"Bread {k} is baked at dawn." for k in range(40))
    splitter = RecursiveCharacterTextSplitter(separators=["."], chunk_size=200, chunk_overlap=100, keep_separator="end")
    document = Document(text, id="d")
    found = await made(PropositionTransformer(Plain(), splitter=splitter), [document, document], how)
    assert [one.page_content for one in found] == [f"Bread {k} is baked at dawn." for k in range(40)]
    assert len({one.id for one in found}) == 40


def test_what_is_said_once_stands_where_it_was_said_first() -> None:
    given = [Document("X is.", id="x"), Document("Y is.", id="y"), Document("X is.", id="x")]
    found = PropositionTransformer(Plain()).transform_documents(given)
    assert [one.page_content for one in found] == ["X is.", "Y is."]
