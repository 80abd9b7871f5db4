"""Keeps a kitchen's pantry: amounts that add up, recipes for any number of guests, and the list for the market.

An amount is a number and a unit. Weights and volumes are converted within their own kind and never into each other,
because a cup of flour and a cup of honey do not weigh the same.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

GRAMS = {"g": 1.0, "kg": 1000.0, "oz": 28.35, "lb": 453.6}
MILLILITRES = {"ml": 1.0, "l": 1000.0, "tsp": 5.0, "tbsp": 15.0, "cup": 240.0}
SOON = timedelta(days=3)


class UnitError(ValueError):
    """Two amounts that cannot be brought to one unit."""


@dataclass(frozen=True, order=True)
class Amount:
    """A number of grams, millilitres or pieces."""

    kind: str
    number: float

    @classmethod
    def of(cls, number: float, unit: str) -> Amount:
        """Reads an amount as a cook writes it: 2 cups, 1.5 kg, 3 pieces."""
        if unit in GRAMS:
            return cls("g", number * GRAMS[unit])
        if unit in MILLILITRES:
            return cls("ml", number * MILLILITRES[unit])
        if unit in ("", "piece", "pieces"):
            return cls("pieces", number)
        raise UnitError(f"no such unit: {unit!r}")

    def __add__(self, other: Amount) -> Amount:
        if self.kind != other.kind:
            raise UnitError(f"cannot add {other.kind} to {self.kind}")
        return Amount(self.kind, self.number + other.number)

    def __mul__(self, factor: float) -> Amount:
        return Amount(self.kind, self.number * factor)

    def __str__(self) -> str:
        if self.kind != "pieces" and self.number >= 1000:
            return f"{self.number / 1000:.2g} {'kg' if self.kind == 'g' else 'l'}"
        return f"{self.number:.3g} {self.kind}"


@dataclass
class Recipe:
    """What goes into a dish, for how many, and how it is made."""

    name: str
    serves: int
    ingredients: dict[str, Amount]
    steps: list[str] = field(default_factory=list)

    def scaled(self, guests: int) -> Recipe:
        """The same dish for another number of guests. Steps stay as they are, baking times too: mind the oven."""
        factor = guests / self.serves
        wanted = {name: amount * factor for name, amount in self.ingredients.items()}
        return Recipe(self.name, guests, wanted, self.steps)

    def __iter__(self) -> Iterator[tuple[str, Amount]]:
        return iter(self.ingredients.items())


@dataclass
class Jar:
    """Something on a shelf, and the day after which nobody should eat it."""

    content: str
    amount: Amount
    best_before: date

    def spoils_soon(self, today: date) -> bool:
        """Whether it has to go into tonight's soup."""
        return self.best_before - today <= SOON


class Pantry:
    """The shelves. Jars are taken oldest first, so that nothing is forgotten at the back."""

    def __init__(self, jars: Iterable[Jar] = ()) -> None:
        self.jars = sorted(jars, key=lambda jar: jar.best_before)

    def stock(self, content: str, today: date) -> float:
        """How much there is of something that can still be eaten."""
        return sum(jar.amount.number for jar in self.jars if jar.content == content and jar.best_before >= today)

    def missing(self, recipes: Iterable[Recipe], today: date) -> dict[str, Amount]:
        """What has to be bought so that all the recipes can be cooked on one evening."""
        needed: defaultdict[str, float] = defaultdict(float)
        kinds: dict[str, str] = {}
        for recipe in recipes:
            for name, amount in recipe:
                needed[name] += amount.number
                if kinds.setdefault(name, amount.kind) != amount.kind:
                    raise UnitError(f"{name} is asked for in {kinds[name]} and in {amount.kind}")
        short = {name: number - self.stock(name, today) for name, number in needed.items()}
        return {name: Amount(kinds[name], number) for name, number in sorted(short.items()) if number > 0}


def read_jars(path: Path) -> list[Jar]:
    """A file with the columns content, number, unit and best_before -> the jars."""
    with path.open(newline="", encoding="utf-8") as lines:
        return [
            Jar(row["content"], Amount.of(float(row["number"]), row["unit"]), date.fromisoformat(row["best_before"]))
            for row in csv.DictReader(lines)
        ]


if __name__ == "__main__":
    flatbread = Recipe("flatbread", 4, {"flour": Amount.of(500, "g"), "water": Amount.of(300, "ml")})
    shelves = Pantry(read_jars(Path("jars.csv")))
    for name, amount in shelves.missing([flatbread.scaled(10)], date.today()).items():
        print(f"{name:20} {amount}")
