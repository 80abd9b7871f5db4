"""Conversations as documents: exports of WhatsApp and Slack, transcripts, mail, and lists of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.documents import Document

from caesura_documents.conversations import mail as mails
from caesura_documents.conversations import messages as lists
from caesura_documents.conversations import slack, transcripts, whatsapp
from caesura_documents.conversations.messages import Export
from langchain_caesura.parsers import to_langchain


def from_whatsapp(export: Export, *, day_first: bool | None = None) -> Document:
    """A chat that WhatsApp exported, on Android or iOS -> one document.

    Each message is a line, "[09:12] Mara: Is it here?", under the heading of its day, and one unit for every splitter.
    The metadata have ``caesura_layout``, who says what when by offset, and ``source``, which is the id too.
    Placeholders of pictures and voices are left out. What nobody wrote, as "Mara added Jonas", has no speaker. Times
    are those of the phone.

    export: the path of the ".txt", or of the ".zip" with it, or what is in it: bytes, or a str of several lines.
    day_first: whether dates are written with the day before the month. None: as the dates themselves tell, else by
    their form. Raises `SettingError` where no line opens a message.
    """
    return to_langchain(whatsapp.from_whatsapp(export, day_first=day_first))


def from_slack(export: Export) -> list[Document]:
    """An export of Slack -> a document for each channel, in the order of their names.

    Messages are lines under the heading of their day, as of `from_whatsapp`. Those of a thread stand together, where it
    begins. Names of users and channels take the place of their ids, a link is its words and its address, a file its
    name. Who came and who went is left out. Times are in UTC.
    The metadata have ``caesura_layout``, who says what when by offset, and ``source``, which is the id too.

    export: the path of the folder, of the ZIP archive, or of a JSON file with the messages of one channel, or what is
    in such a file: bytes or a str. A folder of one channel, with a file for each day, will do. Raises
    `SettingError` where nothing in it is a channel.
    """
    return [to_langchain(each) for each in slack.from_slack(export)]


def from_transcript(transcript: Export) -> Document:
    """A transcript or subtitles, in WebVTT or SRT -> one document, which reads as prose.

    What is shown piece by piece is joined to sentences and paragraphs, which end where another speaks, after a pause,
    and near 500 characters. A paragraph in which another speaker begins opens with the name. What rolling captions
    repeat stands once. Notes, styles and marks of colour are left out.
    The metadata have ``caesura_layout``, who says what when by offset, and ``source``, which is the id too.
    A time is HH:MM:SS.mmm from the beginning.

    transcript: the path of the file, or what is in it: bytes, or a str of several lines. Raises `SettingError` where
    nothing in it has times.
    """
    return to_langchain(transcripts.from_transcript(transcript))


def from_mail(mail: Export) -> list[Document]:
    """A mailbox (mbox), a mail (".eml") or a folder of mails -> a document for each thread.

    A thread begins with its subject as a heading; its mails follow in the order of their dates, which are in UTC.
    Quotations of a mail in the same thread are left out, as long as they are not a few words that the next line
    answers; so are signatures below "-- ". Of a mail in plain text and HTML the plain text is taken; a mail in a mail
    is a part of it, other attachments are named. Threads come in the order of their first mails in the file.
    The metadata have ``caesura_layout``, who says what when by offset, and ``source``, which is the id too.

    mail: the path of the file or folder, or what is in the file: bytes, or a str of several lines. Raises
    `SettingError` where nothing is a mail.
    """
    return [to_langchain(each) for each in mails.from_mail(mail)]


def from_messages(
    messages: Iterable[Mapping[str, Any]],
    *,
    author: str = "author",
    time: str = "time",
    text: str = "text",
    title: str | None = None,
    source: str | None = None,
) -> Document:
    """Any messages, such as an issue and its comments, in their order -> one document.

    messages: a dict each. author, time, text: the keys of who wrote it, when, and what; one with dots leads to a dict
    in a dict, as "user.login" does. A time is in ISO 8601, a `datetime`, or in seconds since 1970. title: a heading
    above all messages. source: the name or address of what they are from, which is the document's id too. Messages
    without text are left out. Raises `SettingError` for anything else.
    The metadata have ``caesura_layout``, who says what when by offset, and ``source``, which is the id too.
    """
    return to_langchain(lists.from_messages(messages, author=author, time=time, text=text, title=title, source=source))
