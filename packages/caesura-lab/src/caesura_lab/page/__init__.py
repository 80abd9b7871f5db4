"""Texts as splitters cut them -> the page of `view`: page.html, page.css and page.js around the data."""
