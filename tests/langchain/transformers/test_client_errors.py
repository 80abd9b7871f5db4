"""What a model's library raises: a reply to repair, a refusal, or the user's to see."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from fakes.langchain.llms import Plain, documents
from langchain_core.exceptions import OutputParserException

from langchain_caesura import PropositionTransformer


class Raising(Plain):
    """A model whose library raises this once, and then replies."""

    error: Any = None

    def _generate(self, *arguments: Any, **more: Any) -> Any:
        if not self.calls:
            self._asked.append([])
            raise self.error
        return super()._generate(*arguments, **more)


@pytest.mark.parametrize(
    "error",
    [
        OutputParserException("no tool was called", llm_output="Well, tea."),  # Anthropic's, where the model thinks
        IndexError("list index out of range"),
        TypeError("Received response with null value for 'choices'."),
    ],
)
def test_an_error_that_is_about_the_reply_is_a_reply_to_repair(error: Exception) -> None:
    transformer = PropositionTransformer(Raising(error=error))
    assert len(transformer.transform_documents(documents()[1:2])) == 3
    assert (transformer.report.calls, transformer.report.repairs) == (2, 1)


class ModelRefusalError(Exception):
    """As newer versions of langchain-core have it."""


@pytest.mark.parametrize("error", [openai.ContentFilterFinishReasonError(), ModelRefusalError("No.")])
def test_an_error_that_says_that_the_model_refused_fails_the_passage_alone(error: Exception) -> None:
    transformer = PropositionTransformer(Raising(error=error), on_failure="keep", budget=1)
    found = transformer.transform_documents(documents())
    assert sorted(one.metadata["kept"] for one in found) == [False] * 3 + [True] * 3
    assert transformer.report.calls == 2


def test_any_other_error_is_the_users_to_see() -> None:
    with pytest.raises(KeyError, match="mine"):
        PropositionTransformer(Raising(error=KeyError("mine")), on_failure="keep").transform_documents(documents())
