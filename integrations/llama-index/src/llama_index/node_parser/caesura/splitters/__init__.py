"""The splitters that users name: settings in, a LlamaIndex node parser out, one to a file."""
