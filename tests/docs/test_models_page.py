"""The lines that docs/propositions.md gives for each provider's model: they make one, and it is asked."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fakes.pages import ROOT
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import Document

from langchain_caesura import SummaryTransformer as LangChainSummaries
from llama_index.node_parser.caesura import SummaryTransformer

PAGE = (ROOT / "docs" / "propositions.md").read_text("utf-8")
LINES = re.findall(r"^ *from (\S+) import (\w+).*\n\n? *(llm = .*)$", PAGE, re.MULTILINE)
TESTED = {
    "ChatOpenAI", "AzureChatOpenAI", "ChatAnthropic", "ChatOllama", "OpenAI", "OpenAIResponses", "Ollama",
}  # fmt: skip
"""The others' packages ask for what does not go with the versions of the rest."""


def test_the_page_has_all_of_them() -> None:
    assert [name for _, name, _ in LINES] == [
        "ChatOpenAI", "AzureChatOpenAI", "ChatAnthropic", "ChatOllama",
        "OpenAI", "OpenAIResponses", "AzureOpenAI", "Anthropic", "Ollama",
    ]  # fmt: skip
    assert {name for _, name, _ in LINES} >= TESTED


@pytest.mark.thorough
@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("module", "name", "line"), [one for one in LINES if one[1] in TESTED], ids=lambda value: str(value)[:24]
)
def test_the_model_of_a_line_is_asked(module: str, name: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer() as server:
        for variable in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.setenv(variable, "any")
        for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            monkeypatch.setenv(variable, server.url)
            if name == "AzureChatOpenAI":
                monkeypatch.delenv(variable)  # which would be two places for one client
        for variable in ("AZURE_OPENAI_ENDPOINT", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL", "OLLAMA_HOST"):
            monkeypatch.setenv(variable, server.root)
        made: dict[str, Any] = {}
        exec(f"from {module} import {name}\n{line}", made)
        llm = made["llm"]
        if name == "Ollama":  # always at its own port, unless told
            llm.base_url = server.root
        if module.startswith("langchain"):
            found = [
                one.page_content for one in LangChainSummaries(llm).transform_documents([LangChainDocument("Tea.")])
            ]
        else:
            found = [getattr(one, "text", "") for one in SummaryTransformer(llm)([Document(text="Tea.")])]
    assert "In short: Tea." in found
    assert server.calls == 1
