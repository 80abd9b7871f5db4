"""A reply is read where it can be read without guessing; else the error quotes the fault. In linear time."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from fakes.servers.openai_model import MALFORMED
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import ReplyError
from caesura_llm.replies import items, whole_number

VALUE = {"facts": [{"text": "Tea is hot.", "n": [1, 2]}, {"text": "It's 5 °C, \\ or so.", "n": []}]}
PLAIN = json.dumps(VALUE)


def read(text: str) -> list[dict[str, object]]:
    return items(text, "facts", ("text", "n")).items


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        json.dumps(PLAIN),
        json.dumps(VALUE["facts"]),
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}",
        f"~~~ json\n{PLAIN}\n~~~",
        f"Here are the [2] facts {{as asked}}:\n\n{PLAIN}\n\nAnything else?",
        f"<think>They want [1] and {{'facts': []}}.</think>{PLAIN}",
        json.dumps({"result": {"data": VALUE}}),
        json.dumps([VALUE]),
        PLAIN.replace("}]", "},]").replace("]}", "],}"),
        PLAIN.replace("}, {", "}\n{"),
        PLAIN.replace('"text"', "text").replace('"n"', "n"),
        "\n".join(json.dumps(one) for one in VALUE["facts"]),
        repr(VALUE),
        repr(VALUE).replace("\"It's", "'It's").replace('so."', "so.'"),
        PLAIN.replace("\\u00b0", "°") + "\n```",
    ],
)
def test_what_says_it_in_another_form_says_the_same(text: str) -> None:
    assert read(text) == VALUE["facts"]


def test_names_of_python_are_values() -> None:
    assert read("[{'text': None, 'n': True}, {'text': False, 'n': -1.5e3}]") == [
        {"text": None, "n": True},
        {"text": False, "n": -1500.0},
    ]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ('he said "no" to it', None),
        ('he said "no", and "yes"', None),
        ('"all" of it is "quoted"', None),
        ('use "{"a": 1}" here', None),
        ("a line\nand a tab\t", None),
        (r"LaTeX \alpha \(x\)", r"LaTeX \alpha \(x\)"),
        (r"caf\u00e9 \ud83d\ude00 \/ \"q\"", 'café 😀 / "q"'),
    ],
)
def test_a_string_that_is_not_escaped_is_read_where_its_end_is_clear(inside: str, text: str | None) -> None:
    assert read(f'{{"facts": [{{"text": "{inside}", "n": [1]}},]}}') == [{"text": text or inside, "n": [1]}]


def test_sentences_that_are_said_again_before_it_are_not_taken_for_it() -> None:
    again = "".join(f"[{number}] Fact {number}.\n" for number in range(1, 40))
    assert read(f"Passage 1:\n{again}\n{PLAIN}") == VALUE["facts"]


def test_a_text_may_speak_of_thoughts() -> None:
    assert read('{"facts": [{"text": "It ends with </think>.", "n": []}]}') == [
        {"text": "It ends with </think>.", "n": []}
    ]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", "the reply is empty"),
        ("I cannot help with that.", "I cannot help"),
        ('{"facts": [{"text": "a 5" pipe", "n": [1]}]}', "quotation mark inside a string is not escaped"),
        ('{"facts": [{"text": "the "red", "blue": both", "n": 1}]}', "not escaped"),
        ('{"facts": [{"text": ["Is it "so", "no" then?"]}]}', "not escaped"),
        ('{"facts": [{"text": 1,, "n": 2}]}', "a name must stand here"),
        ('{"facts": [{"text": nothing}]}', "a value must stand here"),
        ('{"facts": [{"text" 1}]}', "a colon must stand here"),
        ('{"facts": "none"}', "must hold a list 'facts'"),
        ('{"others": [], "more": []}', "must hold a list 'facts'"),
        ("[1, 2]", "must hold a list 'facts'"),
        ("7", "must hold a list 'facts'"),
        ("[" * 100, "nested too deep"),
        ('{"facts":', "ends too early"),
    ],
)
def test_what_could_be_read_in_two_ways_is_an_error_that_quotes_it(text: str, quoted: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read(text)
    assert quoted in str(caught.value)


@pytest.mark.parametrize("at", range(len(PLAIN)))
def test_cut_at_any_character_what_is_complete_was_said_and_the_rest_is_marked(at: int) -> None:
    try:
        found = items(PLAIN[:at], "facts", ("text", "n"))
    except ReplyError:
        assert at <= PLAIN.index("[")
        return
    complete = [one for one in found.items if found.complete(one)]
    assert found.cut
    assert complete == VALUE["facts"][: len(complete)]
    assert len(complete) == sum(PLAIN.index(end) < at for end in ("}, {", "}]}"))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
FACTS = st.lists(st.fixed_dictionaries({"text": TEXTS, "n": st.lists(st.integers(0, 99), max_size=3)}), max_size=4)


@given(FACTS, st.sampled_from(["fenced", "wrapped", "single quotes"]), st.booleans())
def test_any_facts_in_a_form_that_is_clear_are_read(facts: list[dict[str, object]], form: str, plain: bool) -> None:
    text = MALFORMED[form](json.dumps({"facts": facts}, ensure_ascii=plain))
    try:
        assert read(text) == facts
    except ReplyError:
        assert form == "single quotes"  # Python escapes in ways of its own: refused, not guessed


@given(FACTS, st.integers(0, 400))
def test_a_cut_reply_never_says_what_the_whole_did_not(facts: list[dict[str, object]], at: int) -> None:
    whole = json.dumps({"facts": facts})
    try:
        found = items(whole[:at], "facts", ("text", "n"))
    except ReplyError:
        return
    complete = [one for one in found.items if found.complete(one)]
    assert complete == facts[: len(complete)]


@given(st.text(st.sampled_from("{}[]\":,'\\ntrue1. \n`-"), max_size=60))
def test_any_text_is_read_or_refused_with_our_error(text: str) -> None:
    try:
        found = items(text, "facts", ("text",))
    except ReplyError:
        return
    assert all(isinstance(one, dict) for one in found.items)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "{" * 200_000,
        '{"a":' * 100_000,
        '[{"text": "' + '"' * 200_000,
        '[{"text": "' + '" ' * 200_000,
        '[{"text": "' + '",\n' * 200_000,
        '[{"text": "' + '", "a' * 100_000,
        '[{"text": "' + "\\" * 200_000,
        '[{"text": "' + '"' + " " * 200_000 + "x" + '"' + " " * 200_000,
        "[{'text': '" + "'a" * 200_000,
        "```" * 100_000,
        "```json\n" * 50_000 + "[",
        "[{}" + "," * 200_000,
        "[" + "{}" * 100_000,
        "{" + "a" * 200_000,
        "1" * 200_000,
    ],
    ids=lambda text: text[:14],
)
def test_a_hostile_reply_takes_linear_time(text: str) -> None:
    """A quadratic reader would need hours for these."""
    with suppress(ReplyError):
        items(text, "facts", ("text",))


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, 3), ("3", 3), (" 12 ", 12), (True, None), ("³", None), (1.0, None), (None, None), ("1-2", None)],
)
def test_a_whole_number_may_be_written_as_a_string(value: object, number: int | None) -> None:
    assert whole_number(value) == number
