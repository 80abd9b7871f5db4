"""A splitter of another package -> text in, strings out, by its own interface and measured by our sizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeAlias

from caesura import CaesuraError, SettingError
from caesura.types import Embed
from caesura_lab.sizing import Sizing

Pieces: TypeAlias = Callable[[str], "list[str]"]
Settings: TypeAlias = dict[str, Any]


class SplitterError(CaesuraError):
    """A splitter of another package failed on a text."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A splitter of another package.

    make: (its own settings, sizing, embedder) -> str -> pieces. needs: the modules, and the distributions that have
    them. limited: whether it keeps to a size.
    """

    make: Callable[[Settings, Sizing, Embed], Pieces]
    needs: tuple[tuple[str, str], ...]
    limited: bool = True

    @property
    def missing(self) -> str | None:
        """The distributions that are not installed, as pip takes them, or None."""
        return " ".join(name for module, name in self.needs if not _installed(module)) or None

    def pieces(self, name: str, settings: Settings, sizing: Sizing, embed: Embed) -> Pieces:
        """Raises `SettingError` where something is not installed, or the splitter does not take a setting; what it
        raises when it cuts is a `SplitterError`."""
        if self.missing:
            raise SettingError(f"splitter {name!r} needs what is not installed: pip install {self.missing}")
        try:
            split = self.make(settings, sizing, embed)
        except (TypeError, ValueError) as error:
            raise SettingError(f"splitter {name!r} does not take {settings or sizing}: {error}") from error

        def pieces(text: str) -> list[str]:
            try:
                return split(text)
            except CaesuraError:
                raise
            except Exception as error:  # such as of a setting that it takes and cannot use
                raise SplitterError(f"splitter {name!r} failed: {type(error).__name__}: {error}") from error

        return pieces


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False
