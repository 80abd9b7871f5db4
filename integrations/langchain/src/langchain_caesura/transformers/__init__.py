"""Documents in, what a language model says of them out: propositions, chunks by subject, summaries, questions."""
