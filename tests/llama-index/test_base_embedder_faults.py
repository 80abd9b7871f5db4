"""An embedding that fails does so with its own error or a clear one, and never with wrong nodes."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.parsers import ARTICLE, parsers, slices
from llama_index.core import Document

from caesura import EmbeddingError

UNFIT = r"one row per text|rows of one length"
DOCUMENT = Document(text=ARTICLE, id_="a")


class Faulty(Words):
    """Right until it has answered `after` calls."""

    fault: str
    after: int = 0

    def rows(self, texts: list[str]) -> Any:
        rows = super().rows(texts)
        if len(self._batches) <= self.after:
            return rows
        if self.fault == "raises":
            raise ConnectionError("the server is gone")
        return {
            "few": rows[:-1],
            "many": [*rows, rows[0]],
            "none": [],
            "ragged": [rows[0][:-1], *rows[1:]],
            "wider": [[*row, 1.0] for row in rows],
            "empty": [[] for _ in rows],
            "nan": [[float("nan")] * 16, *rows[1:]],
            "infinite": [[float("inf")] * 16, *rows[1:]],
            "zero": [[0.0] * 16, *rows[1:]],
            "all nan": [[float("nan")] * 16 for _ in rows],
            "all zero": [[0.0] * 16 for _ in rows],
        }[self.fault]


@parsers
@pytest.mark.parametrize("calibrated", [False, True])
@pytest.mark.parametrize("fault", ["few", "many", "none", "ragged", "empty"])
async def test_rows_that_do_not_fit_are_an_embedding_error(parser: Any, fault: str, calibrated: bool) -> None:
    def made() -> Any:
        return parser(embed_model=Faulty(fault=fault, after=int(calibrated)), calibrated=calibrated)

    with pytest.raises(EmbeddingError, match=UNFIT):
        made()([DOCUMENT])
    with pytest.raises(EmbeddingError, match=UNFIT):
        await made().acall([DOCUMENT])


@parsers
@pytest.mark.parametrize("fault", ["nan", "infinite", "zero"])
def test_a_row_that_says_nothing_belongs_to_no_neighbour_and_is_kept(parser: Any, fault: str) -> None:
    for calibrated in (False, True):
        nodes = parser(embed_model=Faulty(fault=fault, after=int(calibrated)), calibrated=calibrated)([DOCUMENT])
        slices(DOCUMENT, nodes)


@parsers
@pytest.mark.parametrize("fault", ["all nan", "all zero"])
def test_rows_that_all_say_nothing_lose_no_text(parser: Any, fault: str) -> None:
    slices(DOCUMENT, parser(embed_model=Faulty(fault=fault), calibrated=False)([DOCUMENT]))
    with pytest.raises(EmbeddingError, match="sample texts"):
        parser(embed_model=Faulty(fault=fault))([DOCUMENT])


@parsers
def test_a_dimension_that_changes_after_calibration_is_named(parser: Any) -> None:
    with pytest.raises(EmbeddingError, match=r"16.*17|17.*16"):
        parser(embed_model=Faulty(fault="wider", after=1))([DOCUMENT])


@parsers
def test_a_dimension_that_changes_between_batches_is_an_embedding_error(parser: Any) -> None:
    model = Faulty(fault="wider", after=1, embed_batch_size=4)
    with pytest.raises(EmbeddingError, match="rows of one length"):
        parser(embed_model=model, calibrated=False)([DOCUMENT])


@parsers
@pytest.mark.parametrize("after", [0, 1, 2])
async def test_an_error_of_the_embedding_keeps_its_kind_and_names_the_texts(parser: Any, after: int) -> None:
    settings = {"embed_batch_size": 5, "fault": "raises", "after": after}
    with pytest.raises(ConnectionError, match="the server is gone") as caught:
        parser(embed_model=Faulty(**settings), calibrated=False)([DOCUMENT])
    with pytest.raises(ConnectionError, match="the server is gone") as awaited:
        await parser(embed_model=Faulty(**settings), calibrated=False).acall([DOCUMENT])
    for each in (caught, awaited):
        assert any("raised by the embedder for texts 0 to" in note for note in each.value.__notes__)


@parsers
def test_a_calibration_that_failed_is_tried_again(parser: Any) -> None:
    model = Faulty(fault="raises", after=0)
    made = parser(embed_model=model)
    with pytest.raises(ConnectionError):
        made([DOCUMENT])
    model.after = 100
    slices(DOCUMENT, made([DOCUMENT]))
    assert model.calibrations == 2


@parsers
def test_a_background_of_another_embedding_is_refused(parser: Any) -> None:
    with pytest.raises(EmbeddingError, match="its background was made of 2"):
        parser(embed_model=Words(), background=[1.0, 0.0])([DOCUMENT])
    with pytest.raises(EmbeddingError, match="its background was made of 2"):
        parser(background=[1.0, 0.0])([DOCUMENT])
