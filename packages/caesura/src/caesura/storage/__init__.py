"""Bytes and vectors on the disk, and locks by key. Not loaded by `import caesura`."""
