"""How do I limit chunks in tokens of my model instead of characters?

Needs caesura, caesura-static, tiktoken and llama-index-core, which carries the data of one of OpenAI's tokenizers, so
that nothing is fetched here. Elsewhere, encode is `tiktoken.get_encoding("o200k_base").encode_ordinary`, or the
`encode` of a Hugging Face tokenizer with its truncation switched off.
"""

from pathlib import Path

from llama_index.core.utils import get_tokenizer

from caesura import Limits, OptimalCut, Splitter, calibrate, tokens
from caesura_static import StaticEmbedder
from caesura_testing import check_sizer

size = tokens(get_tokenizer())  # str -> int; in LangChain length_function=size, in LlamaIndex tokenizer=encode
check_sizer(size, max_size=256, pickled=False)  # does it truncate, or fail on odd text? It would say so

text = (Path(__file__).parent / "article.md").read_text("utf-8")
embed = StaticEmbedder()
for most in (256, 64, 16):
    splitter = Splitter(Limits(max_size=most), size=size, cut=OptimalCut(), background=calibrate(embed))
    counts = [size(chunk.text) for chunk in splitter.split(text, embed)]
    print(f"at most {most:3} tokens: {len(counts):3} chunks, the largest has {max(counts)}, together {sum(counts)}")
    assert max(counts) <= most  # a promise, also where the tokens of a whole are more than those of its parts
