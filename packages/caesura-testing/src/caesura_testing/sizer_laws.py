"""Laws of a sizer, str -> int."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral

from caesura.types import Sizer
from caesura_testing.laws import answering, broken_law, copy_of, shorten, shorten_text
from caesura_testing.texts import odd_texts

PARAGRAPH = "The ferry leaves at nine. It takes forty minutes, or an hour against the tide.\n\n"
DOUBLINGS = 11
"""To 2,048 paragraphs, 164,000 characters: more than any model reads at once, so that one that truncates is found."""


def counts(size: Sizer, texts: Sequence[str]) -> None:
    """Any text has a size: a whole number, 0 or more."""
    for text in texts:
        found = _size(size, text)
        if isinstance(found, bool) or not isinstance(found, Integral) or found < 0:
            raise broken_law(
                "a sizer returns a whole number of at least 0",
                shorten_text(text),
                repr(found),
                "return an int: wrap a tokenizer's encode in caesura.tokens(encode), which counts what it returns",
            )


def counts_again(size: Sizer, texts: Sequence[str]) -> None:
    """The same text has the same size, in whatever order texts come."""
    first = [_size(size, text) for text in texts]
    for text, before in zip(reversed(texts), reversed(first), strict=True):
        after = _size(size, text)
        if after != before:
            raise broken_law(
                "a sizer returns the same size for the same text",
                shorten_text(text),
                f"{shorten(before)}, then {shorten(after)}",
                "keep nothing between calls",
            )


def grows(size: Sizer, texts: Sequence[str]) -> None:
    """Prose twice as long measures more: the sizer neither truncates nor counts something else, whatever `texts`."""
    before = _size(size, PARAGRAPH)
    for doubling in range(1, DOUBLINGS + 1):
        text = PARAGRAPH * 2**doubling
        after = _size(size, text)
        if after <= before:
            raise broken_law(
                "prose twice as long measures more",
                shorten_text(text),
                f"{before} for {len(text) // 2} code points, {after} for {len(text)}",
                "switch truncation off; what a call of a Hugging Face tokenizer returns is as long as it has fields: "
                "count tokenizer.encode(text), as caesura.tokens(tokenizer.encode) does",
            )
        before = after


LAWS: tuple[Callable[[Sizer, Sequence[str]], None], ...] = (counts, counts_again, grows)


def check_sizer(
    size: Sizer, texts: Sequence[str] | None = None, *, max_size: int | None = None, pickled: bool = True
) -> None:
    """A sizer -> nothing, or an AssertionError. texts: those to try, by default `odd_texts()`.

    max_size: the limit that it is meant for; no single code point may measure more, for none can be cut. Sizes need not
    add up, and a longer text may measure less. pickled: whether it must also survive pickling.
    """
    given = odd_texts() if texts is None else texts
    for law in LAWS:
        law(size, given)
    if max_size is not None:
        fits_refined(size, given, max_size)
    if pickled:
        copy_of(size, "sizer", lambda part: [part(text) for text in given[:40]])


def fits_refined(size: Sizer, texts: Sequence[str], max_size: int) -> None:
    """No code point of any text measures over `max_size`."""
    for character in sorted(set().union(*texts)):
        found = _size(size, character)
        if found > max_size:
            raise broken_law(
                f"a single code point measures at most max_size={max_size}, for it cannot be cut",
                shorten_text(character),
                found,
                "raise max_size: 16 is enough for today's tokenizers; leave out what the tokenizer adds to each text",
            )


def _size(size: Sizer, text: str) -> int:
    remedy = (
        "a text may be empty, blank, or hold any code point, lone surrogates included: caesura.tokens(encode) counts "
        "those as U+FFFD; or caesura.sizers.without_surrogates(text)"
    )
    with answering("a sizer takes any text", shorten_text(text), remedy):
        return size(text)
