"""Messages, requests and replies, and the protocol of a conversation: requests out, replies or errors in, results out.

Nothing here sends anything. A `Driver` does, with any client; so can a loop of your own:

    while requests := conversation.pending():
        for request in requests:
            conversation.accept(request, client(request))
        results += conversation.finished()
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
from base64 import b64encode
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from caesura.checks import OnFailure
from caesura.errors import ReplyError, SettingError

R = TypeVar("R")
logger: logging.Logger = logging.getLogger(__name__)

MEDIA_TYPES = {b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
"""The first bytes of image files, and their media types. Any other file is taken for PNG."""
STOPS = ("stop", "length", "refused")
"""Why a reply ends."""
_NUMBERS = itertools.count(1)


class Image(NamedTuple):
    """A picture in a message: an ``https:`` or ``data:`` URL."""

    url: str

    @classmethod
    def of(cls, data: bytes, media_type: str | None = None) -> Image:
        """The bytes of a file -> an image that holds them. Without a media type, the first bytes tell it."""
        known = next((kind for head, kind in MEDIA_TYPES.items() if data.startswith(head)), "image/png")
        return cls(f"data:{media_type or known};base64,{b64encode(data).decode()}")


class Message(NamedTuple):
    """One message: its role, its text, the images after it.

    shared: how many of its first characters other requests begin with too, for a provider that must be told what to
    keep in its cache; 0: none. No part of what is asked.
    """

    role: Literal["system", "user"]
    text: str
    images: tuple[Image, ...] = ()
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON that a reply should be, for a client with structured output: a name, and a JSON schema as text."""

    name: str
    text: str

    @property
    def value(self) -> dict[str, Any]:
        """The schema, as a new dict. All its properties are required and no others allowed, as OpenAI's strict mode
        asks."""
        value: dict[str, Any] = json.loads(self.text)
        return value


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask, in full. Two requests with one `key` ask the same: one reply serves both.

    messages: what is sent. schema: of the reply's JSON. key: a digest of what is asked. version: of the prompt.
    max_tokens: of the reply; None: the client's own setting. repair: it asks again for what an earlier reply did not
    say. number: tells requests of a process apart; no part of what is asked.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    version: str = ""
    max_tokens: int | None = None
    repair: bool = field(default=False, compare=False)
    number: int = field(default_factory=lambda: next(_NUMBERS), compare=False)
    key: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        schema = self.schema and (self.schema.name, self.schema.text)
        messages = [(one.role, one.text, one.images) for one in self.messages]
        content = json.dumps([self.version, messages, schema, self.max_tokens])
        object.__setattr__(self, "key", hashlib.sha256(content.encode()).hexdigest())


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a request.

    text: of structured output, its JSON. stop: why it ends there. input_tokens, output_tokens: what was paid for.
    cached_tokens: those of `input_tokens` that the server took from its cache.
    """

    text: str
    stop: Literal["stop", "length", "refused"] = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


def check_reply(reply: object) -> Reply:
    """What a client returned, if it is a reply that can be read and journalled.

    Raises `SettingError` for what is no `Reply`, which is the client's fault, and `ReplyError` for a `Reply` with a
    field of the wrong kind, which may be one answer's.
    """
    if not isinstance(reply, Reply):
        raise SettingError(f"a client must return a Reply, got {reply!r:.80}: return Reply(text)")
    counts = (reply.input_tokens, reply.output_tokens, reply.cached_tokens)
    if (
        not isinstance(reply.text, str)
        or reply.stop not in STOPS
        or not all(isinstance(count, int) for count in counts)
    ):
        raise ReplyError(
            f"a Reply must have a text that is a str, a stop of {STOPS} and whole numbers of tokens, 0 where they are "
            f"not known; got {reply!r:.200}"
        )
    return reply


Chat: TypeAlias = Callable[[Request], Reply]
"""A client: sends a request, returns the reply, or raises what its library raises. It does not retry."""
AsyncChat: TypeAlias = Callable[[Request], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Failure:
    """An item without a usable reply.

    item: its index. document_id: of its document. reason: in words. keys: of the requests that were answered in vain.
    start: where it stands in its document; None where that is not known. text: its first words. source: what people
    call its document.
    """

    item: int
    document_id: str
    reason: str
    keys: tuple[str, ...] = ()
    start: int | None = None
    text: str = ""
    source: str = ""

    def __str__(self) -> str:
        document = f" of document {self.document_id!r}" if self.document_id else ""
        document += f" ({self.source})" if self.source not in ("", self.document_id) else ""
        place = "" if self.start is None else f" at character {self.start}"
        words = f" ({self.text!r})" if self.text else ""
        return f"item {self.item}{document}{place}{words} failed: {self.reason}"


@dataclass(slots=True)
class Tally:
    """What a conversation has counted so far.

    items: begun. finished: done, failed ones included. repairs: repair requests. dropped: how many of what were left
    out of replies, by reason. failures: items that failed.
    """

    items: int = 0
    finished: int = 0
    repairs: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)


@runtime_checkable
class Conversation(Protocol[R]):
    """Requests out, replies in, in any order; results out in the order of the items, each once.

    `pending` returns the requests that wait for an answer, oldest first, the same ones until they are answered. When
    it returns none, all is done. Results do not depend on the order of the answers.

    `accept` and `reject` raise `ReplyError` where an item fails and failures are not kept; `SettingError` for a request
    that is not pending.
    """

    @property
    def tally(self) -> Tally: ...

    def pending(self) -> list[Request]: ...

    def accept(self, request: Request, reply: Reply) -> None: ...

    def reject(self, request: Request, error: BaseException) -> None: ...

    def finished(self) -> list[R]: ...


def describe_failure(cause: Reply | BaseException) -> str:
    """A refusal or an error -> one line that says why the item fails."""
    if isinstance(cause, Reply):
        return f"the model refused: {cause.text[:200]!r}"
    read = f", of {cause.doc[:60]!r}" if isinstance(cause, json.JSONDecodeError) else ""  # such as a page of HTML
    return f"{type(cause).__name__}: {str(cause)[:300]}{read}"


def first_words(text: str) -> str:
    """The first words of a text for a failure: at most 60 characters, in one line.

    >>> first_words("Tea is hot.\\n" + 9 * "Ice is cold. ")
    'Tea is hot. Ice is cold. Ice is cold. Ice is cold. Ice is …'
    """
    words = " ".join(text[:400].split())
    return words if len(words) <= 60 else f"{words[:59].rpartition(' ')[0] or words[:58]} …"


def record_failure(
    failure: Failure, on_failure: OnFailure, tally: Tally, cause: BaseException | None = None, *, empty: bool = False
) -> None:
    """Adds a failure to the tally, then raises it as `ReplyError`, or logs a warning where failures are kept.

    empty: nothing stands in the place of what fails, else its own text does.
    """
    tally.failures.append(failure)
    if on_failure == "raise":
        kept = "goes on without it" if empty else "lets what it says stand in its place"
        raise ReplyError(f"{failure}; on_failure='keep' {kept}") from cause
    logger.warning("%s; %s", failure, "it has none" if empty else "what it says stands in its place")
