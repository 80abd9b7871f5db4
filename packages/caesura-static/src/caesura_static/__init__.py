"""Texts in, vectors out, offline: a small static embedding model that ships inside the package."""

from caesura_static.embedder import StaticEmbedder
from caesura_static.loaded import LoadedEmbedder

__all__ = ["LoadedEmbedder", "StaticEmbedder"]
__version__ = "0.2.0"
