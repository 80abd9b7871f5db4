"""A stand-in for a language model, on this machine, so that examples run offline; by rule, so worth nothing."""
