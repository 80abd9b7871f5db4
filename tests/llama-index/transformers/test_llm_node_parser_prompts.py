"""A prompt of one's own: what is none is refused, and one comes back from a dict."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fakes.llama_index.llms import Plain, every
from llama_index.core import PromptTemplate
from llama_index.core.llms import MockLLM

from caesura import SettingError
from caesura_llm.prompts import Prompt


@every
@pytest.mark.parametrize("prompt", ["Write {n} questions.", PromptTemplate("Write {n}."), None])
def test_what_is_no_prompt_is_refused_with_what_to_give(kind: Any, prompt: Any) -> None:
    for name in (name for name in kind.model_fields if name.endswith("prompt")):
        if prompt is None and kind.model_fields[name].default is None:
            continue
        with pytest.raises(SettingError, match=f"^{re.escape(name)} must be a Prompt, got .*: give Prompt"):
            kind(Plain(), **{name: prompt})


@every
def test_a_prompt_of_ones_own_comes_back_from_a_dict(kind: Any) -> None:
    own = Prompt("mine", "7", "Write {n}.")
    assert kind.from_json(kind(MockLLM(), prompt=own).to_json()).prompt == own
