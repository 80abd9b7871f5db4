"""How do I cut one text into even chunks that end at paragraphs and where the meaning turns?

Needs caesura and caesura-static; no key, no network.
"""

from pathlib import Path

from caesura import Limits, Splitter, calibrate
from caesura_static import StaticEmbedder

text = (Path(__file__).parent / "article.md").read_text("utf-8")
embed = StaticEmbedder()
splitter = Splitter(limits=Limits(max_size=800, target_size=400), background=calibrate(embed))

chunks = splitter.split(text, embed)
assert all(text[chunk.start : chunk.end] == chunk.text for chunk in chunks)  # always: a chunk is a slice of its text
print(f"{len(text)} characters in {len(chunks)} chunks, the largest of {max(len(chunk.text) for chunk in chunks)}")
for chunk in chunks[:5]:
    print(f"{chunk.start:6}-{chunk.end:<6} {' '.join(chunk.text.split())[:80]}")
