"""Settings in, a LangChain text splitter out: one file per way of cutting, and one for several sizes at once."""
