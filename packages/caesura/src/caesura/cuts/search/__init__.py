"""The rows, weights, sizes and limits of a text -> its best breaks: at a penalty, or for a number of chunks."""
