"""A printed page -> text: words with boxes become lines, columns, paragraphs, tables and headings."""

PDF_REMEDY = 'a PDF needs pip install "caesura-documents[pdf]"'
