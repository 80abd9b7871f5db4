"""Late chunking: a chunk's row is the mean of its tokens' rows, each from the window that knows most around it."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from fakes.embedders.token_rows import WIDTH, Transformer, rows_of
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import EmbeddingError, SettingError, Span
from caesura.sansio import Blocking, run
from caesura_retrieval.document_embedders import embed_together
from caesura_retrieval.late_chunking import late_chunking, late_rows


def unit(row: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    length = float(np.linalg.norm(row))
    return row / length if length else row


def obvious(text: str, spans: Sequence[tuple[int, int]]) -> list[np.ndarray[Any, Any]]:
    """The slow twin, for a text that fits: the tokens of each chunk, one after another."""
    tokens = list(re.finditer(r"\w+|[^\w\s]", text))
    rows = rows_of([token.group() for token in tokens])
    found = []
    for start, end in spans:
        own = [row for row, token in zip(rows, tokens, strict=True) if start < token.end() <= end]
        found.append(unit(np.mean(own, axis=0)) if own else np.zeros(WIDTH))
    return found


words = st.lists(st.sampled_from(["tea", "ice", "is", "hot.", "a", "\n\n", "  "]), max_size=30).map(" ".join)


@settings(max_examples=60)
@given(words, st.data())
def test_a_chunks_row_is_the_mean_of_its_tokens_in_the_whole_text(text: str, data: Any) -> None:
    place = st.integers(0, len(text))
    spans = data.draw(st.lists(st.tuples(place, place).map(lambda pair: (min(pair), max(pair))), max_size=5))
    found = late_chunking.of(Transformer()).embed_spans(text, spans)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.reshape(obvious(text, spans), found.shape), atol=1e-6)


def test_a_documents_chunks_are_joined_by_line_ends_and_read_at_once() -> None:
    model = Transformer()
    chunks = ["Tea is hot.", "Ice is not.", "Tea is hot."]
    found = late_chunking.of(model).embed_document(chunks)
    assert model.read == ["Tea is hot.\nIce is not.\nTea is hot."]
    np.testing.assert_allclose(found, obvious(model.read[0], [(0, 11), (12, 23), (24, 35)]), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    alone = late_chunking.of(model)(["Ice is not."])[0]
    assert found[1] @ alone < 0.999


def test_a_token_over_a_chunks_edge_counts_where_it_ends() -> None:
    rows = late_rows(np.eye(3), [(0, 4), (4, 9), (9, 12)], [Span(0, 6), Span(6, 12)])
    assert rows.tolist() == [[1, 0, 0], [0, 0.5, 0.5]]


def test_offsets_in_any_order_and_several_tokens_of_a_character() -> None:
    rows = late_rows(np.eye(4), [(5, 6), (0, 0), (0, 1), (0, 1)], [(0, 1), (1, 6), (2, 3)])
    assert rows.tolist() == [[0, 0, 0.5, 0.5], [1, 0, 0, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("offsets", [[(0, 1)], [(0, 1), (3, 2)]])
def test_offsets_that_are_not_the_tokens_are_refused(offsets: Any) -> None:
    with pytest.raises(EmbeddingError, match=r"one row per|offsets of a token"):
        late_rows(np.eye(2), offsets, [(0, 2)])


# -- over the window --------------------------------------------------------------------------------------------------


def twin(text: str, spans: Sequence[tuple[int, int]], window: int, overlap: int) -> list[np.ndarray[Any, Any]]:
    """The slow twin: every token has its row from the window in whose middle it is most."""
    tokens = list(re.finditer(r"\w+|[^\w\s]", text))
    size = window - window // 8
    starts = [*range(0, len(tokens) - size, size - overlap), len(tokens) - size]
    rows = []
    for number in range(len(tokens)):
        holding = [start for start in starts if start <= number < start + size]
        best = max(
            reversed(holding),
            key=lambda start: min(
                number - start if start else 10**9, start + size - 1 - number if start != starts[-1] else 10**9
            ),
        )
        rows.append(rows_of([token.group() for token in tokens[best : best + size]])[number - best])
    found = []
    for low, high in spans:
        own = [row for row, token in zip(rows, tokens, strict=True) if low < token.end() <= high]
        found.append(unit(np.mean(own, axis=0)) if own else np.zeros(WIDTH))
    return found


@pytest.mark.parametrize("overlap", [None, 0, 2, 6])
@pytest.mark.parametrize("count", [18, 19, 20, 21, 40, 67])
def test_a_text_over_the_window_is_read_in_windows_that_overlap(count: int, overlap: int | None) -> None:
    model = Transformer(max_seq_length=18)
    own = late_chunking.of(model, overlap)
    assert own.window == 16
    chunks = [f"Tea {number} x{number % 5} is hot." for number in range(count // 6)]
    text = "\n".join([*chunks, *["ice"] * (count % 6)])
    spans = [(match.start(), match.end()) for match in re.finditer(r".+", text)]
    found = own.embed_spans(text, spans)
    assert len(model.read) > 1
    assert all(len(re.findall(r"\w+|[^\w\s]", read)) == 14 for read in model.read)
    np.testing.assert_allclose(found, twin(text, spans, 16, 3 if overlap is None else overlap), atol=1e-6)


def test_a_chunk_over_the_window_has_the_mean_of_all_its_tokens() -> None:
    model = Transformer(max_seq_length=18)
    text = " ".join(f"tea{number}" for number in range(50))
    found = late_chunking.of(model).embed_document([text, "ice"])
    np.testing.assert_allclose(
        found, twin(f"{text}\nice", [(0, len(text)), (len(text) + 1, len(text) + 4)], 16, 3), atol=1e-6
    )


def test_a_model_that_reads_less_than_it_says_or_more_than_the_text_is_refused() -> None:
    text = " ".join(["tea"] * 40)
    for model in (Transformer(prompt="passage: "), Transformer(max_seq_length=30)):
        own = late_chunking.of(model)
        wider = late_chunking(own.tokens, own.offsets, 100)
        with pytest.raises(
            EmbeddingError, match=r"one row per token: expected 42, got \d+, for the text that begins 'tea"
        ):
            wider.embed_document([text])


# -- as a model -------------------------------------------------------------------------------------------------------


def test_a_question_goes_by_the_models_own_way_and_has_length_1() -> None:
    model = Transformer()
    row = late_chunking.of(model).embed_query("Is tea hot?")
    assert model.asked == ["Is tea hot?"]
    np.testing.assert_allclose(row, unit(model.encode("Is tea hot?")), atol=1e-6)
    model.encode_query = lambda text: np.arange(1.0, WIDTH + 1)  # type: ignore[attr-defined]
    np.testing.assert_allclose(late_chunking.of(model).embed_query("x"), unit(np.arange(1.0, WIDTH + 1)), atol=1e-6)


def test_without_one_it_is_a_text_by_itself() -> None:
    own = late_chunking.of(Transformer())
    bare = late_chunking(own.tokens, own.offsets, own.window)
    np.testing.assert_array_equal(bare.embed_query("tea is"), bare(["tea is"])[0])


def test_it_embeds_documents_as_the_plugins_ask_and_pickles() -> None:
    own = pickle.loads(pickle.dumps(late_chunking.of(Transformer())))
    first, second = run(embed_together(Blocking(), own, [["Tea is hot.", "Ice."], ["Tea."]]))
    np.testing.assert_array_equal(first, own.embed_document(["Tea is hot.", "Ice."]))
    assert second.shape == (1, WIDTH)


def test_rows_of_torch_are_taken_from_any_device() -> None:
    class Tensor:
        def __init__(self, rows: Any) -> None:
            self.rows = rows

        def __len__(self) -> int:
            return len(self.rows)

        def detach(self) -> Tensor:
            return self

        cpu = float = detach

        def numpy(self) -> Any:
            return self.rows

    own = late_chunking.of(Transformer())
    torch = late_chunking(lambda text: (Tensor(own.tokens(text)[0]), own.tokens(text)[1]), own.offsets, own.window)
    np.testing.assert_array_equal(torch.embed_document(["Tea.", "Ice."]), own.embed_document(["Tea.", "Ice."]))


@pytest.mark.parametrize(
    ("window", "overlap", "message"), [(1, None, "window"), (16, 14, "overlap must be under 14"), (16, -1, "overlap")]
)
def test_a_window_or_overlap_that_is_none_is_refused(window: int, overlap: int | None, message: str) -> None:
    own = late_chunking.of(Transformer())
    with pytest.raises(SettingError, match=message):
        late_chunking(own.tokens, own.offsets, window, overlap)


def test_a_model_without_a_window_is_refused() -> None:
    with pytest.raises(SettingError, match="max_seq_length"):
        late_chunking.of(Transformer(max_seq_length=None))  # type: ignore[arg-type]
