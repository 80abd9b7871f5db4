"""Texts that an English model of words reads, or does not; and those of which other tokenizers choke."""

TEXTS = [
    "The harbour was full of fishing boats.",
    "",
    "Interest rates rose for the third time this year.",
    "Die Straße ist naß. 漢字 😀",
    " \n\t",
    "def mean(values): return sum(values) / len(values)",
]
ODD = ["\ud800", "\x00", "a\x00b", "e\u0301", "\u0301", "\u200d", "👩\u200d👧", "\U0010ffff", "ﷺ" * 50, "\r\n", "שלום"]
