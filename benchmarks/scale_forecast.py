"""What was measured in -> hours and prices of corpora that nobody has here, by rates that are said."""

from __future__ import annotations

CORPORA = {"1 GB": 1e9, "1 TB": 1e12, "10¹⁰ pages of 5 kB": 5e13}
API_TOKENS_A_MINUTE, API_PRICE = 10e6, 0.02
GPU_SENTENCES = 4_000.0
TOKENS_A_WORD = 1.33


def forecast(rate: float, each: dict[str, float], sentences: float, nodes: int) -> dict[str, dict[str, float]]:
    """Hours of cores at `rate` MB/s each, and of nodes of 32; of cores that embed so many sentences a second; of a GPU
    and an API at the rates at the head of this file.
    """
    found = {}
    for name, size in CORPORA.items():
        megabytes = size / 1e6
        tokens = megabytes * each["words a MB"] * TOKENS_A_WORD
        found[name] = {
            "core hours": megabytes / rate / 3600,
            f"hours on {nodes} nodes": megabytes / rate / 3600 / (32 * nodes),
            "core hours, MiniLM": megabytes * each["sentences a MB"] / sentences / 3600,
            "GPU hours": megabytes * each["sentences a MB"] / GPU_SENTENCES / 3600,
            "API tokens, 10⁹": tokens / 1e9,
            "API hours": tokens / API_TOKENS_A_MINUTE / 60,
            "API price, $": tokens / 1e6 * API_PRICE,
        }
    return found
