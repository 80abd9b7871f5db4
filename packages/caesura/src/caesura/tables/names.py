"""The columns that are read, and which are wanted -> the columns that are made, their order, and what is amiss."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

from caesura.errors import SettingError


@dataclass(frozen=True, slots=True)
class Names:
    """id, text: the columns that are read. vectors, errors: whether a column of them is made.

    Raises `SettingError` where they are one column, or one that is made.
    """

    id: str
    text: str
    vectors: bool
    errors: bool

    def __post_init__(self) -> None:
        if self.id == self.text or {self.id, self.text} & set(self.made()):
            raise SettingError(
                f"id_column={self.id!r} and text_column={self.text!r} must be two columns, and none of "
                f"{self.made()}, which are made: rename what is read"
            )

    def made(self) -> list[str]:
        """The columns that are made, beside the text."""
        more = [*(["vector"] if self.vectors else []), *(["error"] if self.errors else [])]
        return ["chunk", "start", "end", "chunk_id", *more]

    def ordered(self, names: list[Any]) -> list[Any]:
        """The columns of a table -> those of the table that comes of it. Raises `SettingError` where that cannot be."""
        if not {self.id, self.text} <= set(names):
            raise SettingError(
                f"rows must have the columns {self.id!r} and {self.text!r}, got {names}: "
                f"say which are meant by id_column and text_column"
            )
        made = self.made()
        taken = [name for name in made if name in names]
        if taken:
            raise SettingError(f"the columns {taken} would be overwritten by those that are made: rename them first")
        others = [name for name in names if name not in (self.id, self.text)]
        return [self.id, *made[:3], self.text, *made[3:], *others]

    def wrong(self, own: object, text: object) -> str | None:
        """What is the matter with a row's id or text, if anything."""
        if not isinstance(own, (str, Integral)) or isinstance(own, bool):
            return f"{self.id} must be a str or a whole number in every row, got {own!r:.80}"
        if not isinstance(text, str):
            return f"{self.text} must be a str, got {type(text).__name__} in the row of {own!r:.80}"
        return None
