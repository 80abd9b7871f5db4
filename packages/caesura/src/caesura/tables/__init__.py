"""Tables of documents -> tables of chunks, of whatever library they are."""
