"""What a document that fails does to the others: nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.splitters.split_batch import BATCH, READY, SPLITTER, Poisoned, documents, rows

from caesura import EmbeddingError, SettingError
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


def poisoned(count: int, *places: int) -> dict[str, Any]:
    given = documents(count)
    for place in places:
        given["text"][place] += " This is poison."
    return given


def test_a_document_that_fails_is_a_row_with_what_was_the_matter_and_no_other_is_touched() -> None:
    given = poisoned(40, 3, 17)
    batch = SplitBatch(READY, Poisoned, on_failure="keep", vectors=True)
    made = batch(given)
    failed = [place for place, error in enumerate(made["error"]) if error is not None]
    assert [made["id"][place] for place in failed] == [given["id"][3], given["id"][17]]
    for place in failed:
        assert [made[name][place] for name in ("chunk", "start", "end", "text", "chunk_id")] == [-1, -1, -1, "", ""]
        assert made["error"][place] == "ConnectionError: 400: poison"
        assert not made["vector"][place].any()
    assert [made["page"][place] for place in failed] == [3, 17]
    good = np.array([error is None for error in made["error"]])
    kept = {name: column[good] for name, column in made.items() if name not in ("vector", "error")}
    alone = np.array([place not in (3, 17) for place in range(40)])
    assert rows(kept) == rows(BATCH({name: column[alone] for name, column in given.items()}))
    assert made["page"].tolist() == sorted(made["page"].tolist())


def test_one_poisonous_document_among_many_costs_few_calls() -> None:
    embed = Poisoned()
    SplitBatch(READY, lambda: embed, on_failure="keep")(poisoned(256, 100))
    assert len(embed.calls) <= 2 * 8 + 1


def test_without_keep_it_raises_and_says_for_which_documents() -> None:
    given = poisoned(8, 5)
    with pytest.raises(ConnectionError) as raised:
        SplitBatch(READY, Poisoned)(given)
    assert f"{given['id'][0]!r} to {given['id'][7]!r}, 8 in all" in "".join(raised.value.__notes__)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("text", None, "text must be a str, got NoneType in the row of"),
        ("text", float("nan"), "got float"),
        ("text", b"bytes", "got bytes"),
        ("id", None, "id must be a str or a whole number in every row, got None"),
        ("id", 1.5, "got 1.5"),
        ("id", True, "got True"),
    ],
)
def test_a_row_that_cannot_be_read_fails_alone(column: str, value: Any, said: str) -> None:
    given = documents(6)
    given[column][2] = value
    with pytest.raises(SettingError, match=said):
        BATCH(given)
    made = SplitBatch(SPLITTER, StaticEmbedder, on_failure="keep")(given)
    errors = [error for error in made["error"] if error]
    assert len(errors) == 1
    assert said in errors[0]
    assert set(made["page"].tolist()) == {0, 1, 2, 3, 4, 5}


def test_what_is_wrong_with_the_embedder_itself_is_nobodys_row() -> None:
    def broken() -> Any:
        raise OSError("no weights")

    with pytest.raises(OSError, match="no weights"):
        SplitBatch(SPLITTER, broken, on_failure="keep")(documents(2))
    zeros = lambda texts: np.zeros((len(texts), 3))  # noqa: E731
    with pytest.raises(EmbeddingError, match="64 sample texts"):
        SplitBatch(SPLITTER, lambda: zeros, on_failure="keep")(documents(2))
    with pytest.raises(SettingError, match="return its method encode"):
        SplitBatch(SPLITTER, lambda: type("Model", (), {"encode": len})())(documents(2))
