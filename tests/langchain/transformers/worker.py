"""One run over documents, to be interrupted: URL JOURNAL DOCUMENTS on the command line; the ids as JSON on stdout."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from fakes.langchain.llms import many
from langchain_openai import ChatOpenAI

from langchain_caesura import PropositionTransformer

if __name__ == "__main__":
    model = ChatOpenAI(model="m", base_url=sys.argv[1], api_key="any")
    transformer = PropositionTransformer(model, journal=sys.argv[2], budget=1)
    print(json.dumps([one.id for one in transformer.transform_documents(many(int(sys.argv[3])))]))
