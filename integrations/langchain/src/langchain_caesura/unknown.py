"""A splitter's class and settings that nothing takes in, an error that says which were meant out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import Parameter, signature

from caesura.adapter_names import check_names


def check_settings(cls: type, base: type, unknown: Mapping[str, object], common: Iterable[str]) -> None:
    """Raises `UnknownSettingError` for the first of `unknown`.

    base: what hands on what it does not know, as its heirs do. common: the settings that all of its heirs have.
    """
    if unknown:
        heirs = [one for one in cls.__mro__ if issubclass(one, base) and one is not base and "__init__" in vars(one)]
        named = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        found = [list(signature(one.__init__).parameters.values())[1:] for one in heirs]
        own = {one.name for parameters in found for one in parameters if one.kind in named}
        check_names(cls.__name__, unknown, own | set(common))
