"""Summaries, hypothetical questions, and descriptions of tables, code and images: texts to find chunks by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Unpack

from caesura.checks import check_int
from caesura.edges import spans
from caesura.errors import SettingError
from caesura.text.blocks import blocks
from caesura.text.sentences import sentences
from caesura_llm.conversation import Failure, Reply
from caesura_llm.passages import Passage
from caesura_llm.prompts import PASSAGES_OF_TEXTS, QUESTIONS, SUMMARY, Prompt, check_prompt
from caesura_llm.repair_ladder import PassageSettings, PerPassage, Reading
from caesura_llm.replies import is_dots, read_answers

NOT_PROSE = frozenset(["code", "table", "formula"])


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """Texts to find a chunk by.

    chunk: its index. document_id: of its document. texts: what finds it. is_fallback: they are the chunk's own, in
    place of what failed. failure: why that failed.
    """

    chunk: int
    document_id: str
    texts: tuple[str, ...]
    is_fallback: bool = False
    failure: Failure | None = None


class Representations(PerPassage[ChunkResult]):
    """Chunks -> one `ChunkResult` each, in order: a `Conversation`.

    chunks: as passages. prompt: what the model is told; `SUMMARY`, `DESCRIPTION` and `IMAGE` are ours, and `questions`
    has its own. optional: whether a chunk may have none. count: how many texts a chunk gets, at most.
    keep_sentences: what takes the place of a failed chunk's texts: its sentences, or its own text.

    Each result has 1 to `count` texts, all different. It has none if the chunk is blank and has no images, or if the
    reply may say so (`optional`) and does, by an empty list.

    It drops parts of replies that cannot be used, and counts them in ``tally.dropped``. "empty" are texts without
    words. "duplicate" are texts that say the same as another of their chunk. "surplus" are texts beyond `count`. If a
    chunk has no text left, the model is asked again.

    Raises `SettingError` for a setting that cannot be used.
    """

    schema = PASSAGES_OF_TEXTS

    def __init__(
        self,
        chunks: Iterable[Passage],
        *,
        prompt: Prompt = SUMMARY,
        count: int = 1,
        optional: bool = False,
        keep_sentences: bool = False,
        budget: int = 3000,
        **settings: Unpack[PassageSettings],
    ) -> None:
        check_int("count", count, 1)
        self._count, self._optional, self._keep_sentences = count, optional, keep_sentences
        super().__init__(chunks, prompt=prompt, budget=budget, **settings)

    def _asks(self, passage: Passage) -> bool:
        return bool(passage.images) or super()._asks(passage)

    def _read(self, asked: list[tuple[int, Passage]], reply: Reply) -> Reading[ChunkResult]:
        answers = read_answers(reply.text, "texts", len(asked))
        reading: Reading[ChunkResult] = Reading(cut=answers.is_cut)
        for place, answer in answers.by_place.items():
            number, passage = asked[place - 1]
            if not answer.is_whole:
                continue
            texts = self._texts([text for one in answer.values for text in (one if isinstance(one, list) else [one])])
            if texts or (self._optional and all(one == [] for one in answer.values)):
                reading.answers[number] = ChunkResult(number, passage.document_id, texts)
            else:
                reading.fault = f"passage {place} must have a list of texts, got {answer.values[0]!r:.60}"
        return reading

    def _texts(self, values: list[Any]) -> tuple[str, ...]:
        texts = [one.strip() for one in values if isinstance(one, str) and one.strip() and not is_dots(one.strip())]
        different = list({" ".join(one.casefold().split()): one for one in reversed(texts)}.values())[::-1]
        first = different[: self._count]
        dropped = self.tally.dropped
        dropped["empty"] += len(values) - len(texts)
        dropped["duplicate"] += len(texts) - len(different)
        dropped["surplus"] += len(different) - len(first)
        return tuple(first)

    def _nothing(self, number: int, passage: Passage) -> ChunkResult:
        return ChunkResult(number, passage.document_id, ())

    def _fallback(self, number: int, passage: Passage, failure: Failure) -> ChunkResult:
        text = passage.text
        pieces = [text[a:b] for a, b in spans(sentences(text))] if self._keep_sentences else [text]
        own = tuple(dict.fromkeys(piece.strip() for piece in pieces if piece.strip()))
        return ChunkResult(number, passage.document_id, own, True, failure)


def questions(chunks: Iterable[Passage], n: int = 3, prompt: Prompt = QUESTIONS, **settings: Any) -> Representations:
    """Chunks -> up to n questions that each answers; a reply may say that there are none. The prompt says ``{n}``.

    A failed chunk keeps its sentences. Raises `SettingError` for a setting that cannot be used, or a prompt without
    ``{n}``.
    """
    check_int("n", n, 1)
    check_prompt("prompt", prompt)
    if "{n}" not in prompt.text:
        raise SettingError(f"a prompt for questions must say {{n}} where their number goes, got {prompt.text!r:.80}")
    counted = replace(prompt, text=prompt.text.replace("{n}", str(n)))
    settings = {"count": n, "optional": True, "keep_sentences": True, **settings}
    return Representations(chunks, prompt=counted, **settings)


def needs_description(text: str) -> bool:
    """Returns whether a chunk holds a table, code or a formula, which search finds by a description of it."""
    return any(kind in NOT_PROSE for _, _, kind in blocks(text, False))
