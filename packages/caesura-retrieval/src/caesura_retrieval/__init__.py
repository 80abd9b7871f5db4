"""From rankings to passages within a budget: words, fusion, merging, and embedders of whole documents."""

__version__ = "0.2.0"
