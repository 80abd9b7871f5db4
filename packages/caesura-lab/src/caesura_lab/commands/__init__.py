"""The commands of `caesura`: each reads options, calls the Python API, and writes what it returns."""
