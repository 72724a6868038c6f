"""Comparing payloads by shape: the same keys and types, whatever the values."""

import json
from pathlib import Path

from bot.localslack.model import Json

PAYLOADS = Path(__file__).parent.parent / "payloads"


def fixture(name: str) -> Json:
    loaded: Json = json.loads((PAYLOADS / name).read_text())
    return loaded


def differences(
    actual: object, expected: object, *, extra: frozenset[str] = frozenset(), at: str = ""
) -> list[str]:
    """Where two payloads differ in keys or types; keys named in `extra` may be there or not."""
    if expected is None or actual is None:
        return []
    if type(actual) is not type(expected):
        return [f"{at}: {type(actual).__name__} is not {type(expected).__name__}"]
    if isinstance(actual, dict) and isinstance(expected, dict):
        return _differing_keys(actual, expected, extra, at)
    if isinstance(actual, list) and isinstance(expected, list) and actual and expected:
        pairs = zip(actual, expected, strict=False)
        return [
            each
            for number, (one, other) in enumerate(pairs)
            for each in differences(one, other, extra=extra, at=f"{at}/{number}")
        ]
    return []


def _differing_keys(actual: Json, expected: Json, extra: frozenset[str], at: str) -> list[str]:
    found = [f"{at}: missing {key}" for key in sorted(expected.keys() - actual.keys() - extra)]
    found += [f"{at}: unexpected {key}" for key in sorted(actual.keys() - expected.keys() - extra)]
    for key in sorted(actual.keys() & expected.keys()):
        found += differences(actual[key], expected[key], extra=extra, at=f"{at}/{key}")
    return found
