"""What a mail says itself, without quotations of mails above it, and without its signature."""

from __future__ import annotations

import pytest

from caesura_documents.conversations.mail_quotes import Quotable, own_words

SAID = (
    "The tide is high at noon.\nWe sail at two, from the lock.\n\n"
    + "The wind is from the north, and the sea is calm. " * 9
)
FIRST = Quotable.of(SAID, "Ada Low", "ada@b.org")


def quoted(text: str, mark: str = "> ") -> str:
    return "\n".join(f"{mark}{line}" for line in text.strip().split("\n"))


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Fine.\n-- \nBob\n+49", "Fine."),
        ("Fine.\n--\nBob", "Fine."),
        ("Fine.\n---\nBob", "Fine.\n---\nBob"),
        (f"{quoted(SAID)}\n\nFine.", "Fine."),
        (f"Fine.\n\n{quoted(SAID)}", "Fine."),
        (f"Ada Low wrote:\n\n{quoted(SAID)}\n\nFine.", "Fine."),
        (f"Fine.\n\nLe mardi, ada@b.org a écrit :\n{quoted(SAID)}", "Fine."),
        (f"Fine.\n\n{quoted(SAID, '> > ')}", "Fine."),
        (f"Fine.\n\n{quoted(SAID, '>')}", "Fine."),
        (f"{quoted(SAID)}\n>\n> It is new.\n\nFine.", "> It is new.\n\nFine."),
        ("> We sail at two.\n\nFrom where?", "> We sail at two.\n\nFrom where?"),
        ("> The tide is low at noon.\n\nNo.", "> The tide is low at noon.\n\nNo."),
        ("Bob wrote:\n> We sail at two.", "Bob wrote:"),
        ("> [...]\n\nFine.", "> [...]\n\nFine."),
        ("", ""),
    ],
)
def test_own_words(text: str, own: str) -> None:
    assert own_words(text, [FIRST]) == own
    assert own_words(own_words(text, [FIRST]), [FIRST]) == own


def test_without_mails_above_only_the_signature_goes() -> None:
    assert own_words(f"Fine.\n{quoted(SAID)}\n-- \nBob") == f"Fine.\n{quoted(SAID)}"


def test_words_are_known_whatever_the_line_ends_and_marks_are() -> None:
    assert FIRST.has(["we", "sail", "at", "two", "from", "the", "lock", "the", "wind"])
    assert FIRST.has(["noon"])
    assert not FIRST.has(["we", "sail", "at", "three", "from"])
