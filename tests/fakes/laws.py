"""How many documents a law is held against: 50, or what `CAESURA_EXAMPLES` says.

`nox -s thorough` says 2,000, `nox -s properties` 50,000.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

EXAMPLES = int(os.environ.get("CAESURA_EXAMPLES", "50"))
THOROUGH = 2_000


def law(cases: int = 1, documents: int = 1) -> Any:
    """Settings for a test that is one law: it sees `EXAMPLES` documents or more.

    cases: how often the test is parametrized; the documents are shared out among the cases. documents: how many one
    example holds at the least.
    """
    return settings(max_examples=-(-EXAMPLES // (cases * documents)))


def at_least(count: int, cases: int = 1) -> int:
    """How many inputs a test draws by itself, shared out among its cases: `count` where `EXAMPLES` is 2,000, and a
    share of it where that is less; `EXAMPLES` where that is more.
    """
    return -(-max(count * min(EXAMPLES, THOROUGH) // THOROUGH, EXAMPLES) // cases)
