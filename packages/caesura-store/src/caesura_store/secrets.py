"""The settings of a model that may be written down: those known by name. A setting of any other name is left out."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-.:\s]+")

_WHICH_AND_HOW = """
    adaptive_thinking additional_kwargs api_base api_type api_version append_eos application architecture
    azure_endpoint backend base_url best_of beta betas budget_tokens cache_control candidate_count class_name
    compartment_id completion_to_prompt config context_window custom_system_prompt decoding_method
    default_prompt dense_weight deployment deployment_id deployment_name device dimension dimensions do_sample
    document_prefix dtype early_stopping echo effort embed_dim embed_instruction embed_type
    embedding_ctx_length embedding_dim embedding_type embedding_types enable_thinking encode_kwargs encoding
    encoding_format encoding_type endpoint endpoint_url engine eos_token_id exclude extra_body extra_kwargs
    frequency_penalty generate_kwargs generation_config grammar guidance guided_json guided_regex host include
    include_thoughts inference_url input_type instruction is_chat_model is_function_calling_model json_mode
    kind kwargs language late_chunking layers length_penalty location logprobs max_completion_tokens
    max_length max_new_tokens max_output_tokens max_seq_length max_tokens max_tokens_to_sample
    messages_to_prompt min_new_tokens min_p min_tokens mirostat mirostat_eta mirostat_tau modalities mode
    model model_config model_dir model_file model_id model_kind model_kwargs model_name model_parameters
    model_path model_repo model_type model_uid model_version n name no_repeat_ngram_size normalize
    normalize_embeddings normalized num_beams num_ctx num_gpu num_keep num_predict num_return_sequences
    num_thread options output_dimension output_dimensionality output_dtype output_parser output_version
    parallel_tool_calls params passage_instruction passage_prefix penalize_nl penalty_alpha pooling
    pooling_mode precision prediction prefix prefixes presence_penalty project project_id prompt prompt_key
    prompt_template provider provider_options pydantic_program_mode quantization query_encode_kwargs
    query_instruction query_prefix query_wrapper_prompt reasoning reasoning_effort reasoning_format region
    region_name repeat_last_n repeat_penalty repetition_penalty repo repo_id return_full_text revision runtime
    safe_prompt safety_settings seed sequence_bias server_url service service_tier settings skip_empty
    skip_special_tokens sparse special_tokens stop stop_sequences stop_tokens strict structured suffix summary
    system system_prompt task task_type temperature text text_instruction text_prefix tfs_z think thinking
    thinking_budget thinking_config thinking_level title token_limit tokenizer tokenizer_name tool_choice
    tools top_a top_k top_logprobs top_p torch_dtype truncate truncate_dim truncation trust_remote_code type
    typical_p uri url use_responses_api variant verbosity version web_search windows
"""
_HOW_OFTEN = "batch_size chunk_size embed_batch_size max_retries num_workers request_timeout reuse_client timeout"
NAMES = frozenset(f"{_WHICH_AND_HOW} {_HOW_OFTEN}".split())
"""Names of settings that say which model is asked, for what and how, in small letters."""
WHOLE = frozenset(
    ("description", "format", "function", "json_schema", "logit_bias", "parameters", "response_format", "schema")
)
"""Names of settings that are kept with all that is in them: forms, and weights of tokens."""


def known_settings(value: Any) -> Any:
    """Keeps of a model's settings, given as plain values, those that are known by name, at every depth.

    A setting may be spelt in any way. A URL is kept without its login, its query and its fragment.

    >>> known_settings({"modelName": "m", "openAIApiKey": "sk-…", "base_url": "https://me:word@host/v1?api_key=sk-…"})
    {'modelName': 'm', 'base_url': 'https://host/v1'}
    """
    if isinstance(value, dict):
        return {
            key: item if name in WHOLE else known_settings(item)
            for key, item in value.items()
            if (name := _snake_case(key)) in NAMES or name in WHOLE
        }
    if isinstance(value, (list, tuple)):
        return [known_settings(item) for item in value]
    return _without_login(value) if isinstance(value, str) and "://" in value else value


def _without_login(text: str) -> str:
    """A URL -> its scheme, host and path. Any other text stays as it is."""
    if any(map(str.isspace, text)):
        return text
    parts = urlsplit(text)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _snake_case(key: object) -> str:
    """A name in any spelling -> in small letters, with one underscore between words: modelName, X-Model."""
    return _HUMP.sub("_", str(key)).lower().strip("_")
