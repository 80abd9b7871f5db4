"""The options that several commands have: what they are called, and what their help says."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from caesura_lab.splitters.methods import OURS
from caesura_lab.splitters.peers import PEERS


class Unit(StrEnum):
    """What sizes count."""

    CHARACTERS = "characters"
    TOKENS = "tokens"


NAMES = ", ".join([*OURS, *PEERS])
Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH", help="Files of text, Markdown, HTML, PDF, code, mail or JSON records, folders, or -."
    ),
]
One = Annotated[
    str,
    typer.Option(
        "--splitter",
        "-s",
        metavar="NAME[:KEY=VALUE,…]",
        help=f"One of {NAMES}; with its settings, as optimal:target_size=300.",
    ),
]
Many = Annotated[
    list[str] | None,
    typer.Option(
        "--splitter",
        "-s",
        metavar="NAME[:KEY=VALUE,…]",
        help=f"May be repeated. One of {NAMES}; with its settings, as optimal:target_size=300,size=800.",
    ),
]
Size = Annotated[
    int | None, typer.Option("--size", min=1, help="No chunk measures more. By default 800 characters or 200 tokens.")
]
MinSize = Annotated[
    int, typer.Option("--min-size", min=0, help="Chunks under this size join a neighbour where that fits.")
]
Overlap = Annotated[
    int,
    typer.Option(
        "--overlap", min=0, help="How much of the chunk before is repeated, in whole sentences for our splitters."
    ),
]
UnitOption = Annotated[Unit, typer.Option("--unit", help="What sizes count.")]
Tokenizer = Annotated[
    str, typer.Option("--tokenizer", metavar="NAME", help="What counts tokens: wordpiece, or tiktoken:ENCODING.")
]
SizeTokenizer = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="NAME",
        help="With --unit tokens, what counts them: wordpiece, which is the default, or tiktoken:ENCODING.",
    ),
]
EmbedderOption = Annotated[
    str,
    typer.Option(
        "--embedder",
        "-e",
        metavar="NAME",
        help="static (no download, no key), openai:MODEL, sentence-transformers:NAME or spacy:NAME.",
    ),
]
Budget = Annotated[
    int, typer.Option("--budget", min=1, help="How many characters the passages for a question have at most, together.")
]
Budgets = Annotated[
    list[int] | None,
    typer.Option(
        "--budget", min=1, help="Characters for recall within a budget; may be repeated. By default 1000 and 4000."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help="The files' encoding; by default UTF-8, or what the byte order mark says."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, and no word but of errors.")]
