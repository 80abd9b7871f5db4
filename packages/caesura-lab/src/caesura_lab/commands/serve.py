"""The command `caesura serve`: files in, a page on this machine that finds passages in them."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from caesura_lab.commands import options
from caesura_lab.commands.console import Reader, embedding_bar, print_line, report_errors, write_output
from caesura_lab.question_server import QuestionServer, check_port
from caesura_lab.question_site import QuestionSite


def serve(
    path: options.Paths,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Of the page's address; 0 takes any that is free.")
    ] = 8350,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    embedder: options.EmbedderOption = "static",
    encoding: options.Encoding = None,
    quiet: options.Quiet = False,
) -> None:
    """Ask your files on a page: passages, where they stand in their documents, and why they were found.

    It searches as `caesura ask` does, and prints the page's address. Only this machine can open it. The files are read
    once, when the command starts; one that cannot be read is named and left out. Ctrl-C ends it.
    Exit code: 0; 1 where no file could be read or the port is taken; 2 for a wrong option.

    \b
    caesura serve docs/ report.pdf
    caesura serve notes.md --port 0 --open
    """
    with report_errors() as console:
        try:
            check_port(port)
        except OSError as error:
            remedy = "name another with --port, or take any with --port 0"
            raise OSError(error.errno, f"port {port}: {error.strerror or error}: {remedy}") from error
        reader = Reader(path, encoding, console, quiet)
        sources = reader.read()
        twice = 2 * sum(len(source.text) for source in sources)  # as sentences and as chunks
        with embedding_bar(console, quiet, embedder, twice) as watched:
            site = QuestionSite(sources, embedder=watched)
        with QuestionServer(site, port) as server:
            write_output(f"{server.url}\n")
            if not quiet:
                left_out = f", {reader.faults} left out" if reader.faults else ""
                print_line(console, f"{reader.files - reader.faults} of {reader.files} files{left_out}; Ctrl-C ends it")
            if open_page:
                webbrowser.open(server.url)
            with suppress(KeyboardInterrupt):
                server.serve_forever()
