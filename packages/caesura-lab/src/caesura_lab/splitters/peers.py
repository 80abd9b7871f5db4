"""Others' splitters by name: the frameworks', none imported before it is asked for, and a cut after so many characters.

What is not installed is a `SettingError` with the remedy.
"""

from __future__ import annotations

from caesura.types import Embed
from caesura_lab.sizing import Sizing
from caesura_lab.splitters import langchain, llama_index
from caesura_lab.splitters.peer import Peer, Pieces, Settings


def fixed(settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
    """After every so many characters, wherever that is."""
    if settings:
        raise ValueError("it has no settings")
    step = sizing.most - sizing.overlap
    if sizing.sizer is not len or step < 1:
        raise ValueError("it counts characters, and the overlap must be under the size")
    return lambda text: [text[at : at + sizing.most] for at in range(0, max(len(text) - sizing.overlap, 1), step)]


LANGCHAIN = (("langchain_text_splitters", "langchain-text-splitters"),)
LLAMA_INDEX = (("llama_index.core", "llama-index-core"),)
EXPERIMENTAL = (("langchain_experimental", "langchain-experimental"),)
PEERS: dict[str, Peer] = {
    "recursive": Peer(langchain.recursive, LANGCHAIN),
    "markdown": Peer(langchain.markdown, LANGCHAIN),
    "token": Peer(llama_index.token, LLAMA_INDEX),
    "sentence": Peer(llama_index.sentence, LLAMA_INDEX),
    "semantic-chunker": Peer(langchain.semantic_chunker, EXPERIMENTAL, limited=False),
    "semantic-splitter": Peer(llama_index.semantic_splitter, LLAMA_INDEX, limited=False),
    "double-merging": Peer(llama_index.double_merging, LLAMA_INDEX),
    "fixed": Peer(fixed, ()),
}
