"""Work with a language model, without a client: requests come out, replies go in."""
