"""A printed page -> text: words with boxes become lines, columns, paragraphs, tables and headings."""
