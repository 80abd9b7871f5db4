"""What a client raised -> whether to ask again, and when. Reads status codes, headers and names; imports no client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Literal, NamedTuple

from caesura.errors import ReplyError

AGAIN = frozenset([408, 409, 425, 429])
"""Of the status codes under 500, those of a fault that may pass."""
OF_THE_REQUEST = frozenset([400, 413, 414, 422, 451])
"""The codes of what is wrong with one request: another may be answered."""
_PASSING = (
    "timeout", "connect", "protocolerror", "readerror", "writeerror", "ratelimit", "throttl", "unavailable",
    "overloaded",
)  # fmt: skip
"""What names of errors without a status hold, where they are of the wire."""
_REFUSING = ("lengthfinishreason", "contentfilter", "contextwindow", "contextoverflow", "refusal")
_SPENT = ("insufficient_quota", "billing_hard_limit_reached")


class Verdict(NamedTuple):
    """retry: the same again. reject: not this request, but the others. stop: no request will do better.

    after: seconds that the server asks to wait. all: it asks that of every request, not of this alone.
    """

    what: Literal["retry", "reject", "stop"]
    after: float | None = None
    all: bool = False


def judged(error: BaseException) -> Verdict:
    """An error that a client raised -> what to do. An error that is no fault of the wire or the request stops all."""
    if not isinstance(error, Exception):
        return Verdict("stop")
    names = " ".join(kind.__name__ for kind in type(error).__mro__).lower()
    status = _status(error)
    if status is not None:
        if _code(error) in _SPENT:
            return Verdict("stop")
        if status in AGAIN or status >= 500:
            return Verdict("retry", _after(error), status in (429, 503))
        if status in OF_THE_REQUEST:
            return Verdict("reject")
        return Verdict("stop")
    if isinstance(error, ReplyError) or any(name in names for name in _REFUSING):
        return Verdict("reject")
    passing = isinstance(error, (TimeoutError, ConnectionError, json.JSONDecodeError))
    if passing or any(name in names for name in _PASSING):
        return Verdict("retry", _after(error))
    return Verdict("stop")


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    told: Any = response.get("ResponseMetadata", {}) if isinstance(response, Mapping) else {}
    found = (
        getattr(error, "status_code", None),
        getattr(error, "status", None),
        getattr(error, "http_status", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
        told.get("HTTPStatusCode") if isinstance(told, Mapping) else None,
    )
    for one in found:
        if isinstance(one, int) and not isinstance(one, bool) and 400 <= one < 600:
            return int(one)
    return None


def _code(error: Exception) -> str:
    """What the server calls it, beside the status."""
    return str(getattr(error, "code", None) or getattr(error, "type", None) or "")


def _after(error: Exception) -> float | None:
    """Seconds, of the headers Retry-After (a number or a date) and retry-after-ms."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None)
    if not hasattr(headers, "get"):
        return None
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0), ("Retry-After", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
            except (TypeError, ValueError):
                continue
        return max(0.0, seconds) if isfinite(seconds) else None
    return None
