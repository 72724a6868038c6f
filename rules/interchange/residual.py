"""What a form says that an entry cannot hold: kept aside so that an export loses nothing.

A residual is the difference between a document and the one that the entry alone would give. It
names what it replaces, so that an entry edited since keeps its edit.
"""

from __future__ import annotations

from typing import Any

Json = Any
_WAS, _IS = "$was", "$is"


def subtract(original: Json, built: Json) -> Json:
    """Tell how `original` differs from `built`; an empty mapping where it does not."""
    if original == built and type(original) is type(built):
        return {}
    if not (isinstance(original, dict) and isinstance(built, dict)):
        return {_WAS: built, _IS: original}
    changed: dict[str, Json] = {}
    for key in [*original, *(key for key in built if key not in original)]:
        if key not in built:
            changed[key] = {_IS: original[key]}
        elif key not in original:
            changed[key] = {_WAS: built[key]}
        elif part := subtract(original[key], built[key]):
            changed[key] = part
    return changed


def add(built: Json, residual: Json) -> Json:
    """Put back what `subtract` told, but nothing that was edited since."""
    if not residual:
        return built
    if _WAS in residual:
        return residual[_IS] if built == residual[_WAS] and _IS in residual else built
    if not isinstance(built, dict):
        return built
    merged = dict(built)
    for key, part in residual.items():
        if key not in built:
            if _WAS not in part and _IS in part:
                merged[key] = part[_IS]
        elif _WAS in part and _IS not in part:
            if built[key] == part[_WAS]:
                del merged[key]
        else:
            merged[key] = add(built[key], part)
    return merged
