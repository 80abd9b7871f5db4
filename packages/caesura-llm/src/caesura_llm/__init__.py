"""Propositions, topics, summaries and questions from any language model: requests come out, replies go in."""

__version__ = "0.2.0"
