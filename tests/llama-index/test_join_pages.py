"""Pages that a reader gave become one document, in a pipeline, before an index, and of which an edit is an edit."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from fakes.documents import report
from fakes.documents.pdf import pdf_bytes
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import index, parser, whole
from llama_index.core import Document, Settings, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import ImageDocument, IndexNode, MetadataMode, NodeRelationship, TextNode
from llama_index.readers.file import PDFReader

from llama_index.node_parser.caesura import DoublePassSemanticSplitter, JoinPages

LAYOUT = "caesura_layout"


def pages(*texts: str, **metadata: Any) -> list[Document]:
    named = metadata or {"file_name": "a.pdf"}
    return [Document(text=text, metadata={**named, "page_label": f"{n}"}) for n, text in enumerate(texts, 1)]


def report_pages(*numbers: int) -> list[Document]:
    return pages(*(" ".join(report.body(number)) for number in numbers))


def test_a_pdf_of_40_pages_is_one_text_with_every_page_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(pdf_bytes(report.PAGES, labels="A-"))
    loaded = PDFReader().load_data(path)
    assert loaded[4].metadata["page_label"] == "A-5"
    (joined,) = JoinPages()(loaded)
    text = joined.get_content(MetadataMode.NONE)
    report.check_joined(text, joined.metadata[LAYOUT], {number: page.text for number, page in enumerate(loaded, 1)})
    assert [entry["label"] for entry in joined.metadata[LAYOUT]] == [page.metadata["page_label"] for page in loaded]
    assert joined.metadata == {"file_name": "report.pdf", LAYOUT: joined.metadata[LAYOUT]}

    from_folder = SimpleDirectoryReader(tmp_path).load_data()
    (again,) = JoinPages()(from_folder)
    assert again.get_content(MetadataMode.NONE) == text
    assert again.metadata["file_path"] == str(path)


def test_labels_of_digits_are_numbers_and_scanned_pages_are_told_of() -> None:
    with pytest.warns(UserWarning, match=r"no text in 'a.pdf' \(2 pages\), .*read them with OCR first$") as told:
        (joined,) = JoinPages()(pages("", " "))
    assert ([entry["page"] for entry in joined.metadata[LAYOUT]], told[0].filename) == ([1, 2], __file__)
    (joined,) = JoinPages(page="page_label")(pages("one", "two"))
    assert [(entry["page"], entry["label"]) for entry in joined.metadata[LAYOUT]] == [(1, "1"), (2, "2")]


@pytest.mark.parametrize(("settings", "shown"), [({}, "kind: manual"), ({"source": "kind"}, "file_path: x/a.pdf")])
def test_no_model_is_shown_the_layout_and_the_source(settings: dict[str, str], shown: str) -> None:
    given = pages("one", "two", file_path="x/a.pdf", kind="manual")
    given[0].excluded_llm_metadata_keys.append("kind")
    (joined,) = JoinPages(**settings)(given)
    assert joined.get_content(MetadataMode.EMBED) == f"{shown}\n\none\ntwo"
    assert joined.get_content(MetadataMode.LLM) == ("file_path: x/a.pdf\n\none\ntwo" if settings else "one\ntwo")
    assert joined.metadata["file_path"] == "x/a.pdf"
    assert (given[0].excluded_embed_metadata_keys, given[0].excluded_llm_metadata_keys) == ([], ["kind"])


def test_how_metadata_and_text_are_shown_stays() -> None:
    given = [
        Document(
            text=text,
            metadata={"file_name": "a", "kind": "b", "page_label": text},
            text_template="{content} of {metadata_str}",
        )
        for text in ("one", "two")
    ]
    assert JoinPages()(given)[0].get_content(MetadataMode.LLM) == "one\ntwo of kind: b"


def test_the_id_is_the_source() -> None:
    (named,) = JoinPages()(pages("one", "two", file_path="x/a.pdf", file_name="a.pdf"))
    assert named.node_id == "x/a.pdf"
    first, second = (JoinPages()(pages("one", text))[0] for text in ("two", "three"))
    assert first.node_id == second.node_id == "a.pdf"
    assert first.node_id == JoinPages()(pages("x\fy", "z"))[0].node_id
    assert first.node_id != JoinPages()(pages("one", file_name="b.pdf"))[0].node_id


def test_a_source_is_a_path_else_a_name_else_what_nodes_are_of() -> None:
    folders = [*pages("one", file_path="x/a", file_name="a"), *pages("two", file_path="y/a", file_name="a")]
    assert len(JoinPages()(folders)) == 2
    assert len(JoinPages(source="file_name")(pages("one", file_path="x", file_name="a"))) == 1
    owner = Document(text="", id_="owner").as_related_node_info()
    nodes = [
        TextNode(text=text, metadata={"page_label": text}, relationships={NodeRelationship.SOURCE: owner})
        for text in ("one", "two")
    ]
    (joined,) = JoinPages()(nodes)
    assert (joined.node_id, joined.get_content(MetadataMode.NONE)) == ("owner", "one\ntwo")


def test_documents_alone_images_and_references_stay_as_they_are() -> None:
    alone = [
        Document(text="x"),
        ImageDocument(metadata={"file_name": "a.pdf", "page_label": "1"}),
        IndexNode(text="y", index_id="z", metadata={"file_name": "a.pdf", "page_label": "1"}),
    ]
    found = JoinPages()([*alone, *pages("one", "two")])
    assert all(one is other for one, other in zip(found, alone, strict=False))
    assert [one.get_content(MetadataMode.NONE) for one in found[3:]] == ["one\ntwo"]
    (parted,) = JoinPages()([Document(text="one\ftwo", id_="i")])
    assert (parted.node_id, [entry["page"] for entry in parted.metadata[LAYOUT]]) == ("i", [1, 2])


async def test_before_a_splitter_in_a_pipeline_and_in_the_settings() -> None:
    splitter = DoublePassSemanticSplitter(embed_model=Words(), target_size=None)
    pipeline = IngestionPipeline(transformations=[JoinPages(), splitter])
    given = pages("The divers found an exam-", "ple of a bell. It was made of bronze.")
    (joined,) = JoinPages()(given)
    text = joined.get_content(MetadataMode.NONE)
    for nodes in (pipeline.run(documents=given), await pipeline.arun(documents=given)):
        assert {node.ref_doc_id for node in nodes} == {joined.node_id}
        for node in nodes:
            assert isinstance(node, TextNode)
            assert node.text == text[node.start_char_idx : node.end_char_idx]
        assert any("exam-\nple of a bell." in node.get_content(MetadataMode.NONE) for node in nodes)
    Settings.embed_model, Settings.transformations = Words(), [JoinPages(), splitter]
    made = VectorStoreIndex.from_documents(given)
    assert {node.ref_doc_id for node in made.docstore.docs.values()} == {joined.node_id}


def test_it_comes_back_from_its_dict_and_from_a_pickle() -> None:
    made = JoinPages(page="leaf", source="folder")
    for again in (JoinPages.from_dict(made.to_dict()), pickle.loads(pickle.dumps(made))):
        assert again == made
        assert again.to_dict() == made.to_dict()
    assert made.to_dict()["class_name"] == "JoinPages"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: JoinPages(pages="leaf"), "JoinPages has no setting pages='leaf': did you mean page?"),  # type: ignore[call-arg]
        (lambda: JoinPages(page="leaf")(pages("one", "two")), r"must have 'leaf' .* has \['file_name', 'page_label'\]"),
        (lambda: JoinPages()([*pages("one"), *pages("two")]), "page 1 of the source 'a.pdf' came twice"),
        (
            lambda: JoinPages()([Document(text="%PDF-1.4\n%âã", metadata={"file_path": "x/a.pdf"})]),
            "the text of 'x/a.pdf' is the PDF's bytes.* pip install llama-index-readers-file",
        ),
        (lambda: JoinPages()(Document(text="x")), "documents must be a list"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_joined_is_refused(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_an_edit_of_a_page_is_an_edit_of_its_document() -> None:
    settings = {"transformations": [parser(chunk_sizes=[60, 20])]}
    made = index(**settings)
    assert made.upsert(JoinPages()(report_pages(1, 2, 3))).added == 1
    assert made.upsert(JoinPages()(report_pages(1, 2, 3))).unchanged == 1
    edited = JoinPages()(report_pages(1, 4, 3, 5))
    assert made.upsert(edited).updated == 1
    whole(made, edited, **settings)
