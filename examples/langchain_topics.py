"""How do I gather what a document says of one thing in different places? Chunks by topic, LangChain, a language model.

python examples/langchain_topics.py                    a stand-in for a model on this machine: no key, no network
python examples/langchain_topics.py --openai [MODEL]   gpt-4.1-mini, with the key in OPENAI_API_KEY: about two cents

Needs langchain-caesura, langchain-openai and caesura-lab.
"""

import sys
from pathlib import Path

from langchain_core.documents import Document
from langchain_openai import ChatOpenAI

from caesura_lab.stand_in import served
from langchain_caesura import AgenticSplitter


def main(llm: ChatOpenAI) -> None:
    """Every statement goes to a topic, and each topic becomes a chunk that knows where its statements stand."""
    text = (Path(__file__).parent / "article.md").read_text("utf-8")
    splitter = AgenticSplitter(llm, prices=(0.40, 1.60), on_failure="keep")
    topics = splitter.transform_documents([Document(text, id="article", metadata={"source": "article.md"})])
    print(f"{len(topics)} topics: {splitter.report}")
    for one in sorted(topics, key=lambda one: -one.metadata["spans"].count("-"))[:3]:
        places = [tuple(int(end) for end in span.split("-")) for span in one.metadata["spans"].split()]
        print(f"{one.metadata['topic_title']}, from {len(places)} places:")
        for start, end in places[:3]:
            print(f"  {start:6}-{end:<6} {' '.join(text[start:end].split())[:80]}")


if __name__ == "__main__":
    with served("gpt-4.1-mini", sys.argv[1:]) as model:
        main(ChatOpenAI(model=model.model, base_url=model.url, api_key=model.key))
