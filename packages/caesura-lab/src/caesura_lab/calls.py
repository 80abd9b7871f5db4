"""A splitter of ours with its settings -> the calls that construct it, in LangChain and in LlamaIndex, to be pasted."""

from __future__ import annotations

from caesura_lab.splitters.spec import parsed

CLASSES = {
    "double-pass": "DoublePassSemanticSplitter",
    "optimal": "OptimalSemanticSplitter",
    "cluster": "ClusterSemanticSplitter",
    "percentile": "SemanticPercentileSplitter",
}
SIZES = {"size": "chunk_size", "min_size": "min_chunk_size", "overlap": "chunk_overlap"}
"""Our names of sizes, and the plugins'."""


def code(
    spec: str,
    size: int | None,
    unit: str = "characters",
    tokenizer: str = "wordpiece",
    embedder: str = "static",
) -> str:
    """A splitter of ours with its settings, and the size where they set none -> the calls."""
    kind, settings = parsed(spec)
    sizes = {"chunk_size": size} | {SIZES[key]: settings.pop(key) for key in SIZES if key in settings}
    given = [f"{key}={value!r}" for key, value in (sizes | settings).items()]
    other, tokens = embedder != "static", unit == "tokens"
    with_embedder = ["from caesura_lab import embedder"] if other else []
    with_tokens = ["from caesura_lab import token_counter"] if tokens else []
    langchain = [f'embedder("{embedder}")'] * other + given + [f'length_function=token_counter("{tokenizer}")'] * tokens
    llama_index = [f'embed_model=embedder("{embedder}")'] * other + given + ["tokenizer=list"] * (not tokens)
    lines = [
        "# LangChain",
        *with_embedder,
        *with_tokens,
        f"from langchain_caesura import {CLASSES[kind]}",
        f"splitter = {CLASSES[kind]}({', '.join(langchain)})",
    ]
    if sizes.get("chunk_overlap"):
        return "\n".join([*lines, "# LlamaIndex: its node parsers of ours have no overlap"])
    lines += [
        "# LlamaIndex" + (", whose chunk_size counts its own tokenizer's tokens" if tokens else ""),
        *with_embedder,
        f"from llama_index.node_parser.caesura import {CLASSES[kind]}",
        f"splitter = {CLASSES[kind]}({', '.join(llama_index)})",
    ]
    return "\n".join(lines)
