"""The subset of YAML in which entries are written -> plain data, in half of PyYAML's time.

The events of PyYAML's parser are put together without its nodes and constructors. A key is the
word that is written; a key that stands twice and an alias, which could multiply, are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STR = "tag:yaml.org,2002:str"
_UNREADABLE = (ValueError, LookupError, AttributeError, TypeError, ArithmeticError)
"""What PyYAML's constructors raise at a value that is not what its tag or look says."""
_MOST_BITS = 1024
"""Of a number; one of thousands could not even be told of."""


class _Builder:
    def __init__(self, text: str) -> None:
        self._loader = _Parser(text)
        self._first = frozenset(self._loader.yaml_implicit_resolvers)

    def document(self) -> Any:
        """Build the only document's data; none where there is no document."""
        events = iter(self._loader.get_event, None)
        value = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if value is not None:
                    raise _refuse("one document is enough", event)
                value = self._value(next(events), events)
        return value

    def _value(self, event: yaml.Event, events: Iterator[yaml.Event]) -> Any:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind is yaml.MappingStartEvent:
            return self._mapping(events)
        if kind is yaml.SequenceStartEvent:
            return self._sequence(events)
        raise _refuse("an alias is refused: write it out", event)

    def _scalar(self, event: Any) -> Any:
        text = event.value
        if event.tag is None:
            if not event.implicit[0] or (text and text[0] not in self._first):
                return text
            tag = self._loader.resolve(yaml.ScalarNode, text, event.implicit)
            if tag == _STR:
                return text
        else:
            tag = event.tag
        node = yaml.ScalarNode(tag, text, event.start_mark, event.end_mark)
        try:
            value = self._loader.construct_object(node, deep=True)
        except _UNREADABLE as error:
            kind = tag.rpartition(":")[2]
            raise _refuse(f"{text[:80]!r} is no {kind}: write text in quotes", event) from error
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise _refuse("the number is too large: write it in quotes", event)
        return value

    def _mapping(self, events: Iterator[yaml.Event]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise _refuse("a key must be a word", event)
            if event.value in out:
                raise _refuse(f"the key {event.value!r} stands twice", event)
            out[event.value] = self._value(next(events), events)
        return out

    def _sequence(self, events: Iterator[yaml.Event]) -> list[Any]:
        out: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            out.append(self._value(event, events))
        return out


def read_yaml(text: str) -> Any:
    """Read the data of one document; raises yaml.YAMLError or ValueError where it cannot be read."""
    return _Builder(text).document()


def _refuse(problem: str, event: Any) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, event.start_mark)
