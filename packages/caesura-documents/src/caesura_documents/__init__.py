"""What stands where in a document: headings, tables, pages, source code, and the output of parsers."""

__version__ = "0.2.0"
