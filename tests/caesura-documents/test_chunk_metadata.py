"""What a chunk's metadata say: by which names, from what layout, and what they never overwrite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from caesura import Chunk, SettingError
from caesura_documents.chunk_metadata import NAMES, ChunkMetadata
from caesura_documents.join_pages import LoadedPage, join_sources
from caesura_documents.layout import LAYOUT

TEXT = "# A\n\nOne two.\n\n## B\n\nThree four.\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"


def chunks(text: str, *pieces: str) -> list[Chunk]:
    return [Chunk(piece, text.index(piece), text.index(piece) + len(piece)) for piece in pieces]


def said(
    text: str, pieces: Sequence[str], metadata: dict[str, Any], setting: Any = NAMES, **more: Any
) -> list[dict[str, Any]]:
    own = chunks(text, *pieces)
    return ChunkMetadata.of(setting).describe(text, metadata, own, [f"id{n}" for n in range(len(own))], **more)


def test_every_name_that_has_something_to_say() -> None:
    first, second, third = said(TEXT, ["# A\n\nOne two.", "## B\n\nThree four.", "| 1 | 2 |"], {})
    assert first == {
        "start_index": 0,
        "end_index": 13,
        "line_start": 1,
        "line_end": 3,
        "chunk_index": 0,
        "next_id": "id1",
        "headings": ["A"],
        "heading_levels": [1],
        "title": "A",
    }
    assert second["headings"] == ["A", "B"]
    assert (second["previous_id"], second["next_id"]) == ("id0", "id2")
    assert third["table_header"] == "| x | y |"
    assert (third["line_start"], third["line_end"]) == (11, 11)
    assert "next_id" not in third


def test_the_title_is_that_of_the_whole_text_and_a_later_part_has_none_in_its_text() -> None:
    both = [{"title": "A"}] * 2
    assert said(TEXT, ["One two.", "Three four."], {"source": "a.md"}, ["title"]) == both
    assert said(TEXT, ["One two.", "Three four."], {"title": "A"}, ["title"]) == both
    assert said(TEXT, ["One two."], {"title": "Untitled", "source": "a.md"}, ["title"]) == [{"title": "A"}]
    assert said(TEXT, ["One two."], {"source": "a.md"}, ["title"], start=90) == [{"title": "a.md"}]
    assert said(TEXT, ["One two."], {"source": "a.md", "page": 7}, {"title": "name"})[0]["name"] == "a.md"
    assert said("One two.", ["One two."], {}, ["title"]) == [{}]
    with pytest.raises(SettingError, match="title"):
        said(TEXT, ["One two."], {"title": 7}, ["title"])


def test_names_can_be_keys_of_ones_own() -> None:
    assert said(TEXT, ["One two."], {}, {"headings": "section", "line_start": "row"}) == [{"section": ["A"], "row": 3}]
    assert said(TEXT, ["One two."], {"headings": 7}, {"headings": "section"}) == [{"section": ["A"]}]
    assert said(TEXT, ["One two."], {"headings": 7, "types": "mine"}, []) == [{}]


LOADED = {"creationdate": "", "total_pages": 9}  # as LangChain's loaders say, which count from 0


@pytest.mark.parametrize(
    ("metadata", "page", "label"),
    [
        ({"page": 0, "page_label": "1"}, 1, "1"),
        ({"page": 6, "page_label": "ii", **LOADED}, 7, "ii"),
        ({"page": 6, **LOADED}, 7, None),
        ({"page": 9, **LOADED}, 9, None),  # which is the last, so that it was counted from 1
        ({"page": 6, "total_pages": 9}, 6, None),
        ({"page": 7}, 7, None),
    ],
)
def test_a_page_that_was_not_joined_says_its_page_as_a_joined_one_does(
    metadata: dict[str, Any], page: Any, label: str | None
) -> None:
    (alone,) = said(TEXT, ["One two."], metadata, [])
    labels = {} if label is None else {"page_label_start": label, "page_label_end": label}
    assert alone == {"page_start": page, "page_end": page, **labels}
    (joined,) = [found for _, found in join_sources([LoadedPage("a", metadata, TEXT)], None, print)]
    assert joined is not None
    assert (joined.layout[0]["page"], joined.layout[0].get("label")) == (page, label)


@pytest.mark.parametrize("label", ["8", "ii", 8])
def test_the_label_of_a_page_that_was_not_joined_is_no_page_number(label: object) -> None:
    labels = {"page_label_start": str(label), "page_label_end": str(label)}
    assert said(TEXT, ["One two."], {"page_label": label}, []) == [labels]
    assert said(TEXT, ["One two."], {"page_label": label, **labels}, []) == [labels]


def test_a_part_of_joined_pages_keeps_its_pages() -> None:
    metadata = {"page": 0, "page_label": "1", "page_start": 2, "page_end": 3}
    assert said(TEXT, ["One two."], metadata, []) == [{"page_start": 2, "page_end": 3}]


def test_pages_are_not_said_of_what_has_none() -> None:
    assert said(TEXT, ["One two."], {"page": None}, ["page_start"]) == [{}]
    assert said(TEXT, ["One two."], {"page": [7]}, ["page_start"]) == [{}]


def test_a_place_that_nobody_knows_is_not_said() -> None:
    assert said(TEXT, ["One two."], {}, ["start_index", "line_end", "chunk_index"], start=None) == [{"chunk_index": 0}]
    assert said(TEXT, ["One two."], {"line_start": 10}, ["start_index", "line_start"], start=100) == [
        {"start_index": 105, "line_start": 12}
    ]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("headings", r"pass \['headings'\]"),
        ("other", "metadata must be names of start_index"),
        (7, "metadata must be names of start_index"),
        (["header"], r"^metadata has no setting header: (did you mean|it has)"),
        ({"header": "h"}, "^metadata has no setting header='h': "),
        ([["headings"]], "headings"),
        ({"headings": ""}, "each key another str"),
        ({"headings": 3}, "each key another str"),
        ({"headings": ["h"]}, "each key another str"),
        ({"headings": "h", "types": "h"}, "each key another str"),
        ({"headings": "types"}, "none the name of another"),
        ({"headings": LAYOUT}, "each key another str"),
    ],
)
def test_settings_that_say_nothing_are_refused(setting: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        ChunkMetadata.of(setting)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("headings", 7),
            ("headings", [1]),
            ("heading_levels", "1"),
            ("heading_levels", ["1"]),
            ("heading_levels", [True]),
        ),
        *(
            ("table_header", ["x"]),
            ("chunk_index", 3),
            ("start_index", "3"),
            ("line_start", None),
            ("previous_id", "x"),
        ),
    ],
)
def test_an_entry_of_the_users_with_another_meaning_is_refused_by_its_key_and_the_remedy_helps(
    name: str, value: Any
) -> None:
    with pytest.raises(SettingError) as error:
        said(TEXT, ["One two."], {name: value}, [name])
    remedy = {name: f"chunk_{name}"}
    assert repr(name) in str(error.value)
    assert f"metadata={remedy!r}" in str(error.value)
    assert name not in said(TEXT, ["One two."], {name: value}, remedy)[0]


LAYOUTS: list[dict[str, Any]] = [
    {
        "start": 0,
        "page": 1,
        "offset": 30,
        "type": "title",
        "box": [0, 0, 9, 2],
        "headings": ["T"],
        "heading_levels": [1],
    },
    {
        "start": 6,
        "page": 1,
        "offset": 36,
        "type": "text",
        "box": [0, 3, 9, 5],
        "headings": ["T"],
        "heading_levels": [1],
    },
    {"start": 12, "page": "ii", "offset": 0, "type": "text", "headings": ["T", "U"], "heading_levels": [1, 3]},
    {"start": 18, "page": 3, "offset": 0},
    {"start": 18, "page": 4, "offset": 0, "type": "table", "box": [1, 1, 2, 2]},
]
PAGES = "Title Words. Morel. Cells."


def test_chunks_of_a_document_with_a_layout_say_what_it_says_of_them() -> None:
    whole, within, last = said(PAGES, [PAGES, "ords. Morel", "Cells."], {LAYOUT: LAYOUTS}, [])
    assert (whole["page_start"], whole["page_end"], whole["page_offset"]) == (1, 4, 30)
    assert whole["types"] == ["title", "text", "table"]
    assert [json.loads(box) for box in whole["boxes"]] == [
        {"page": 1, "box": [0, 0, 9, 2]},
        {"page": 1, "box": [0, 3, 9, 5]},
        {"page": 4, "box": [1, 1, 2, 2]},
    ]
    assert (within["page_start"], within["page_end"], within["page_offset"]) == (1, "ii", 37)
    assert within["headings"] == ["T"]
    assert (last["page_start"], last["page_end"], last["page_offset"]) == (4, 4, 2)
    assert "headings" not in last
    assert LAYOUT not in whole


def test_a_chunk_before_the_first_entry_stands_on_its_page_from_there_on() -> None:
    layout = [{"start": 6, "page": 2, "offset": 0}]
    assert said(PAGES, ["Title", PAGES], {LAYOUT: layout}, []) == [{}, {"page_start": 2, "page_end": 2}]


def test_a_chunk_of_a_chunk_keeps_its_pages() -> None:
    metadata = {"page_start": 3, "page_end": 4, "types": ["text"]}
    assert said(PAGES, ["Words."], metadata, ["page_start", "types"]) == [{"page_start": 3, "types": ["text"]}]


@pytest.mark.parametrize(
    "layout",
    [
        *(None, 7, "x", {}, [7], [{}], [{"start": "0"}], [{"start": True}], [{"start": 3}, {"start": 1}]),
        *([{"start": 0, "offset": "1"}], [{"start": 0, "headings": "A"}], [{"start": 0, "headings": [1]}]),
        [{"start": 0, "headings": ["A"], "heading_levels": [1, 2]}],
        *([{"start": 0, "page": [1]}], [{"start": 0, "type": ["text"]}], [{"start": 0, "box": 7}]),
    ],
)
def test_a_layout_that_is_none_is_refused(layout: Any) -> None:
    with pytest.raises(SettingError, match=LAYOUT):
        said(PAGES, ["Words."], {LAYOUT: layout}, [])


def test_an_entry_of_the_users_is_not_overwritten_by_that_of_a_layout() -> None:
    with pytest.raises(SettingError, match="'types': 'chunk_types'"):
        said(PAGES, ["Words."], {LAYOUT: LAYOUTS, "types": "mine"}, [])
    own = said(PAGES, ["Words."], {LAYOUT: LAYOUTS, "types": "mine"}, {"types": "chunk_types"})[0]
    assert own["chunk_types"] == ["text"]
    assert "types" not in own


@pytest.mark.parametrize("title", ["Tides  of May", "# 1 port", "Ropes #"])
def test_headings_that_a_chunk_begins_with_are_above_it_however_their_titles_are_written(title: str) -> None:
    text = f"# {title}\n\n## Heights\n\nHigh."
    path = [" ".join(title.split()), "Heights"]
    layout: list[dict[str, Any]] = [{"start": 0, "headings": path[:1], "heading_levels": [1]}]
    layout += [{"start": text.index(part), "headings": path, "heading_levels": [1, 2]} for part in ("## H", "High.")]
    assert said(text, [text, "High."], {LAYOUT: layout}, []) == [{"headings": path}] * 2
    assert said(text, [text[text.index("\n## H") :]], {LAYOUT: layout}, []) == [{"headings": path}]  # from a blank on


def test_a_part_of_a_document_without_levels_repeats_no_heading() -> None:
    metadata = {"headings": ["A", "B"]}
    assert said("### B\n\nOne.\n\n### C\n\nTwo.", ["### B\n\nOne.", "Two."], metadata, ["headings"]) == [
        {"headings": ["A", "B"]},
        {"headings": ["A", "C"]},
    ]


@pytest.mark.parametrize("levels", [{}, {"heading_levels": [1, 2]}])
def test_a_part_that_begins_in_code_takes_no_comment_for_a_heading(levels: dict[str, Any]) -> None:
    metadata, names = {"headings": ["A", "B"], **levels}, ["headings"]
    text = "# one\nrun it\n\n# two\nrun it\n\n## C\n\nWords"
    assert said(text, ["# one", "# two\nrun", "Words"], metadata, names) == [
        {"headings": ["A", "B"]},
        {"headings": ["A", "B"]},
        {"headings": ["A", "C"]},
    ]
    joined = {"headings": "A > B"}  # as LlamaIndex has it: the title itself may have the mark between titles
    assert said("# A > B\n\n## C\n\nWords", ["Words"], joined, names) == [{"headings": ["A > B", "C"]}]


def test_a_heading_that_a_part_begins_with_stands_under_none_that_follow_it() -> None:
    text = "### B\n\n## C\n\nTwo."  # a section without text before the one that the part is of
    metadata = {"headings": ["A", "C"], "heading_levels": [1, 2]}
    assert said(text, ["### B", "## C", "Two."], metadata, ["headings"]) == [
        {"headings": ["A", "B"]},
        {"headings": ["A", "C"]},
        {"headings": ["A", "C"]},
    ]


def test_headings_of_a_part_are_those_that_the_whole_has() -> None:
    def above(text: str, levels: list[int]) -> list[str]:
        metadata = {"headings": ["A", "B"][: len(levels)], "heading_levels": levels}
        titles: list[str] = said(text, ["Words"], metadata, ["headings", "heading_levels"])[0]["headings"]
        return titles

    assert above("1.1 Methods\n\nWords", [1]) == ["A"]  # under a # no numbered line is one
    assert above("1.1 Methods\n\nWords", [9]) == ["A", "1.1 Methods"]
    assert above("C\n~~~\n\nWords", [1, 2]) == ["A", "B"]  # nor is a line above ~~~
    assert above("C\n~~~\n\nWords", [32, 65]) == ["A", "B", "C"]  # in reStructuredText it is,
    assert above("C\n---\n\nWords", [32, 65]) == ["A", "C"]  # each mark at the level that it has,
    assert above("# C\n\nWords", [32, 65]) == ["A", "B"]  # and # is none


def test_what_is_shown_to_an_embedder_leaves_out_what_is_outermost() -> None:
    metadata = ChunkMetadata.of(["headings", "table_header"])
    own = {"headings": ["Alpha", "Beta"], "table_header": "x | y"}
    assert metadata.headings_text(own, len, None) == "Alpha > Beta\nx | y\n"
    assert [metadata.headings_text(own, len, most) for most in (18, 11, 6, 5, 4)] == ["Beta\nx | y\n"] * 2 + [
        "x | y\n",
        "Beta\n",
        "",
    ]
