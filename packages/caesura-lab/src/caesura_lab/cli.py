"""The command line in, an exit code out: `caesura ask`, `compare`, `view` and the other commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from caesura_lab import __version__
from caesura_lab.commands.ask import ask
from caesura_lab.commands.asking import tune, write_questions
from caesura_lab.commands.compare import compare
from caesura_lab.commands.measure import measure
from caesura_lab.commands.serve import serve
from caesura_lab.commands.show import plot, view
from caesura_lab.commands.split import split
from caesura_lab.reading import escape_controls


class _Commands(TyperGroup):
    """What is wrong with the arguments is said without the control characters in them."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            if isinstance(message := getattr(error, "message", None), str):
                error.message = escape_controls(message)  # type: ignore[attr-defined]
            raise


app: typer.Typer = typer.Typer(
    name="caesura",
    cls=_Commands,
    help="Cut texts where their meaning turns, see the chunks, and measure them on your own files.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (split, ask, compare, measure, serve, view, plot, write_questions, tune):
    app.command("questions" if _command is write_questions else _command.__name__)(_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"caesura-lab {__version__}")
        raise typer.Exit


@app.callback()
def set_common_options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")] = False,
) -> None:
    """Options of no command."""


def main() -> None:
    """The script `caesura`."""
    app()


if __name__ == "__main__":
    main()
