"""How many documents a law is held against: 2,000, or what `CAESURA_EXAMPLES` says (50,000 in `nox -s properties`)."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

EXAMPLES = int(os.environ.get("CAESURA_EXAMPLES", "2000"))


def law(cases: int = 1, documents: int = 1) -> Any:
    """Settings for a test that is one law: it sees `EXAMPLES` documents or more.

    cases: how often the test is parametrized; the documents are shared out among the cases. documents: how many one
    example holds at the least.
    """
    return settings(max_examples=-(-EXAMPLES // (cases * documents)))


def at_least(count: int, cases: int = 1) -> int:
    """How many inputs a test draws by itself: `count`, or `EXAMPLES` where that is more, shared out among its cases."""
    return -(-max(count, EXAMPLES) // cases)
