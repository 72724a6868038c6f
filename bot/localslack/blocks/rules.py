"""The pieces that Block Kit checks are made of: a check yields one fault a fault.

Faults are worded as Slack words them, with a JSON pointer to the place.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Check = Callable[[Any, str], Iterator[str]]


def fault(words: str, pointer: str) -> str:
    """Return a fault with its place."""
    return f"{words} [json-pointer:{pointer}]"


def string(most: int, least: int = 1) -> Check:
    """Check a string's length in characters, as sent."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield fault("must be a string", pointer)
        elif len(value) > most:
            yield fault(f"must be less than {most + 1} characters", pointer)
        elif len(value) < least:
            yield fault(f"must be more than {least - 1} characters", pointer)

    return check


def boolean(value: Any, pointer: str) -> Iterator[str]:
    """Check for true or false."""
    if not isinstance(value, bool):
        yield fault("must be a boolean", pointer)


def integer(least: int, most: int) -> Check:
    """Check a whole number's range."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, int) or isinstance(value, bool):
            yield fault("must be an integer", pointer)
        elif not least <= value <= most:
            yield fault(f"must be between {least} and {most}", pointer)

    return check


def choice(*allowed: str) -> Check:
    """Check for one of a few words."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if value not in allowed:
            yield fault(f"value must be one of {', '.join(allowed)}", pointer)

    return check


def array(item: Check, most: int, least: int = 1) -> Check:
    """Check an array's size and each of its items."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield fault("must be an array", pointer)
            return
        if len(value) > most:
            yield fault(f"no more than {most} items allowed", pointer)
        if len(value) < least:
            yield fault(f"no fewer than {least} items allowed", pointer)
        for number, each in enumerate(value):
            yield from item(each, f"{pointer}/{number}")

    return check


def shape(fields: Mapping[str, Check], *rules: Check) -> Check:
    """Check an object's fields; `!` marks a required one, any other name is refused."""
    known = {name.rstrip("!"): check for name, check in fields.items()}
    required = [name.rstrip("!") for name in fields if name.endswith("!")]

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield fault("must be an object", pointer)
            return
        for name in required:
            if name not in value:
                yield fault(f"missing required field: {name}", pointer)
        for name, each in value.items():
            if name == "type":
                continue
            if name not in known:
                yield fault(f"invalid additional property: {name}", pointer)
            else:
                yield from known[name](each, f"{pointer}/{name}")
        for rule in rules:
            yield from rule(value, pointer)

    return check


def by_type(kinds: Mapping[str, Check]) -> Check:
    """Check an object by the check that its `type` names."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield fault("must be an object", pointer)
            return
        kind = value.get("type")
        if kind is None:
            yield fault("missing required field: type", pointer)
        elif kind not in kinds:
            yield fault(f"unsupported type: {kind}", f"{pointer}/type")
        else:
            yield from kinds[kind](value, pointer)

    return check


def exactly_one(*names: str) -> Check:
    """Check that exactly one of these fields is there."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if sum(name in value for name in names) != 1:
            yield fault(f"must define exactly one of {', '.join(names)}", pointer)

    return check


def at_least_one(*names: str) -> Check:
    """Check that at least one of these fields is there."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not any(name in value for name in names):
            yield fault(f"must define at least one of {', '.join(names)}", pointer)

    return check


def distinct(field: str) -> Check:
    """Check that no two items of an array share a value of this field."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        seen: set[str] = set()
        for number, each in enumerate(value if isinstance(value, list) else []):
            given = each.get(field) if isinstance(each, dict) else None
            if given is None:
                continue
            if given in seen:
                place = f"{pointer}/{number}/{field}"
                yield fault(f'`{field}` "{given}" already exists', place)
            seen.add(given)

    return check


def both(*checks: Check) -> Check:
    """Check by every one of these."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        for each in checks:
            yield from each(value, pointer)

    return check
