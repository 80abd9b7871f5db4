"""Rows -> a `Table`, which is drawn for a screen, a notebook or a page, and written as JSON or CSV."""
