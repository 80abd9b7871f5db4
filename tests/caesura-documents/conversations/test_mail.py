"""Mailboxes and mails -> a text and its layout for each thread."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from time import process_time

import pytest
from fakes.documents.exports import FESTIVAL, mailbox, root
from fakes.growth import assert_time_grows

from caesura import SettingError
from caesura.text.sentences import units
from caesura_documents.conversations.mail import from_mail

BOX = mailbox(FESTIVAL)


def mail(body: str, **fields: str) -> str:
    """A mail. fields: with "_" for "-"."""
    named = {"From": "Ada <a@b.org>", "Subject": "Tide", "Date": "Tue, 12 Mar 2024 09:12:00 +0100", **fields}
    return "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in named.items() if value) + f"\n{body}\n"


def box(*mails: str) -> str:
    """Mails -> a mailbox."""
    return "".join(f"From x Mon Jan  1 00:00:00 2024\n{each}\n" for each in mails)


def shown(text: str) -> str:
    """The text of what is one mail, without its title and its opening."""
    (parsed,) = from_mail(text)
    return parsed.text.removeprefix("# Tide\n\n").removeprefix("[2024-03-12 08:12] Ada:").strip()


def test_threads_with_each_mail_once_and_without_what_it_quotes() -> None:
    threads = from_mail(BOX)
    roots = [root(FESTIVAL, number) for number in range(len(FESTIVAL))]
    assert len(threads) == len(set(roots))
    for first, parsed in zip(dict.fromkeys(roots), threads, strict=True):
        own = [said for said, start in zip(FESTIVAL, roots, strict=True) if start == first]
        assert [(entry["speaker"], entry["time"]) for entry in parsed.layout] == [
            (said.who, f"{said.iso}Z") for said in own
        ]
        for entry, end, said in zip(parsed.layout, [*parsed.layout[1:], None], own, strict=True):
            text = parsed.text[entry["start"] : end["start"] if end else None]
            assert text.strip().removeprefix("# ").split(f"{said.who}:")[1].split() == said.text.split()
        assert set(units(parsed.text).tolist()) == {entry["start"] for entry in parsed.layout} | {len(parsed.text)}
        assert parsed.source == f"{first}@harbour.example"


FIRST = mail("The tide is high.\n\nIs Tuesday fine?\n-- \nAda", Message_ID="<1@x>")
ANSWER = {"From": "Bob <b@b.org>", "Message_ID": "<2@x>", "In_Reply_To": "<1@x>", "Subject": "Re: Tide"}


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("Yes.\n\nOn Tuesday Ada wrote:\n> The tide is high.\n>\n> Is Tuesday fine?", "Yes."),
        ("Yes.\n\nOn Tuesday, 12 March,\nAda <a@b.org> wrote:\n\n> The tide\n> is high.", "Yes."),
        ("Ada wrote:\n> Is Tuesday fine?\nYes.", "> Is Tuesday fine?\n  Yes."),
        ("> It is said nowhere.\n\nYes.", "> It is said nowhere.\n\n  Yes."),
        (
            "Yes.\n\n-----Original Message-----\nFrom: Ada\nSent: x\nTo: Bob\n\nThe tide is high.\n\nIs Tuesday fine?",
            "Yes.",
        ),
        ("Yes.\n\nFrom: Ada\nSent: Tuesday\nTo: Bob\nSubject: Tide\n\nThe tide is high.", "Yes."),
        ("Yes.\n\nAm Dienstag schrieb Ada:\n\nThe tide is high.\n\nIs Tuesday fine?", "Yes."),
        ("Yes.\n-- \nBob\n\n> The tide is high.", "Yes."),
        ("Ada: this is mine:\nyes.", "Ada: this is mine:\n  yes."),
    ],
)
def test_quotations_of_mails_in_the_thread_are_left_out(body: str, left: str) -> None:
    (parsed,) = from_mail(box(FIRST, mail(body, **ANSWER)))
    assert (
        parsed.text[: parsed.layout[1]["start"]]
        == "# Tide\n\n[2024-03-12 08:12] Ada: The tide is high.\n\n  Is Tuesday fine?\n\n"
    )
    assert parsed.text[parsed.layout[1]["start"] :].removeprefix("[2024-03-12 08:12] Bob:").strip() == left


def test_a_quotation_stays_where_its_mail_is_not() -> None:
    body = "Yes.\n\nOn Tuesday Ada wrote:\n> The tide is high."
    assert shown(mail(body)) == "Yes.\n\n  On Tuesday Ada wrote:\n  > The tide is high."


PARTS = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

=D6l.
--a
Content-Type: text/html

<p>Not this.
--a--
--m
Content-Type: application/pdf
Content-Disposition: attachment; filename*=utf-8''fl%C3%B6tze.pdf

x
--m
Content-Type: message/rfc822

Subject: Inner

Inner text.
--m
Content-Type: text/plain

And this.
--m--
"""


