"""Segmenters and embedders from other libraries, one file and one extra each. Not loaded by `import caesura`."""
