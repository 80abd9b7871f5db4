"""A provider's prompt cache: what of a request an earlier one, that was answered, began with too."""

from __future__ import annotations

from os.path import commonprefix
from typing import Any

from fakes.servers.openai_model import tokens


class PromptCache:
    """The prompts that were answered; and of each request since, the share of its text that they served."""

    def __init__(self) -> None:
        self.shares: list[float] = []
        self._answered: list[str] = []

    def serve(self, body: dict[str, Any]) -> int:
        """A request -> the tokens of the longest beginning that it shares with one that was answered before."""
        prompt = _text(body)
        found = max((tokens(commonprefix([prompt, other])) for other in self._answered), default=0)  # noqa: RUF071 - of texts
        self.shares.append(found / tokens(prompt))
        return found

    def add(self, body: dict[str, Any]) -> None:
        """Its reply was sent."""
        self._answered.append(_text(body))


def _text(body: dict[str, Any]) -> str:
    """All that a request says, from the first message on."""
    parts = [message["content"] for message in body["messages"]]
    return "".join(part if isinstance(part, str) else "".join(each.get("text", "") for each in part) for part in parts)