def test_the_parts_of_a_mail() -> None:
    assert (
        shown(mail("").rstrip("\n") + "\n" + PARTS)
        == "Öl.\n\n  Inner\n\n  Inner text.\n\n  And this.\n\n  attached: flötze.pdf"
    )
    html = "Content-Type: text/html; charset=utf-8\n\n<style>p {}</style><h1>Tide</h1><ul><li>high<li>low</ul>"
    assert shown(mail("").rstrip("\n") + "\n" + html) == "# Tide\n\n  - high\n  - low"
    flowed = "Content-Type: text/plain; format=flowed\n\nIt is \nhigh.\n> It \n> was.\n-- \nAda\n"
    assert shown(mail("").rstrip("\n") + "\n" + flowed) == "It is high.\n  > It\n  > was."


@pytest.mark.parametrize(
    ("fields", "speaker", "time"),
    [
        ({"From": "=?utf-8?q?Ada_L=C3=B6v?= <a@b.org>"}, "Ada Löv", "2024-03-12T08:12:00Z"),
        ({"From": '"L, Ada: 🦊" <a@b.org>'}, "L, Ada: 🦊", "2024-03-12T08:12:00Z"),
        ({"From": "a@b.org"}, "a@b.org", "2024-03-12T08:12:00Z"),
        ({"From": "=?nowhere?q?x?="}, "x", "2024-03-12T08:12:00Z"),
        ({"From": '<<<>,,"('}, None, "2024-03-12T08:12:00Z"),
        ({"From": ""}, None, "2024-03-12T08:12:00Z"),
        ({"Date": "12 March"}, "Ada", None),
        ({"Date": "Tue, 12 Mar 99999 09:12:00 +0100"}, "Ada", None),
        ({"Date": "Tue, 12 Mar 2024 09:12:00"}, "Ada", "2024-03-12T09:12:00"),
    ],
)
def test_fields_may_be_broken(fields: dict[str, str], speaker: str | None, time: str | None) -> None:
    (parsed,) = from_mail(mail("It is high.", **fields))
    (entry,) = parsed.layout
    assert entry.get("time") == time
    assert speaker is None or entry["speaker"] == speaker
    assert parsed.text.endswith("It is high.")


def test_a_mail_without_words_is_its_subject() -> None:
    assert shown(mail("")) == "Tide"
    assert from_mail(mail("", Subject="")) == []
    named = "Content-Type: text/plain; name=a.txt\n\nHi."
    assert shown(mail("").rstrip("\n") + "\n" + named) == "Hi."


def test_threads_are_found_by_ids_else_by_subjects() -> None:
    named = [
        mail("One.", Message_ID="<1@x>"),
        mail("Two.", Message_ID="<2@x>"),
        mail("Three.", References="<0@x> <1@x>"),
    ]
    assert [len(each.layout) for each in from_mail(box(*named))] == [2, 1]
    replies = [mail("One."), mail("Two.", Subject="RE: AW: tide"), mail("Three.", Subject="Re[2]: Moon"), mail("Four.")]
    assert [[entry["start"] >= 0 for entry in each.layout] for each in from_mail(box(*replies))] == [
        [True] * 2,
        [True],
        [True],
    ]
    late = [
        mail("Two.", Date="Wed, 13 Mar 2024 09:12:00 +0000", Subject="Re: Tide", References="<1@x>"),
        mail("One.", Message_ID="<1@x>"),
    ]
    assert from_mail(box(*late))[0].text.startswith(
        "# Tide\n\n[2024-03-12 08:12] Ada: One.\n\n[2024-03-13 09:12] Ada: Two."
    )


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "cur").mkdir()
    (tmp_path / "cur" / "1:2,S").write_text(mail("One.", Message_ID="<1@x>"), "utf-8")
    (tmp_path / "a.eml").write_text(mail("Two.", References="<1@x>"), "utf-8")
    (tmp_path / "a.txt").write_text("no mail", "utf-8")
    (parsed,) = from_mail(tmp_path)
    assert parsed.text.count("Ada: ") == 2
    file = tmp_path / "in.mbox"
    file.write_bytes(BOX)
    threads = from_mail(file)
    assert threads[0].source == f"{file}#0@harbour.example"
    assert len({each.source for each in threads}) == len(threads)
    assert (
        [each.text for each in threads]
        == [each.text for each in from_mail(BOX)]
        == [each.text for each in from_mail(BOX.decode())]
    )


