"""The text of an entry's file: what it holds and on which line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import yaml

from rules.yamldata import read_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import ErrorDetails

Location = tuple[int | str, ...]
"""Keys and indices that lead to a part of an entry."""

FILL_IN = "FILL IN"
"""How a draft marks what its editor has to write."""
_LISTS_BY_ID = ("workarounds", "dead_ends")
_LISTS = ("signatures", "aliases", "unless", "yields_to", "ask", "sources")
_TEACH = {
    "extra_forbidden": "no such field; `nccl-bot kb schema` lists them",
    "missing": "is missing",
    "too_short": "needs at least one",
}


@dataclass(frozen=True, slots=True)
class EntryError:
    """What is wrong with a file, where, and in which words to mend it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Source:
    """One file's text and fields; with `base`, merged over the file that it extends."""

    path: str
    text: str
    data: dict[str, Any]
    base: Source | None = None
    own: frozenset[str] = frozenset()
    """Fields that an extending file has itself."""

    @property
    def extends(self) -> bool:
        """Whether it adds to an entry of an earlier directory instead of being one."""
        return bool(self.data.get("extends")) or (
            self.data.get("retired") is True and "signatures" not in self.data
        )

    @property
    def whole(self) -> str:
        """All text that the fields are from."""
        return self.base.whole + self.text if self.base else self.text

    def place(self, location: Location) -> tuple[str, int]:
        """Path and line of the deepest part of `location` that is written down; line 1 at least."""
        if self.base is not None and location:
            key, *rest = location
            if key not in self.own:
                return self.base.place(location)
            if rest and isinstance(rest[0], int) and key in (*_LISTS, *_LISTS_BY_ID):
                index = self._own_index(str(key), rest[0])
                if index is None:
                    return self.base.place(location)
                location = (key, index, *rest[1:])
        return self.path, _line_of(self._root, location)

    def _own_index(self, key: str, index: int) -> int | None:
        """Where the merged list's item stands in this file; none where it is the base's."""
        assert self.base is not None
        before = len(_list_of(self.base, key))
        if key in _LISTS:
            return index - before if index >= before else None
        item = self.data[key][index]
        mine = read_yaml(self.text)[key]
        return mine.index(item) if item in mine else None

    @cached_property
    def _root(self) -> yaml.Node | None:
        return yaml.compose(self.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def parse(path: str, text: str, errors: list[EntryError]) -> Source | None:
    """Read the fields of a file; what is wrong goes to `errors`."""
    try:
        data = read_yaml(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        errors.append(EntryError(path, mark.line + 1 if mark else 0, f"no YAML: {problem}"))
        return None
    except (ValueError, RecursionError) as error:
        errors.append(EntryError(path, 0, f"no YAML: {error}"))
        return None
    if not isinstance(data, dict):
        errors.append(EntryError(path, 1, "must be a mapping with the fields of an entry"))
        return None
    return Source(path, text, data)


def extend(base: Source | None, addition: Source, errors: list[EntryError]) -> Source | None:
    """Lay `addition` over `base`: lists grow, steps of one id are replaced."""
    fields = {key: value for key, value in addition.data.items() if key != "extends"}
    if base is None:
        line = addition.place(("extends",))[1]
        message = "extends an entry that no earlier directory has; drop `extends` to add it"
        errors.append(EntryError(addition.path, line, message))
        return None
    merged = {**base.data, **fields}
    for key in _LISTS:
        if isinstance(fields.get(key), list):
            merged[key] = [*_list_of(base, key), *fields[key]]
    for key in _LISTS_BY_ID:
        if isinstance(fields.get(key), list):
            merged[key] = _merge_by_id(_list_of(base, key), fields[key])
    return Source(addition.path, addition.text, merged, base, frozenset(fields))


def say_error(item: ErrorDetails) -> str:
    """Say what the validator found so that one can mend it."""
    kind, where = item["type"], item["loc"]
    if kind == "string_type" and where and where[0] in ("versions", "workarounds"):
        return f"write it in quotes: {str(item['input'])!r} is no text to YAML"
    if kind == "string_pattern_mismatch" and "sources" in where:
        return f"a source must be a link that starts with https://, not {item['input']!r}"
    return _TEACH.get(kind) or str(item["msg"]).removeprefix("Value error, ")


def _list_of(source: Source, key: str) -> list[Any]:
    """Return the list that a field holds; what is none is told of by the validator."""
    found = source.data.get(key)
    return found if isinstance(found, list) else []


def _id_of(item: Any) -> str | None:
    identity = item.get("id") if isinstance(item, dict) else None
    return identity if isinstance(identity, str) else None


def _merge_by_id(base: Sequence[Any], addition: Sequence[Any]) -> list[Any]:
    replaced = {name: item for item in addition if (name := _id_of(item)) is not None}
    kept = [replaced.pop(name, item) if (name := _id_of(item)) else item for item in base]
    strays = [item for item in addition if _id_of(item) is None]
    return [*kept, *replaced.values(), *strays]


def _line_of(node: yaml.Node | None, location: Location) -> int:
    line = 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == part), None)
            if found is None:
                return line
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            if part >= len(node.value):
                return line
            node = node.value[part]
            line = node.start_mark.line + 1
    return line
