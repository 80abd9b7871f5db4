"""Splits tables, files and streams of documents: in Ray, Spark, Dask or plain processes."""

__version__ = "0.2.0"
