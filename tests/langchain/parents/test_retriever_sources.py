"""The same source again is an update, whatever loaders say of dates; what cannot be known is warned of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fakes.documents.pdf import pdf_bytes
from fakes.langchain.passages import LINES
from fakes.langchain.retrievers import SPLITTINGS, kept, retriever
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_community.document_loaders import PyPDFLoader, TextLoader
from langchain_core.documents import Document
from pypdf import PdfReader, PdfWriter

from caesura.errors import SettingError
from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, join_pages

WARNING = "earlier documents of the source 'book' can still be found"


def texts(made: ParentDocumentRetriever) -> list[str]:
    """What is stored, in the order of the alphabet."""
    store = made.docstore
    return sorted(
        text.page_content for text in store.mget(list(store.yield_keys())) if not text.page_content.startswith("[")
    )


@contextmanager
def silent() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def write_pdf(path: Path, pages: list[str], when: str) -> None:
    path.write_bytes(pdf_bytes([[page] for page in pages]))
    writer = PdfWriter(clone_from=PdfReader(path))
    writer.add_metadata({"/ModDate": when, "/Producer": f"writer of {when}"})
    writer.write(path)


@pytest.mark.parametrize("settings", [{}, {"source_id_key": "source"}], ids=["default", "source"])
@pytest.mark.parametrize("mode", ["page", "single"])
def test_a_pdf_that_is_loaded_again_is_as_it_is_now(tmp_path: Path, settings: dict[str, Any], mode: Any) -> None:
    fees, boats = tmp_path / "fees.pdf", tmp_path / "boats.pdf"
    write_pdf(boats, ["Boats float."], "D:20260101000000Z")
    for start in range(2):
        made = retriever(docstore=SQLiteDocumentStore(tmp_path / "texts.db"), child_splitter=LINES, **settings)
        with silent():
            write_pdf(fees, ["The yearly fee is 100 pounds.", "Old page two."], f"D:202601010000{start}0Z")
            made.add_documents([*PyPDFLoader(fees, mode=mode).load(), *PyPDFLoader(boats, mode=mode).load()])
            write_pdf(fees, ["The yearly fee is 999 pounds."], f"D:202606010000{start}0Z")
            made.add_documents(PyPDFLoader(fees, mode=mode).load())
        assert texts(made) == ["Boats float.", "The yearly fee is 999 pounds."]
        assert [one.page_content for one in made.invoke("yearly fee", k=9)] == [
            "The yearly fee is 999 pounds.",
            "Boats float.",
        ]
        made.docstore.close()
        del made


def test_a_file_that_is_loaded_again_is_an_update_by_default_and_a_renamed_one_is_another(tmp_path: Path) -> None:
    made, path = retriever(child_splitter=LINES), tmp_path / "notes.md"
    with silent():
        for text in ("Anna sails.", "Anna rows."):
            path.write_text(text)
            assert made.add_documents(TextLoader(path).load()) == [str(path)]
        assert texts(made) == ["Anna rows."]
        renamed = path.rename(tmp_path / "log.md")
        made.add_documents(TextLoader(renamed).load())
        assert texts(made) == ["Anna rows.", "Anna rows."]
        assert made.mirror(TextLoader(renamed).load()) == (0, 0, 1, 1)
    assert texts(made) == ["Anna rows."]


@pytest.mark.parametrize("source", ["tweets", "", 7, None, "Mr. Smith"])
def test_a_source_that_is_a_label_names_no_document(source: object) -> None:
    made = retriever(child_splitter=LINES)
    for text in ("Anna sails.", "Bert swims."):
        made.add_documents([Document(text, metadata={"source": source})])
    assert texts(made) == ["Anna sails.", "Bert swims."]


def pages(numbers: Any, version: int = 0, **metadata: Any) -> list[Document]:
    return [
        Document(
            f"Page {number} as of {version}.",
            metadata={"source": "book", "page": number, "moddate": version, **metadata},
        )
        for number in numbers
    ]


@pytest.mark.parametrize("total", [{}, {"total_pages": 6}], ids=["uncounted", "counted"])
@pytest.mark.parametrize("batch", [1, 2, 4, 6])
def test_pages_in_batches_are_all_there_at_the_end(total: dict[str, int], batch: int) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    for version in range(2):
        for start in range(0, 6, batch):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if version and batch < 6 and not total else "error")
                made.add_documents(pages(range(start, min(start + batch, 6)), version, **total))
        assert texts(made) == sorted(page.page_content for page in pages(range(6), version))


@pytest.mark.parametrize(
    ("given", "stay"),
    [
        (pages(range(3), 1, total_pages=3), []),
        (pages(range(3), 1), []),
        (pages([2], 1, total_pages=3), [0, 1]),
        (pages([2, 3], 1, total_pages=5), [0, 1, 4]),
        (pages([2], 1), [0, 1, 3, 4, 5]),
        (pages([2, 4], 1), [0, 1, 3, 5]),
        ([Document("All.", metadata={"source": "book", "total_pages": 3})], []),
    ],
)
def test_pages_that_are_gone_go_and_no_others(given: list[Document], stay: list[int]) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    made.add_documents(pages(range(6)))
    with silent():
        made.add_documents(given)
    assert texts(made) == sorted(page.page_content for page in [*given, *pages(stay)])


@pytest.mark.parametrize("given", [pages([0], 1), pages([0, 2], 1)])
def test_where_nobody_can_know_pages_stay_and_a_warning_says_what_to_do(given: list[Document]) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    made.add_documents(pages(range(6)))
    with pytest.warns(UserWarning, match=rf"{6 - len(given)} {WARNING} .*delete\(\['book'\]\).*mirror\(\)"):
        made.add_documents(given)
    assert len(texts(made)) == 6
    made.delete(["book"])
    with silent():
        made.add_documents(given)
    assert texts(made) == [page.page_content for page in given]


def parts(count: int, per_page: int = 1, **metadata: Any) -> list[Document]:
    """Parts of a source in their order, with what a function says of the number of each, or of its page."""
    return [
        Document(
            f"Of part{number} and no{number} other{number} thing{number}.",
            metadata={
                "source": "book",
                **{key: value(number // per_page) if callable(value) else value for key, value in metadata.items()},
            },
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("counted", [True, False])
@given(data=st.data(), count=st.integers(2, 12), per_page=st.integers(1, 3), numbered=st.booleans())
@settings(max_examples=20)
def test_no_batch_of_a_source_takes_the_place_of_another_without_a_warning(
    counted: bool, data: st.DataObject, count: int, per_page: int, numbered: bool
) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    total = {"total_pages": -(-count // per_page)} if counted else {}
    number = {"page": lambda page: page} if numbered else {}
    loaded, size = parts(count, per_page, **total, **number), data.draw(st.integers(1, count))
    batches = [loaded[start : start + size] for start in range(0, count, size)]
    calls = [*data.draw(st.permutations(batches)), *data.draw(st.permutations(batches))]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for batch in calls:
            made.add_documents(batch)
    assert texts(made) == sorted(part.page_content for part in loaded) or any("book" in str(one) for one in warned)


@pytest.mark.parametrize(
    "metadata",
    [
        {"page": 0, "total_pages": 1},
        {"total_pages": 9},
        {"row": lambda number: number},
        {"seq_num": lambda number: number + 1},
        {"page_label": lambda number: "ab"[number % 2] * (1 + number // 2)},
        {"page": lambda number: "iv" * (1 + number)},
    ],
    ids=["one page", "no number", "row", "seq_num", "page_label", "page that is no number"],
)
@pytest.mark.parametrize("orders", [[0, 1, 2], [2, 1, 0], [0, 1, 2, 2, 1, 0], [0, 1, 2, 0]])
def test_batches_in_any_order_stay(metadata: dict[str, Any], orders: list[int]) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    loaded = parts(30, **metadata)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in orders:
            made.add_documents(loaded[number * 10 : number * 10 + 10])
    assert texts(made) == sorted(part.page_content for part in loaded)


def test_rows_that_were_appended_go_with_a_whole_file_or_are_warned_of() -> None:
    made, rows = retriever(child_splitter=LINES, source_id_key="source"), parts(20, row=lambda number: number)
    with silent():
        made.add_documents(rows)
        made.add_documents([Document("Edited.", metadata=rows[0].metadata), *rows[1:]])
        made.add_documents(rows[:10])
    assert len(texts(made)) == 10
    made.add_documents(rows)
    with pytest.warns(UserWarning, match=f"10 {WARNING}"):
        made.add_documents(rows[:10])


@pytest.mark.parametrize(("per_page", "total", "batch"), [(2, 10, 5), (20, 1, 1)])
def test_a_part_of_a_page_that_takes_the_place_of_another_is_warned_of(per_page: int, total: int, batch: int) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    loaded = parts(20, per_page, page=lambda page: page, total_pages=total)
    made.add_documents(loaded[:batch])
    with pytest.warns(UserWarning, match=f"begins with 'Of part{batch}.*little in common with it, 'Of.*in one call"):
        made.add_documents(loaded[batch : batch + 5 if batch > 1 else 2])


@pytest.mark.parametrize("page", [{}, {"page": 0}], ids=["single", "page"])
def test_a_file_that_has_another_title_is_the_same(page: dict[str, int]) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    for version in range(2):
        about = {key: f"{key} {version}" for key in ("title", "author", "subject")}
        with silent():
            made.add_documents(
                [Document(f"As of {version}.", metadata={"source": "book", "total_pages": 1, **page, **about})]
            )
    assert texts(made) == ["As of 1."]


@pytest.mark.parametrize("said", [{"title": "New"}, {"tag": "tides"}, {"tags": ["a", "b"], "title": None}, {}])
async def test_one_document_of_a_named_source_takes_the_place_of_the_one_before_whatever_its_metadata(
    said: dict[str, Any],
) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    with silent():
        made.add_documents([Document("The fee is 100 pounds.", metadata={"source": "book", "title": "Old"})])
        await made.aadd_documents([Document("The fee is 999 pounds.", metadata={"source": "book", **said})])
        assert texts(made) == ["The fee is 999 pounds."]
        made.add_documents([Document("The fee is 100 pounds.", metadata={"source": "book", "title": "Old"})])
    assert [one.metadata["title"] for one in made.invoke("fee", k=9)] == ["Old"]
    with pytest.warns(UserWarning, match="'Boats sail at dawn.' takes the place of one of the source 'book'"):
        made.add_documents([Document("Boats sail at dawn.", metadata={"source": "book", "tag": "boats"})])
    assert len(kept(made)) == 1


@pytest.mark.parametrize("numbers", [[{}, {"page": 3}], [{"row": 0}, {}], [{"page": 0}, {"page": 4}]], ids=str)
def test_one_document_of_a_named_source_stays_beside_one_of_another_number(numbers: list[dict[str, int]]) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    first, second = (
        Document(f"The fee is {at} pounds.", metadata={"source": "book", **number}) for at, number in enumerate(numbers)
    )
    made.add_documents([first])
    with silent() if all(numbers) else pytest.warns(UserWarning, match=f"1 {WARNING}"):
        made.add_documents([second])
    assert texts(made) == ["The fee is 0 pounds.", "The fee is 1 pounds."]


def test_a_document_of_a_path_that_nobody_named_stays_beside_one_with_other_metadata() -> None:
    made = retriever(child_splitter=LINES)
    made.add_documents([Document("The fee is 100 pounds.", metadata={"source": "a/book.md", "tag": 1})])
    with pytest.warns(UserWarning, match="1 earlier documents of the source 'a/book.md' can still be found"):
        made.add_documents([Document("The fee is 999 pounds.", metadata={"source": "a/book.md", "tag": 2})])
    assert len(kept(made)) == 2


@pytest.mark.parametrize("key", ["user", "tenant_id", "team"])
@given(
    calls=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["anna", "bert", None]), st.sampled_from("xyz")), max_size=7
    )
)
@settings(max_examples=25)
def test_no_document_takes_the_place_of_another_users_in_whatever_order_they_come(
    key: str, calls: list[tuple[str, str | None, str]]
) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    expected: dict[str, dict[tuple[str | None, str], str]] = {"a": {}, "b": {}}
    for number, (source, user, tag) in enumerate(calls):
        text = f"The ticket number {number} of {user}."
        stored = expected[source]
        own = [key for key in stored if key[0] == user]
        if len(own) == 1:
            del stored[own[0]]
        stored[user, tag] = text
        owner = {} if user is None else {key: user}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if len(stored) > 1 else "error")
            made.add_documents([Document(text, metadata={"source": source, "tag": tag, **owner})])
        assert texts(made) == sorted(text for some in expected.values() for text in some.values())


def test_an_alike_chunk_from_elsewhere_takes_no_place_without_a_warning() -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    first, second = (
        Document(f"Name: ____ Date: ____ Form {at}", metadata={"source": "book", "start_index": at}) for at in (0, 90)
    )
    made.add_documents([first])
    with pytest.warns(UserWarning, match="takes the place of one of the source 'book'"):
        made.add_documents([second])


NOTES = ["tides", "moons"]


@pytest.mark.parametrize("settings", [{}, {"source_id_key": "source"}], ids=["default", "source"])
@pytest.mark.parametrize(
    "said",
    [
        [{"part": 0}, {"part": 1}],
        [{"page": 0}, {"page": 1}],
        [{"row": 0}],
        [{"page": 0, "total_pages": 1}],
        [{"total_pages": 2}],
        [{}],
    ],
    ids=str,
)
async def test_a_document_of_another_user_stays_whatever_is_given_of_the_source(
    said: list[dict[str, Any]], settings: dict[str, Any]
) -> None:
    made = retriever(child_splitter=LINES, **settings)
    for user in ("anna", "bert", "anna", "bert"):
        own = [
            Document(f"{user} writes of {note}.", metadata={"source": "a/plan.md", "user": user, **about})
            for note, about in zip(NOTES, said, strict=False)
        ]
        with silent():
            made.add_documents(own)
            await made.aadd_documents(own)
    assert texts(made) == sorted(
        f"{user} writes of {note}." for user in ("anna", "bert") for note in NOTES[: len(said)]
    )


def test_views_of_one_users_chunks_take_no_place_of_anothers() -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    for user in ("anna", "bert", "anna"):
        chunk = Document(f"{user} writes of tides.", id=user, metadata={"source": "plan", "user": user})
        with silent():
            made.add_documents([chunk], views=[Document("On tides.", metadata={"parent_id": user})])
    assert texts(made) == ["anna writes of tides.", "bert writes of tides."]


def test_joined_pages_of_one_user_take_no_place_of_anothers() -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    for user in ("anna", "bert", "anna"):
        with silent():
            made.add_documents(join_pages(pages(range(2), user=user)))
    assert len(texts(made)) == 2


@pytest.mark.parametrize("users", [[None, "anna"], ["anna", None]])
def test_a_document_that_names_no_user_stays_beside_one_that_does_with_a_warning(users: list[str | None]) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    first, second = (pages(range(2), user=user) if user else pages(range(2)) for user in users)
    made.add_documents(first)
    with pytest.warns(UserWarning, match=f"2 {WARNING}"):
        made.add_documents(second)
    assert len(texts(made)) == 4


FORMS = [{}, {"page": 0}, {"page": 1}, {"page": 2}, {"row": 0, "total_pages": 2}, {"total_pages": 2}, {"tag": "a"}]


@given(
    calls=st.lists(
        st.lists(
            st.tuples(st.sampled_from(["anna", "bert"]), st.sampled_from(FORMS), st.sampled_from(NOTES)),
            min_size=1,
            max_size=4,
        ),
        max_size=5,
    ),
    named=st.booleans(),
)
@settings(max_examples=30)
def test_users_who_share_a_source_find_what_they_would_if_each_had_a_store_alone(
    calls: list[list[tuple[str, dict[str, Any], str]]], named: bool
) -> None:
    key = {"source_id_key": "source"} if named else {}
    shared = retriever(child_splitter=LINES, **key)
    alone = {user: retriever(child_splitter=LINES, **key) for user in ("anna", "bert")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, call in enumerate(calls):
            documents = [
                Document(f"{user} {note} {number}.", metadata={"source": "a/plan.md", "user": user, **form})
                for user, form, note in call
            ]
            shared.add_documents(documents)
            for user, own in alone.items():
                own.add_documents([each for each in documents if each.metadata["user"] == user])
    assert texts(shared) == sorted(text for own in alone.values() for text in texts(own))


@pytest.mark.parametrize("key", ["user", "user_id", "tenantId", "Organisation"])
async def test_another_users_document_under_the_same_id_is_refused(key: str) -> None:
    made = retriever(child_splitter=LINES)
    trips = [Document(f"The ticket of {name}.", id="trip", metadata={key: name, "tag": name}) for name in ("anna", "b")]
    with silent():
        made.add_documents(trips[:1])
        made.add_documents([Document("A new ticket of anna.", id="trip", metadata={key: "anna", "tag": "new"})])
        made.add_documents([Document("A bill of b.", id="bill", metadata={key: "b"})])
    before = texts(made)
    with pytest.raises(SettingError, match=f"'{key}': 'b' would take the place of one with 'anna'.*delete 'trip'"):
        made.add_documents(trips[1:])
    with pytest.raises(SettingError, match="give them ids that differ"):
        await made.aadd_documents(trips[1:], force=True)
    other = Document("A ticket of b.", id="trip", metadata={"owner": "b"})
    with pytest.raises(SettingError, match=f"'owner': 'b' would take the place of one with '{key}': 'anna'"):
        made.add_documents([other])
    assert texts(made) == before
    trips = [Document(each.page_content, id="trip", metadata={**each.metadata, "team": "x"}) for each in trips]
    made.add_documents(trips[:1])
    with pytest.raises(SettingError, match="give them ids that differ"):
        await made.amirror(trips[1:], scope={"team": "x"})
    with silent():
        made.mirror(trips[1:])  # it has changed hands
        made.delete(["trip"])
        made.add_documents(trips[:1])
        made.add_documents([Document("By its source.", metadata={key: "anna", "source": "a/bees.md"})])
    with pytest.raises(SettingError, match=r"'a/bees.md' with .*'b' would take the place of one with 'anna'"):
        made.add_documents([Document("By its id.", id="a/bees.md", metadata={key: "b"})])
    assert texts(made) == ["By its source.", "The ticket of anna."]


async def test_a_source_of_its_own_that_names_no_document_is_warned_of_once() -> None:
    made = retriever(child_splitter=LINES)
    fee = Document("The fee is 100 pounds.", metadata={"source": "crm-4471"})
    tweets = [Document(f"Tweet {number}.", metadata={"source": "tweets"}) for number in range(3)]
    with silent():
        made.add_documents(tweets)
        made.add_documents([Document("A bill.", metadata={"source": "a/bill.md"}), Document("Plain.")])
        made.add_documents([Document("A fee.", id="fee", metadata={"source": "crm-4470"})])
        made.add_documents([fee], ids=["crm"])
        made.mirror([fee])
        retriever(child_splitter=LINES, source_id_key="source").add_documents([fee])
    with pytest.warns(UserWarning, match=r"source 'crm-4471', .* is found too.* set source_id_key='source'"):
        await made.aadd_documents([fee])
    with silent():
        made.add_documents([Document("The fee is 999 pounds.", metadata={"source": "crm-4471"})])


def sections(*names: str, version: int = 0, source: str = "book") -> list[Document]:
    return [
        Document(f"{name} {version}.", metadata={"source": source, "Header 1": name, "last_modified": version})
        for name in names
    ]


def test_sections_without_numbers_are_told_apart_by_their_metadata_but_for_dates() -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    with silent():
        made.add_documents(sections("Fees", "Boats", "Tides"))
        made.add_documents(sections("Fees", "Boats", "Tides", "Moon", version=1))
    assert texts(made) == ["Boats 1.", "Fees 1.", "Moon 1.", "Tides 1."]


@pytest.mark.parametrize("settings", [{}, {"source_id_key": "source"}], ids=["default", "source"])
@pytest.mark.parametrize("batches", [["abcd"], ["abcd", "ef"], ["abcdef", "ghij"]], ids=str)
@pytest.mark.parametrize("again", ["ab", "abc", "abx", "abcdef", "x"])
def test_no_section_without_a_number_goes_because_others_are_given_again(
    batches: list[str], again: str, settings: dict[str, Any]
) -> None:
    made = retriever(child_splitter=LINES, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for batch in batches:
            made.add_documents(sections(*batch, source="a/book.md"))
    stay = sorted(set("".join(batches)) - set(again))
    with pytest.warns(UserWarning, match=f"{len(stay)} earlier documents") if stay else silent():
        made.add_documents(sections(*again, version=1, source="a/book.md"))
    assert texts(made) == sorted([f"{name} 0." for name in stay] + [f"{name} 1." for name in again])
    made.mirror(sections(*again, version=1, source="a/book.md"))
    assert texts(made) == [f"{name} 1." for name in sorted(again)]


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("batch", [1, 7, 20])
def test_elements_and_chunks_of_a_source_come_in_batches_and_are_all_kept(numbered: bool, batch: int) -> None:
    made = retriever(child_splitter=LINES)
    elements = [
        Document(
            f"Element {number} has {number} signs.",
            metadata={
                "source": "a/book.md",
                **({"page_number": 1 + number // 5, "element_id": number} if numbered else {}),
            },
        )
        for number in range(20 if batch > 1 or numbered else 1)
    ]
    for _ in range(2):
        for start in range(0, len(elements), batch):
            with warnings.catch_warnings():
                warnings.simplefilter("error" if batch == 20 else "ignore")
                made.add_documents(elements[start : start + batch])
        if batch > 1:
            assert len(texts(made)) == len(elements)
    edited = Document("Element 0 is another.", metadata={**elements[0].metadata, "element_id": 99})
    if batch == 20:
        with silent() if numbered else pytest.warns(UserWarning, match="1 earlier documents"):
            made.add_documents([edited, *elements[1:]])
        assert ("Element 0 has 0 signs." in texts(made)) is not numbered
        assert len(texts(made)) == (20 if numbered else 21)


def test_a_page_without_a_number_after_another_is_warned_of() -> None:
    made = retriever(child_splitter=LINES)
    first, second = (
        Document(text, metadata={"source": "a/book.md"}) for text in ("The fee is high.", "Boats sail at dawn.")
    )
    made.add_documents([first])
    with pytest.warns(UserWarning, match="little in common with it, 'The fee is high.': .* give each its page number"):
        made.add_documents([second])
    with silent():
        made.add_documents([second.model_copy(update={"page_content": "Boats sail at dusk."})])


@pytest.mark.thorough
@given(before=st.integers(1, 6), now=st.integers(1, 6), batch=st.integers(2, 6), counted=st.booleans(), data=st.data())
def test_whatever_a_loader_gives_again_is_what_there_is(
    before: int, now: int, batch: int, counted: bool, data: st.DataObject
) -> None:
    made = retriever(child_splitter=LINES, source_id_key="source")
    odd = st.fixed_dictionaries({"producer": st.text(max_size=3), "creationdate": st.text(max_size=3)})
    for version, count in enumerate((before, now)):
        total = {"total_pages": count} if counted else {}
        loaded = pages(range(count), version, **total, **data.draw(odd))
        step = batch if counted else max(count, 2)
        for start in range(0, count, step):
            made.add_documents(loaded[start : start + step])
    expected = [page.page_content for page in pages(range(now), 1)]
    if not counted and now == 1 < before:  # nobody can know
        expected += [page.page_content for page in pages(range(1, before))]
    assert texts(made) == sorted(expected)
    assert len(kept(made)) == len(expected)


@pytest.mark.parametrize("key", ["page", "page_label", "total_pages"])
async def test_pages_whose_loader_lost_spaces_between_words_are_told_once_for_each_source(key: str) -> None:
    text = "Theresultingprogrammustnotbeinstalled, asthepolicyofthedistributionforbidsit. "
    pages = [Document(f"{text}{n}", metadata={"source": f"{n // 2}.pdf", key: n}) for n in range(4)]
    for made in (retriever(child_splitter=LINES), retriever(**SPLITTINGS["hierarchy"])):
        with pytest.warns(UserWarning, match="the loader has lost spaces .* read it with from_pdf") as told:
            made.mirror(pages)
        said = [str(each.message)[:12] for each in told if "lost spaces" in str(each.message)]
        assert said == ["in '0.pdf', ", "in '1.pdf', "]
        with silent():
            assert made.mirror(pages).unchanged
            await made.aadd_documents([Document(text, id="no page", metadata={"source": "a.txt"})])
            await made.aadd_documents([Document("The page is right.", id="right", metadata={key: 1})])
