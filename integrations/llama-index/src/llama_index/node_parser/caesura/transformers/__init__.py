"""What asks a language model: documents or nodes in, nodes that it had a part in out."""
