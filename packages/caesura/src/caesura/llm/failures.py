"""An item that got no reply that can be used in; listed out, or raised: `on_failure`, and the words for why."""

from __future__ import annotations

from typing import Literal, TypeAlias

from caesura.errors import ReplyError, SettingError
from caesura.llm.conversation import Failure, Reply, Tally

OnFailure: TypeAlias = Literal["raise", "keep"]


def checked(on_failure: str) -> OnFailure:
    """Raises `SettingError` unless it is "raise" or "keep"."""
    if on_failure not in ("raise", "keep"):
        raise SettingError(f"on_failure must be 'raise' or 'keep', got {on_failure!r}")
    return on_failure  # type: ignore[return-value]


def reason(met: Reply | BaseException) -> str:
    """What came in place of an answer, a refusal or an error -> why an item fails, in a line."""
    if isinstance(met, Reply):
        return f"the model refused: {met.text[:200]!r}"
    return f"{type(met).__name__}: {str(met)[:300]}"


def failed(failure: Failure, on_failure: OnFailure, tally: Tally, cause: BaseException | None = None) -> None:
    """Lists a failure, and raises it as `ReplyError` where failures are not kept."""
    tally.failures.append(failure)
    if on_failure == "raise":
        of = f" of document {failure.document_id!r}" if failure.document_id else ""
        raise ReplyError(
            f"item {failure.item}{of} failed: {failure.reason}; on_failure='keep' lets what it says stand in its place"
        ) from cause
