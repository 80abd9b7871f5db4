"""What comes of documents: where each text is from, what it is known by, and that nothing of a document is lost."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.language_models import FakeListChatModel
from langchain_llm_fakes import BEES, TEA, Plain, documents, made, many
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter, TextSplitter

from caesura.errors import SettingError
from caesura.llm.prompts import PROPOSITIONS, Prompt
from caesura.llm.spans import from_text
from langchain_caesura import PropositionTransformer, SummaryTransformer
from langchain_caesura.llm import asking as module

HOWS = ("sync", "async", "lazy", "alazy")


def rested_on(one: Document, text: str) -> list[str]:
    return [text[a:b] for a, b in from_text(one.metadata["spans"])]


def test_it_is_langchains() -> None:
    assert issubclass(PropositionTransformer, BaseDocumentTransformer)


@pytest.mark.parametrize("how", HOWS)
async def test_a_proposition_leads_to_its_document_and_the_sentences_it_rests_on(how: str) -> None:
    given = documents()
    before = copy.deepcopy(given)
    found = await made(PropositionTransformer(Plain()), given, how)
    assert given == before
    bees, tea = found[:3], found[3:]
    assert bees[0].metadata == {
        "source": "bees.md",
        "title": "Bees",
        "tags": ["a", {"b": 1}],
        "parent_id": "bees",
        "view": "proposition",
        "start_index": 0,
        "end_index": 23,
        "spans": "0-23",
        "kept": False,
    }
    assert [rested_on(one, BEES) for one in bees] == [[one.page_content] for one in bees]
    assert [rested_on(one, TEA) for one in tea] == [[one.page_content] for one in tea]
    bees[0].metadata["tags"][1]["b"] = 2
    assert (given[0].metadata["tags"], bees[1].metadata["tags"]) == (["a", {"b": 1}], ["a", {"b": 1}])


async def test_every_way_gives_the_same_with_the_same_ids(monkeypatch: Any) -> None:
    given = [*documents(), *many(30)]
    first = await made(PropositionTransformer(Plain()), given, "sync")
    assert len({one.id for one in first}) == len(first) == 6 + 60
    for how in HOWS:
        assert await made(PropositionTransformer(Plain(), max_concurrency=3), given, how) == first
    monkeypatch.setattr(module, "WINDOW", 4)
    for how in HOWS[2:]:
        transformer = PropositionTransformer(Plain())
        assert await made(transformer, given, how) == first
        assert (transformer.report.items, transformer.report.finished) == (32, 32)  # over all windows


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
        await ids([Document("x" + BEES[1:], id="bees")]) - own,
    ):
        assert own.isdisjoint(others)
    assert await ids(documents()[:1]) == own


async def test_equal_documents_without_ids_have_propositions_of_their_own() -> None:
    found = await made(PropositionTransformer(Plain()), [Document(TEA), Document(TEA)], "sync")
    assert len({one.id for one in found}) == len(found) == 6
    assert len({one.metadata["parent_id"] for one in found}) == 2


@pytest.mark.parametrize(
    "splitter",
    [
        None,
        RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0),
        CharacterTextSplitter(separator="\n\n", chunk_size=120, chunk_overlap=0),
    ],
)
async def test_with_any_splitter_places_are_those_in_the_document(splitter: TextSplitter | None) -> None:
    text = "\n\n".join(f"Bread {k} is baked at dawn.  The tide {k} comes in. Chess {k} is played." for k in range(60))
    model = Plain()
    found = await made(PropositionTransformer(model, splitter=splitter), [Document(text, id="d")], "async")
    held = [text[a:b] for one in found for a, b in from_text(one.metadata["spans"])]
    assert [" ".join(piece.split()) for piece in held] == [one.page_content for one in found]
    assert "".join("".join(held).split()) == "".join(text.split())  # every character, once
    assert model.calls < 10


async def test_a_chunk_counts_from_where_it_stands_in_its_own_document() -> None:
    chunk = Document(TEA, id="c", metadata={"start_index": 100, "end_index": 139, "spans": "100-139"})
    found = await made(PropositionTransformer(Plain()), [chunk], "sync")
    assert [(one.metadata["start_index"], one.metadata["spans"]) for one in found] == [
        (100, "100-111"),
        (113, "113-125"),
        (126, "126-140"),
    ]
    (summary,) = await made(SummaryTransformer(Plain()), [chunk], "sync")
    assert (summary.metadata["start_index"], summary.metadata["end_index"]) == (100, 100 + len(TEA))


@pytest.mark.parametrize("how", HOWS)
async def test_passages_that_overlap_and_documents_given_twice_say_it_once(how: str) -> None:
    text = " ".join(f"Bread {k} is baked at dawn." for k in range(40))
    splitter = RecursiveCharacterTextSplitter(separators=["."], chunk_size=200, chunk_overlap=100, keep_separator="end")
    document = Document(text, id="d")
    found = await made(PropositionTransformer(Plain(), splitter=splitter), [document, document], how)
    assert [one.page_content for one in found] == [f"Bread {k} is baked at dawn." for k in range(40)]
    assert len({one.id for one in found}) == 40


@pytest.mark.parametrize("how", HOWS)
async def test_the_sentences_that_nothing_rests_on_are_told(how: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "WINDOW", 1)
    said = '{"passages": [{"number": 1, "propositions": [{"text": "Ice is cold.", "sentences": [2]}]}]}'
    transformer = PropositionTransformer(FakeListChatModel(responses=[said]), budget=1)
    for _ in range(2):
        await made(transformer, [Document(TEA, id="a"), Document("Rain. Snow.", id="b")], how)
        assert transformer.uncovered == {"a": [(0, 11), (26, 40)], "b": [(0, 5)]}


async def test_a_sentence_of_two_passages_is_told_where_nothing_of_either_rests_on_it() -> None:
    splitter = RecursiveCharacterTextSplitter(separators=["."], chunk_size=26, chunk_overlap=14, keep_separator="end")
    document = Document("Tea is hot. Ice is old. Rain is wet.", id="d")
    first, second = (chunk.page_content for chunk in splitter.split_documents([document]))
    assert (first, second) == ("Tea is hot. Ice is old.", "Ice is old. Rain is wet.")
    said = (
        '{"passages": [{"number": 1, "propositions": [{"text": "Tea is hot.", "sentences": [1]}]},'
        ' {"number": 2, "propositions": [{"text": "Ice is old.", "sentences": [%d]}]}]}'
    )
    for of_second, uncovered in (1, [(24, 36)]), (2, [(12, 23)]):
        transformer = PropositionTransformer(FakeListChatModel(responses=[said % of_second]), splitter=splitter)
        await made(transformer, [document], "sync")
        assert transformer.uncovered == {"d": uncovered}


async def test_what_a_sentence_is_can_be_said() -> None:
    transformer = PropositionTransformer(Plain(), sentence_splitter=lambda text: re.split("(?<=;)", text))
    found = await made(transformer, [Document("Tea is hot. Really; Ice is cold", id="a")], "sync")
    assert [one.metadata["spans"] for one in found] == ["0-19", "20-31"]


class Rewriting(TextSplitter):
    """A splitter whose pieces are not in the text."""

    def split_text(self, text: str) -> list[str]:
        return [f"Note: {text}"]


async def test_where_the_place_is_not_known_none_is_told() -> None:
    found = await made(PropositionTransformer(Plain(), splitter=Rewriting()), [Document(TEA, id="d")], "sync")
    assert len(found) == 3
    assert all({"start_index", "end_index", "spans"}.isdisjoint(one.metadata) for one in found)
    assert len({one.id for one in found}) == 3


async def test_short_documents_are_asked_about_together_and_a_title_is_shown() -> None:
    model = Plain()
    await made(PropositionTransformer(model), documents(), "sync")
    await made(PropositionTransformer(model, title_key=None), documents(), "sync")
    asked = [messages[1].content for messages in model.asked]
    assert len(asked) == 2
    assert "Passage 1 of Bees:" in asked[0]
    assert "Bees" not in asked[1]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("given", [[], [Document("")], [Document(" \n\t")]])
async def test_nothing_is_asked_about_nothing(given: list[Document], how: str) -> None:
    model = Plain()
    for transformer in (PropositionTransformer(model), SummaryTransformer(model)):
        assert await made(transformer, given, how) == []
    assert model.calls == 0


async def test_what_no_store_could_keep_comes_through() -> None:
    text = "A lone \ud800 surrogate. NUL \x00 too.\r\nZWJ \U0001f469\u200d\U0001f680 flies."
    found = await made(PropositionTransformer(Plain()), [Document(text)], "sync")
    assert [rested_on(one, text) for one in found] == [["A lone \ud800 surrogate."], ["NUL \x00 too."], [text[32:]]]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"on_failure": "skip"}, "on_failure must be 'raise' or 'keep'"),
        ({"max_concurrency": 0}, "max_concurrency must be"),
        ({"budget": 0}, "budget must be"),
        ({"prices": 3}, "prices must be"),
        ({"prices": (1, -2)}, "prices must be"),
        ({"structured": 7}, "structured must be"),
        ({"journal": ""}, "path must be"),
    ],
)
def test_a_wrong_setting_is_refused_at_the_door(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        PropositionTransformer(Plain(), **settings)


@pytest.mark.parametrize("wrong", [Plain, "gpt-4.1", Plain().bind(stop=["x"]), None])
def test_what_is_no_chat_model_is_refused_with_the_remedy(wrong: Any) -> None:
    with pytest.raises(SettingError, match="llm must be"):
        PropositionTransformer(wrong)


def test_one_document_is_no_list() -> None:
    with pytest.raises(SettingError, match=r"pass \[document\]"):
        PropositionTransformer(Plain()).transform_documents(Document("a"))  # type: ignore[arg-type]


def test_failures_are_forgotten_of_a_journal_only() -> None:
    with pytest.raises(SettingError, match=r"journal='replies\.db'"):
        PropositionTransformer(Plain()).forget_failures()


def test_what_is_said_once_stands_where_it_was_said_first() -> None:
    given = [Document("X is.", id="x"), Document("Y is.", id="y"), Document("X is.", id="x")]
    found = PropositionTransformer(Plain()).transform_documents(given)
    assert [one.page_content for one in found] == ["X is.", "Y is."]
