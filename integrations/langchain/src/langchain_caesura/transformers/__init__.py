"""Transformers that ask a language model: propositions, chunks by subject, summaries, questions, descriptions.

They need caesura-llm, which the extra `llm` installs.
"""

try:
    import caesura_llm  # noqa: F401
except ImportError as _error:
    raise ImportError('a transformer needs caesura-llm: pip install "langchain-caesura[llm]"') from _error
