"""Exports of Slack -> a text and its layout for each channel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.documents.exports import FESTIVAL, root, slack, zipped

from caesura import SettingError
from caesura.text.sentences import units
from caesura_documents.conversations.slack import from_slack

ADA = {"id": "U1", "name": "ada", "real_name": "Ada L", "profile": {"display_name": "ada"}}


def read(*messages: dict[str, Any], **files: Any) -> str:
    """The text of a channel with these messages, without its title and its first day."""
    named = {f"{name}.json": json.dumps(items) for name, items in files.items()}
    records = [{"type": "message", "user": "U1", "ts": f"171023474{n}.000000", **own} for n, own in enumerate(messages)]
    archive = zipped({"users.json": json.dumps([ADA]), "general/2024-03-12.json": json.dumps(records), **named})
    (parsed,) = from_slack(archive)
    return parsed.text.removeprefix("# general\n\n## 2024-03-12\n\n")


def test_threads_stand_together_each_message_with_its_speaker_and_its_time() -> None:
    (parsed,) = from_slack(zipped(slack(FESTIVAL)))
    order = sorted(range(len(FESTIVAL)), key=lambda number: (root(FESTIVAL, number), number))
    assert [(entry["speaker"], entry["time"]) for entry in parsed.layout] == [
        (FESTIVAL[number].who, f"{FESTIVAL[number].iso}Z") for number in order
    ]
    assert set(units(parsed.text).tolist()) == {entry["start"] for entry in parsed.layout} | {len(parsed.text)}
    assert parsed.source == "harbour"
    assert parsed.text.startswith("# harbour\n\n## 2024-05-06\n\n[08:02] Ines Marlow: Good morning all.")
    assert parsed.layout[-1]["headings"] == ["harbour", "2024-07-12"]
    assert "\n\n[09:15] Tomasz Reke: what about the date." in parsed.text
    assert "\n[09:18] Pia ⛵: yes, that kills the parade\n" in parsed.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hi <@U1>, <@U2|bob> and <@U3>", "Hi @Ada L, @bob and @U3"),
        ("<#C1> <#C2|boats> <#C3>", "#general #boats #C3"),
        ("<!here> <!channel> <!subteam^S1|@crew> <!subteam^S2>", "@here @channel @crew @subteam"),
        ("<!date^1710234740^{date}|12 March>", "12 March"),
        (
            "<https://a.b/c|the plan> <https://a.b/c> <https://a.b/|a.b>",
            "the plan (https://a.b/c) https://a.b/c https://a.b/",
        ),
        ("<mailto:a@b.c|a@b.c>", "a@b.c"),
        ("1 &lt; 2 &amp;&amp; *bold* `&lt;x&gt;`", "1 < 2 && *bold* `<x>`"),
        ("Two:\n```a = 1\nb `c` = 2```", "Two:\n  ```\n  a = 1\n  b `c` = 2\n  ```"),
        ("Run ```x &lt; 1``` and ``` ``` now", "Run\n  ```\n  x < 1\n  ```\n  and ``` ``` now"),
        ("```x```", "\n  ```\n  x\n  ```"),
        ("a <b\nc> d", "a <b\n  c> d"),
    ],
)
def test_marks_of_slack_are_read(text: str, shown: str) -> None:
    wanted = f"[09:12] Ada L: {shown}".replace(": \n", ":\n")
    assert read({"text": text}, channels=[{"id": "C1", "name": "general"}]) == wanted


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ({"text": "x", "user": "U9"}, "[09:12] U9: x"),
        ({"text": "x", "user": "U9", "user_profile": {"real_name": "Cy"}}, "[09:12] Cy: x"),
        ({"text": "x", "user": None, "subtype": "bot_message", "username": "CI"}, "[09:12] CI: x"),
        ({"text": "x", "user": None, "bot_id": "B1", "bot_profile": {"name": "Bot"}}, "[09:12] Bot: x"),
        ({"text": "see", "files": [{"name": "a.pdf"}, {"title": "b"}, {}]}, "[09:12] Ada L: see\n  attached: a.pdf, b"),
        ({"text": "", "attachments": [{"title": "Build", "text": "failed"}]}, "[09:12] Ada L: Build\n  failed"),
        ({"text": "", "attachments": [{"fallback": "Build failed"}]}, "[09:12] Ada L: Build failed"),
        ({"text": "", "blocks": [{"type": "section", "text": {"text": "Hi"}}]}, "[09:12] Ada L: Hi"),
        ({"text": "x", "ts": "soon"}, "Ada L: x"),
        ({"text": "x", "ts": None}, "Ada L: x"),
    ],
)
def test_messages_of_all_kinds(message: dict[str, Any], shown: str) -> None:
    assert read(message).removeprefix("# general\n\n") == shown


def test_who_came_and_went_and_what_is_there_twice_is_left_out() -> None:
    join = {"subtype": "channel_join", "text": "<@U1> has joined"}
    same = {"text": "x", "ts": "1710234741.000000"}
    assert read(join, same, same, {"type": "other", "text": "y"}) == "[09:12] Ada L: x"


def test_an_answer_comes_after_its_question_even_in_another_file_or_without_it() -> None:
    late = {
        "type": "message",
        "user": "U1",
        "ts": "1710334741.000000",
        "text": "late",
        "thread_ts": "1710234740.000000",
    }
    lost = {"text": "lost", "thread_ts": "1600000000.000000"}
    text = read({"text": "first"}, {"text": "second"}, lost, **{"general/2024-03-13": [late]})
    assert text == (
        "[09:12] Ada L: first\n[2024-03-13 12:59] Ada L: late\n\n[09:12] Ada L: second\n[09:12] Ada L: lost"
    )


def test_folders_archives_and_conversations_without_a_name(tmp_path: Path) -> None:
    for path, text in slack(FESTIVAL).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    archive = tmp_path / "export.zip"
    archive.write_bytes(zipped(slack(FESTIVAL)))
    folder, packed, bare = from_slack(tmp_path)[0], from_slack(archive)[0], from_slack(tmp_path / "harbour")[0]
    assert folder.text == packed.text
    assert (folder.source, packed.source) == (f"{tmp_path}/harbour", f"{archive}/harbour")
    assert (bare.source, bare.text[:9]) == (str(tmp_path / "harbour"), "# harbour")
    assert "U000: Good morning all." in bare.text
    dms = {"dms.json": json.dumps([{"id": "D1", "members": ["U1", "U2"]}]), "users.json": json.dumps([ADA])}
    day = json.dumps([{"type": "message", "user": "U1", "ts": "1710234740.0", "text": "Hi"}])
    assert from_slack(zipped({**dms, "D1/2024-03-12.json": day}))[0].text.startswith("# Ada L, U2\n")


def test_a_file_of_one_channel(tmp_path: Path) -> None:
    records = [{"type": "message", "user": "U1", "ts": "1710234740.0", "text": "Hi", "user_profile": {"name": "ada"}}]
    file = tmp_path / "boats.json"
    for data in (records, {"ok": True, "messages": records}):
        file.write_text(json.dumps(data), "utf-8")
        (parsed,) = from_slack(file)
        assert parsed.text == "# boats\n\n## 2024-03-12\n\n[09:12] ada: Hi"
        assert parsed.source == str(file)
        (bare,) = from_slack(json.dumps(data, indent=1))
        assert bare.text == "## 2024-03-12\n\n[09:12] ada: Hi"
        assert bare.source is None


def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    files = slack(FESTIVAL)
    first = next(path for path in files if path.endswith("05-06.json"))
    (parsed,) = from_slack(zipped({**files, first: files[first][:1500]}))
    assert len(FESTIVAL) - 40 < len(parsed.layout) < len(FESTIVAL)
    for broken in ("", "[", "{}", "[1, null]", "[" * 100_000, "null", '[{"ts": 3, "text": ["x"], "user": {}}]'):
        assert len(from_slack(zipped({**files, first: broken}))[0].layout) > 100


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    for wrong in (
        b"",
        b"x",
        zipped({"a.json": "[]"}),
        tmp_path,
        tmp_path / "no.zip",
        [],
        None,
        "no.zip",
        "\0",
        "x" * 9999,
    ):
        with pytest.raises(SettingError, match="export must be what Slack exported"):
            from_slack(wrong)  # type: ignore[arg-type]


def test_json_may_be_one_line() -> None:
    for given in (
        '[{"ts": "1710234740.1", "text": "Hello"}]',
        ' {"messages": [{"ts": "1710234740.1", "text": "Hello"}]}',
    ):
        assert from_slack(given)[0].text == "## 2024-03-12\n\n[09:12] Hello"


def test_a_folder_with_a_file_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "2024-03-12.json").write_text('[{"ts": "1710234740.1", "text": "Hello"}]')
    (tmp_path / "2024-03-13.json").mkdir()
    assert len(from_slack(tmp_path)) == 1
    monkeypatch.setattr(
        Path, "read_bytes", lambda self: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
    )
    with pytest.raises(SettingError, match="is no file that can be read: Permission denied"):
        from_slack(tmp_path)
