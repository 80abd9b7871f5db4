"""Topics become texts of a size that know all their places; what libraries say of replies is read by its name."""

from __future__ import annotations

import itertools
from enum import Enum
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import SettingError
from caesura.types import Span
from caesura_llm.clients import stop_reason, token_usage
from caesura_llm.conversation import Failure
from caesura_llm.grouping import Topic, topic_sections
from caesura_llm.propositions import Proposition
from caesura_llm.report import Prices, Report
from caesura_llm.spans import as_text, from_text, hull, union


def proposition(text: str, start: int, kept: bool = False) -> Proposition:
    return Proposition(text, (1,), (Span(start, start + len(text)),), 0, "d", kept)


HELD = [proposition(text, 20 * k, k == 2) for k, text in enumerate(["Tea is hot.", "Ice is cold.", "Tea is old.", ""])]


def test_a_topic_is_one_text_with_all_its_places() -> None:
    (found,) = topic_sections(Topic("Tea", "", (0, 2)), HELD, len, None)
    assert (found.text, found.spans, found.is_fallback) == (
        "Tea is hot. Tea is old.",
        (Span(0, 11), Span(40, 51)),
        True,
    )


def test_a_topic_that_is_too_large_is_several_texts() -> None:
    found = topic_sections(Topic("Tea", "", (0, 1, 2)), HELD, len, 24)
    assert [(one.text, one.is_fallback) for one in found] == [
        ("Tea is hot. Ice is cold.", False),
        ("Tea is old.", True),
    ]


def test_a_proposition_over_the_limit_is_cut_and_keeps_its_place() -> None:
    long = proposition("word " * 20, 0)
    found = topic_sections(Topic("T", "", (0, 1)), [long, HELD[0]], len, 30)
    assert " ".join(one.text for one in found[:-1]) == ("word " * 20).strip()
    assert all(len(one.text) <= 30 for one in found)
    assert [one.spans for one in found] == [long.spans] * (len(found) - 1) + [HELD[0].spans]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), min_size=1))
def test_a_union_covers_the_same_and_its_parts_are_apart(drawn: list[tuple[int, int]]) -> None:
    held = [Span(start, start + length) for start, length in drawn]
    found = union(held)
    assert {at for span in found for at in range(*span)} == {at for span in held for at in range(*span)}
    assert all(one.end < following.start for one, following in itertools.pairwise(found))
    assert hull(held) == Span(found[0].start, found[-1].end)
    assert from_text(as_text(found)) == found


@pytest.mark.parametrize("text", ["1", "1-2,3-4", "1-2  3-4", "a-b", None, 3])
def test_another_string_is_no_spans(text: object) -> None:
    with pytest.raises(SettingError, match="0-6 8-9"):
        from_text(text)  # type: ignore[arg-type]


def test_why_a_reply_ends_is_read_from_any_librarys_word_or_enum() -> None:
    class Finish(Enum):
        MAX_TOKENS = 2
        SAFETY = 3

    assert [stop_reason(one) for one in (Finish.MAX_TOKENS, Finish.SAFETY)] == ["length", "refused"]
    assert [stop_reason(one) for one in ("length", "refusal", "tool_use", None)] == [
        "length",
        "refused",
        "stop",
        "stop",
    ]


def test_what_was_paid_is_read_from_any_librarys_account() -> None:
    assert token_usage(SimpleNamespace(input_tokens=5, output_tokens=0)) == (5, 0, 0)
    assert token_usage({"prompt_eval_count": 5, "eval_count": None}) == (5, 0, 0)
    counts = {"prompt_tokens": 50, "completion_tokens": 2}
    assert token_usage({**counts, "prompt_tokens_details": {"cached_tokens": 40}}) == (50, 2, 40)
    assert token_usage({**counts, "prompt_tokens_details": None}) == (50, 2, 0)
    counts = {"input_tokens": 50, "output_tokens": 2}
    assert token_usage({**counts, "input_tokens_details": {"cached_tokens": 40}}) == (50, 2, 40)
    assert token_usage({**counts, "input_token_details": {"cache_read": 40, "cache_creation": 5}}) == (50, 2, 40)
    written = SimpleNamespace(
        input_tokens=5, output_tokens=2, cache_read_input_tokens=40, cache_creation_input_tokens=5
    )
    assert token_usage(written) == (50, 2, 40)
    assert token_usage({"inputTokens": 5, "outputTokens": 2, "cacheReadInputTokens": 45}) == (50, 2, 45)
    assert token_usage({"prompt_tokens": 0, "completion_tokens": 0}) is None
    assert token_usage(None) is None


def test_a_report_includes_another() -> None:
    first = Report(Prices(1, 2), items=2, calls=3, input_tokens=10, failures=[Failure(0, "a", "no")])
    second = Report(items=1, calls=4, output_tokens=7, failures=[Failure(0, "b", "no")])
    first.dropped["empty"] = second.dropped["empty"] = 1
    first.include(second)
    assert (first.items, first.calls, first.input_tokens, first.output_tokens) == (3, 7, 10, 7)
    assert first.cost == (10 + 14) / 1e6
    assert first.dropped == {"empty": 2}
    assert [one.document_id for one in first.failures] == ["a", "b"]
