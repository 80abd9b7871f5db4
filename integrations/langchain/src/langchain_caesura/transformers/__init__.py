"""Transformers that ask a language model: propositions, chunks by subject, summaries, questions, descriptions."""
