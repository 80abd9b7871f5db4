"""Exports of WhatsApp -> one text and its layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

import pytest
from fakes.documents.exports import FESTIVAL, WHATSAPP_FORMS, Said, whatsapp, zipped
from fakes.growth import assert_time_grows

from caesura import SettingError
from caesura.text.sentences import units
from caesura_documents.conversations.whatsapp import from_whatsapp

CHAT = "12/03/2024, 09:12 - Mara: Is the ice here?\n12/03/2024, 09:13 - Jonas: No.\n"


@pytest.mark.parametrize("export", WHATSAPP_FORMS.values(), ids=WHATSAPP_FORMS.keys())
def test_each_message_is_one_unit_with_its_speaker_and_its_time(export: Callable[[Sequence[Said]], str]) -> None:
    parsed = from_whatsapp(export(FESTIVAL))
    spoken = [entry for entry in parsed.layout if "speaker" in entry]
    assert [(entry["speaker"], entry["time"][:16]) for entry in spoken] == [
        (said.who, said.iso[:16]) for said in FESTIVAL
    ]
    assert set(units(parsed.text).tolist()) == {entry["start"] for entry in parsed.layout} | {len(parsed.text)}
    assert parsed.text.startswith("## 2024-05-06\n\n[08:02] Messages and calls are end-to-end encrypted.\n[08:02] Ines")
    assert "omitted" not in parsed.text
    assert "[18:12] Tomasz Reke: budget so far:\n  - stage and sound 1,850\n  - toilets" in parsed.text
    assert not {"\u200e", "\u202f"} & {*parsed.text}


@pytest.mark.parametrize(
    ("line", "time", "speaker", "shown"),
    [
        ("12.03.24, 09:12 - Ada: Hi", "2024-03-12T09:12:00", "Ada", "[09:12] Ada: Hi"),
        ("12.3.2024 um 9:12 - Ada: Hi", "2024-03-12T09:12:00", "Ada", "[09:12] Ada: Hi"),
        ("12/3/24 9:12 p.\u00a0m. - Ada: Hi", "2024-03-12T21:12:00", "Ada", "[21:12] Ada: Hi"),
        ("3/12/24, 12:12\u202fAM - Ada: Hi", "2024-03-12T00:12:00", "Ada", "[00:12] Ada: Hi"),
        ("2024/3/12 下午9:12 - 张三: 你好", "2024-03-12T21:12:00", "张三", "[21:12] 张三: 你好"),
        ("[2024-03-12, 09:12:40] Ada: Hi", "2024-03-12T09:12:40", "Ada", "[09:12] Ada: Hi"),
        ("[12.03.24, 09.12.40] Ada: Hi", "2024-03-12T09:12:40", "Ada", "[09:12] Ada: Hi"),
        (
            "\u200e[12.03.24, 09:12:40] \u202a+49 170 1\u202c: שלום",
            "2024-03-12T09:12:40",
            "+49 170 1",
            "[09:12] +49 170 1: שלום",
        ),
        ("12.03.24, 09:12 - Ada 🦊: a: b", "2024-03-12T09:12:00", "Ada 🦊", "[09:12] Ada 🦊: a: b"),
        ("12.03.24, 09:12 - Ada: http://a.b/c", "2024-03-12T09:12:00", "Ada", "[09:12] Ada: http://a.b/c"),
        ("12.03.24, 09:12 - Ada: So. <This message was edited>", "2024-03-12T09:12:00", "Ada", "[09:12] Ada: So."),
        ("12.03.24, 09:12 - Ada: So.\u200e<Bearbeitet>", "2024-03-12T09:12:00", "Ada", "[09:12] Ada: So."),
        (
            "12.03.24, 09:12 - Ada: \u200e<attached: 1-A.jpg>",
            "2024-03-12T09:12:00",
            "Ada",
            "[09:12] Ada: <attached: 1-A.jpg>",
        ),
        ('12.03.24, 09:12 - Ada created group "B: 2"', "2024-03-12T09:12:00", None, '[09:12] Ada created group "B: 2"'),
        ("12.03.24, 09:12 - Ada added Bob", "2024-03-12T09:12:00", None, "[09:12] Ada added Bob"),
        (
            "12.03.24, 09:12 - Ada: \u200eAda added Bob and then Cy",
            "2024-03-12T09:12:00",
            None,
            "[09:12] Ada added Bob and then Cy",
        ),
        ("32.13.24, 09:12 - Ada: Hi", None, "Ada", "Ada: Hi"),
    ],
)
def test_messages_as_phones_write_them(line: str, time: str | None, speaker: str | None, shown: str) -> None:
    parsed = from_whatsapp(f"{line}\n")
    (entry,) = parsed.layout
    assert (entry.get("time"), entry.get("speaker")) == (time, speaker)
    assert parsed.text.removeprefix("## 2024-03-12\n\n") == shown


@pytest.mark.parametrize(
    "said", ["<Media omitted>", "<Medien ausgeschlossen>", "\u200eimage omitted", "\u200eBild weggelassen"]
)
def test_placeholders_are_left_out(said: str) -> None:
    assert from_whatsapp(f"12.03.24, 09:12 - Ada: {said}\n12.03.24, 09:13 - Ada: Hi").text.endswith(
        "12\n\n[09:13] Ada: Hi"
    )


def test_a_name_with_a_colon_is_known_by_all_its_messages() -> None:
    chat = "".join(f"12.03.24, 09:1{n} - Ada: Boats: hi {n}\n" for n in range(4))
    assert {entry["speaker"] for entry in from_whatsapp(chat).layout} == {"Ada: Boats"}
    assert {entry["speaker"] for entry in from_whatsapp(f"{chat}12.03.24, 09:20 - Ada: hi").layout} == {"Ada"}


def test_the_order_of_day_and_month_is_what_the_dates_tell() -> None:
    def first(*dates: str, half: str = "", **options: bool) -> str:
        chat = "".join(f"{date}, 9:12{half} - Ada: Hi\n" for date in dates)
        return str(from_whatsapp(chat, **options).layout[0]["time"][:10])

    assert first("05/06/24", "13/06/24") == "2024-06-05"
    assert first("05/06/24", "06/13/24") == "2024-05-06"
    assert first("05/06/24", "05/07/24", "05/08/24", "06/01/24") == "2024-05-06"
    assert first("05/06/24", "06/06/24", "01/07/24") == "2024-06-05"
    assert first("05/06/24") == first("05/06/24", half=" pm") == "2024-06-05"
    assert first("05/06/24", half="\u202fPM") == "2024-05-06"
    assert first("05/06/24", day_first=False) == "2024-05-06"
    assert first("05/06/24", half=" PM", day_first=True) == "2024-06-05"


def test_a_file_gives_its_name(tmp_path: Path) -> None:
    file = tmp_path / "WhatsApp Chat with Mara.txt"
    file.write_text(CHAT, "utf-8")
    parsed = from_whatsapp(file)
    assert parsed.source == str(file)
    assert parsed.text.startswith(
        "# WhatsApp Chat with Mara\n\n## 2024-03-12\n\n[09:12] Mara: Is the ice here?\n[09:13]"
    )
    assert parsed.layout[1]["headings"] == ["WhatsApp Chat with Mara", "2024-03-12"]
    archive = tmp_path / "Boats.zip"
    archive.write_bytes(zipped({"a.txt": "x", "_chat.txt": CHAT}))
    assert from_whatsapp(archive).text.startswith("# Boats\n\n## 2024-03-12\n\n[09:12] Mara")
    assert (
        from_whatsapp(CHAT.encode("utf-16")).text
        == from_whatsapp(CHAT.replace("\n", "\r\n")).text
        == from_whatsapp(CHAT).text
    )


def test_what_is_no_chat_is_refused(tmp_path: Path) -> None:
    for wrong in ("", "Hello.", "Hello.\n", "x" * 9999, "\0", b"PK\x03\x04x", zipped({}), 7, tmp_path / "no.txt", None):
        with pytest.raises(SettingError, match="export"):
            from_whatsapp(wrong)  # type: ignore[arg-type]


def test_a_chat_that_is_cut_off_or_damaged_is_read_as_far_as_it_goes() -> None:
    whole = whatsapp(FESTIVAL).encode()
    for end in range(2000, 2050):
        parsed = from_whatsapp(whole[:end])
        assert len(parsed.layout) > 9
    assert from_whatsapp(b"\x00\xff" + whole).layout


@pytest.mark.parametrize(
    "line",
    [
        CHAT,
        "12/03/2024, 09:12 - x: y: z\n",
        "[[[12/03/2024 ",
        "1.1.1, 1:11 - " + "a" * 50,
        "\u200e" * 60,
        " " * 99,
        "1.1.1, 1:11 - " + " " * 99 + ">",
    ],
)
def test_it_takes_time_in_proportion(line: str) -> None:
    def seconds(size: int) -> float:
        start = process_time()
        from_whatsapp(CHAT + line * (size // len(line)))
        return process_time() - start

    assert_time_grows(seconds, 50_000, 200_000, 12, 0.02)


@pytest.mark.parametrize(
    ("opening", "hour"),
    [
        ("2024. 3. 12. 오전 9:12 - ", "09"),
        ("[2024. 3. 12. 오후 9:12:00] ", "21"),
        ("2024년 3월 12일 오후 9:12 - ", "21"),
        ("2024年3月12日 午前9:12 - ", "09"),
        ("2024/3/12 上午9:12 - ", "09"),
        ("2024/3/12 晚上9:12 - ", "21"),
        ("12\u200f/3\u200f/2024، 9:12 م - ", "21"),
        ("12/3/2024، 9:12 ص - ", "09"),
        ("12/3/24 9:12 p. m. - ", "21"),
        ("12/03/24 a las 9:12 - ", "09"),
        ("12/3/2567 09:12 - ", "09"),
        ("१२/०३/२०२४, ०९:१२ - ", "09"),
    ],
)
def test_dates_of_many_languages(opening: str, hour: str) -> None:
    (entry,) = from_whatsapp(f"{opening}Mara: Hi\n", day_first=True).layout
    assert (entry["speaker"], entry["time"]) == ("Mara", f"2024-03-12T{hour}:12:00")


def test_an_export_of_ios_may_have_lost_its_marks() -> None:
    notice = "Messages and calls are end-to-end encrypted."
    lines = [
        f"Boats: {notice}",
        "Ada: image omitted",
        "Ada: Bild weggelassen",
        "Ada: The image omitted Bob",
        "Bob: So?",
    ]
    text = "".join(f"[12.03.24, 09:12:33] {line}\n" for line in lines)
    parsed = from_whatsapp(text)
    assert [entry.get("speaker") for entry in parsed.layout] == [None, "Ada", "Bob"]
    assert parsed.text.endswith(f"[09:12] {notice}\n[09:12] Ada: The image omitted Bob\n[09:12] Bob: So?")
    marked = from_whatsapp(text.replace("So?", "So?\u200e"))
    assert len(marked.layout) == len(lines)
