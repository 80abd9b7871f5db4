"""What came of a request in, the reply out: an error that says that one came and could not be read is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from pydantic import BaseModel, ValidationError

from caesura.llm.conversation import Reply
from llama_index.node_parser.caesura.llm.messages import counted, replied


@dataclass(slots=True)
class Excuse:
    """What was heard, or else what the LLM made of a reply, or said in an error."""

    heard: list[ChatResponse]
    messages: list[ChatMessage]
    made: Any = None
    said: str | None = None

    def reply(self) -> Reply:
        if self.heard:
            return replied(self.heard, self.messages)
        text = self.said
        if text is None:  # the LLM has a way of its own to the server
            text = self.made.model_dump_json() if isinstance(self.made, BaseModel) else ""
        return Reply(text, "stop", *counted(self.messages, text))


@contextmanager
def excused(heard: list[ChatResponse], messages: list[ChatMessage]) -> Iterator[Excuse]:
    """An error that says that a reply came and could not be read is no error: we read it ourselves, or ask again."""
    excuse = Excuse(heard, messages)
    try:
        yield excuse
    except ValidationError as error:
        if not heard:
            given = error.errors()[0]["input"]
            excuse.said = given if isinstance(given, str) else str(error)
    except Exception as error:
        if not heard and not _looked_for_nothing(error):
            raise
        excuse.said = f"{type(error).__name__}: {error}"


def _looked_for_nothing(error: Exception) -> bool:
    """Whether a library took a reply apart and found no choices, no message, or none with content in it."""
    return isinstance(error, (IndexError, KeyError)) or (
        isinstance(error, (TypeError, AttributeError)) and "'NoneType'" in str(error)
    )
