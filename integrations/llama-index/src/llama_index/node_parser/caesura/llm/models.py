"""An LLM in, what tells its replies from another's out: its settings without secrets, and whether it takes forms."""

from __future__ import annotations

import json
from inspect import unwrap
from typing import Any

from llama_index.core.llms import LLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.types import PydanticProgramMode

from caesura.plain import name_of, plain, without_secrets

TRANSPORT = ("max_retries", "timeout", "request_timeout", "reuse_client", "num_workers", "verbose")
"""What an LLM's replies do not depend on."""


def described(llm: LLM) -> dict[str, Any]:
    """An LLM -> its settings that its replies depend on, without secrets."""
    data = {name: value for name, value in llm.to_dict().items() if name not in TRANSPORT}
    found: dict[str, Any] = without_secrets(plain(data))
    return found


def takes_forms(llm: LLM, wanted: bool | None = None) -> bool:
    """Whether an LLM is asked by forms. wanted: by the user; None: where it says that it sees to them itself."""
    if wanted is not None:
        return wanted
    if getattr(llm, "pydantic_program_mode", None) == PydanticProgramMode.LLM:
        return False
    asked = getattr(llm, "_should_use_structure_outputs", None)
    if asked is not None and asked():
        return True
    if isinstance(llm, FunctionCallingLLM):
        return llm.metadata.is_function_calling_model
    return asked is None and unwrap(type(llm).structured_predict) is not unwrap(LLM.structured_predict)


def journal_name(llm: LLM, structured: bool) -> str:
    """What an LLM's replies are journalled under."""
    return json.dumps([name_of(type(llm)), described(llm), structured], sort_keys=True)
