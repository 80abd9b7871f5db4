"""HTML that makes readers slow."""

from __future__ import annotations

MARKUP = {
    "tags that never end": lambda n: "<a " * n,
    "values that never end": lambda n: "<a b='" * n,
    "values without quotes": lambda n: "<a b=" * n + "c>",
    "attributes": lambda n: "<a " + "b=c " * n + ">",
    "comments that never end": lambda n: "<!-- -" * n,
    "declarations that never end": lambda n: "<!x " * n,
    "elements without text": lambda n: "<nav><div>" * n,
    "scripts": lambda n: "<script>" * n,
    "lists in lists": lambda n: "<ul><li>x" * n,
    "tables in tables": lambda n: "<table><tr><td>x" * n,
    "a wide row and short ones": lambda n: f"<table><tr>{'<td>x' * n}</tr>{'<tr><td>y' * n}</table>",
    "cells over all rows": lambda n: f"<table><tr>{'<td rowspan=0>x' * n}</tr>{'<tr><td>y' * n}</table>",
    "cells over all columns": lambda n: f"<table><tr>{'<td>x' * n}</tr><tr><td colspan=1000>{'y' * n}</table>",
    "cells over both": lambda n: f"<table><tr>{'<td rowspan=9 colspan=1000>x' * n}{'<tr><td>y' * n}</table>",
}
"""What n makes -> HTML that is n times as long."""
