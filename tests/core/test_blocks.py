"""Entries of a log, closing tags and fences: what belongs to what."""

from __future__ import annotations

from itertools import pairwise

import pytest

from caesura.text.sentences import sentences


def units(text: str) -> list[str]:
    return [text[a:b] for a, b in pairwise(sentences(text).tolist())]


def test_an_entry_of_a_log_is_no_sentence_of_the_entry_before_it() -> None:
    entries = [
        "2024-05-12 08:10:44,371 ERROR [http-7] Orders - Could not place order 12: timeout\n\tat Gateway.charge(88)\n",
        "Caused by: java.io.IOException: reset\n\t... 12 more\n",
        "2024-05-12T08:10:45Z INFO Order 12 placed\n",
        "2024-05-12T08:10:46Z INFO Report sent",
    ]
    assert units("".join(entries)) == entries


def test_closing_tags_belong_to_what_precedes_them() -> None:
    text = "<div>\n<p>It rang.</p>\n</div>\n<p>It stopped.</p>\n</body>\n"
    assert units(text) == ["<div>\n<p>It rang.</p>\n</div>\n", "<p>It stopped.</p>\n</body>\n"]


@pytest.mark.parametrize("mark", ["````", "~~~~~"])
def test_a_fence_is_closed_by_one_of_its_own_length(mark: str) -> None:
    fence = f"{mark}md\n{mark[:3]}\nIt rang. It stopped.\n{mark[:3]}\n{mark}\n"
    assert units(fence + "Nobody came.") == [fence, "Nobody came."]