def test_what_is_no_mail_is_refused(tmp_path: Path) -> None:
    for wrong in ("", "Hello.", "Hello.\n", "\0", "x" * 9999, b"\x00", "in.mbox", tmp_path, tmp_path / "no", 7, None):
        with pytest.raises(SettingError, match="mail must be"):
            from_mail(wrong)  # type: ignore[arg-type]


def nested(depth: int) -> str:
    """A mail of parts within parts."""
    head = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(depth))
    return mail("").rstrip("\n") + f"\nMIME-Version: 1.0\n{head}Content-Type: text/plain\n\nDeep.\n"


def test_mails_that_are_damaged_are_read_as_far_as_they_go() -> None:
    assert shown(nested(20)) == "Deep."
    assert len(from_mail(nested(2000))) == 1
    for end in range(2000, 2040):
        assert from_mail(BOX[:end])
    wide = EmailMessage()
    wide["Subject"] = "Tide"
    wide.set_content("One.")
    wide.add_attachment("x", filename="a.txt")
    raw = wide.as_bytes()
    line = f"--{wide.get_boundary()}".encode()
    *head, attached, end = raw.split(line)
    assert from_mail(line.join([*head, *[attached] * 1100, end]))[0].text.count("a.txt") < 1000
    crossed = PARTS.replace("--a--", "--m--").replace("iso-8859-1", "no-such-charset").replace("=D6", "=ZZ")
    assert from_mail(mail("").rstrip("\n") + "\n" + crossed)
    assert from_mail(box(*[mail("Hi.", Message_ID=f"<{n}@x>", References=f"<{n - 1}@x>") for n in range(1000)]))


@pytest.mark.parametrize(
    "body",
    [
        "> x y z w\n",
        "On x Ada wrote:\n",
        *(
            pytest.param(body, marks=pytest.mark.thorough)
            for body in ("\n> a b c\n\nx\n", ">\n\n", "-- \n", "a: b\n", ">" * 99, "x \n", "From x\n", "<p>", "\n")
        ),
    ],
)
def test_it_takes_time_in_proportion(body: str) -> None:
    def seconds(size: int) -> float:
        answer = mail(body * (size // len(body)), **ANSWER)
        start = process_time()
        from_mail(box(FIRST, answer, answer.replace("<2@x>", "<3@x>")))
        return process_time() - start

    assert_time_grows(seconds, 40_000, 160_000, 12, 0.02)


@pytest.mark.parametrize("field", ["Content-Type", "Content-Disposition", "From", "Date", "Subject", "Message-ID"])
@pytest.mark.parametrize("value", [";", ';a="\\"', "; a*0=", "(", '"\\', "=?", "1 ", "<a@b>,", ";\n a=b"])
def test_fields_take_time_in_proportion(field: str, value: str) -> None:
    long = f"text/plain{value * (100_000 // len(value))}"
    start = process_time()
    found = from_mail(f"{field}: {long}\nTo: ada@b.org\n\nIt is high.\n")
    assert process_time() - start < 1
    assert field.startswith("Content-") or "It is high." in found[0].text


def test_blank_lines_may_stand_above_the_fields() -> None:
    assert from_mail("\n\r\n" + mail("Hi."))[0].text == from_mail(mail("Hi."))[0].text
    assert len(from_mail("\n" + box(mail("Hi."), mail("So.", Subject="Boat")))) == 2
