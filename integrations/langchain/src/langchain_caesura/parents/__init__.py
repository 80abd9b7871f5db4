"""Documents in, small texts to search and the large ones that they lead to out: the parent retriever and its stores."""
