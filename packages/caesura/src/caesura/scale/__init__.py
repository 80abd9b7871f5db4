"""Tables, files and streams of documents. Not loaded by `import caesura`."""
