"""Knowledge base files -> KnowledgeBase; every error with its path and line, all at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from rules.entry import Entry
from rules.index import Index
from rules.learn import Rates, state_rates
from rules.posterior import at_midnight
from rules.scan import Scanner

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LISTS_BY_ID = ("workarounds", "dead_ends")
_LISTS = ("signatures", "aliases", "unless", "yields_to", "ask", "sources")


@dataclass(frozen=True, slots=True)
class EntryError:
    """What is wrong with a file, where, and in which words to mend it."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class KnowledgeBaseError(ValueError):
    """One or more files cannot be used; `errors` holds all of them."""

    def __init__(self, errors: Sequence[EntryError]) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = tuple(errors)


@dataclass(frozen=True)
class KnowledgeBase:
    """All live entries by id, with the index that finds them."""

    entries: Mapping[str, Entry]
    version: str
    """Short hash of the content: two bases of one version answer alike."""

    @cached_property
    def index(self) -> Index:
        """The compiled signatures; built once, on first use."""
        return Index(tuple(self.entries.values()))

    @cached_property
    def scanner(self) -> Scanner:
        """The signatures compiled for raw logs; built once, on first use."""
        return Scanner(tuple(self.entries.values()))

    @cached_property
    def stated_rates(self) -> Rates:
        """What the entries state, as of the youngest of them: rates without a single vote."""
        youngest = max(entry.verified_on for entry in self.entries.values())
        return state_rates(self.entries.values(), at_midnight(youngest))


def shipped() -> Path:
    """The directory of the entries that come with the bot."""
    package = Path(__file__).parent
    installed = package / "_kb"
    return installed if installed.is_dir() else package.parent / "kb"


def load(directories: Iterable[Path]) -> KnowledgeBase:
    """Read every entry below `directories`; a later directory extends or overrides an earlier.

    Raises KnowledgeBaseError with all errors of all files.
    """
    sources: dict[str, _Source] = {}
    errors: list[EntryError] = []
    for directory in directories:
        _read_directory(directory, sources, errors)
    entries: dict[str, Entry] = {}
    for identity, source in sorted(sources.items()):
        try:
            entries[identity] = Entry.model_validate(source.data)
        except ValidationError as error:
            errors.extend(_locate(source, error))
    if not entries and not errors:
        errors.append(EntryError("kb", 0, "no entries here: give a directory of <domain>/<slug>.yaml"))
    if errors:
        raise KnowledgeBaseError(sorted(errors, key=lambda e: (e.path, e.line)))
    digest = hashlib.sha256("".join(source.text for _, source in sorted(sources.items())).encode())
    live = {key: entry for key, entry in entries.items() if not entry.retired}
    return KnowledgeBase(live, digest.hexdigest()[:10])


@dataclass(slots=True)
class _Source:
    path: str
    text: str
    data: dict[str, Any]


def _read_directory(
    directory: Path, sources: dict[str, _Source], errors: list[EntryError]
) -> None:
    if not directory.is_dir():
        errors.append(EntryError(str(directory), 0, "no such directory"))
        return
    for path in sorted(directory.glob("*/*.yaml")):
        identity = f"{path.parent.name}/{path.stem}"
        source = _read(path, errors)
        if source is None:
            continue
        if source.data.get("id") != identity:
            line = _line_of(source.text, ("id",))
            errors.append(EntryError(str(path), line, f"id must be its path: {identity}"))
            continue
        if source.data.pop("extends", False):
            source = _extend(sources.get(identity), source, errors)
        if source is not None:
            sources[identity] = source


def _read(path: Path, errors: list[EntryError]) -> _Source | None:
    try:
        text = path.read_text(encoding="utf-8")
        data = yaml.load(text, Loader=_Loader)  # noqa: S506  the loader is a safe one
    except (OSError, UnicodeDecodeError) as error:
        errors.append(EntryError(str(path), 0, f"cannot be read: {error}"))
        return None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        errors.append(EntryError(str(path), mark.line + 1 if mark else 0, f"no YAML: {problem}"))
        return None
    if not isinstance(data, dict):
        errors.append(EntryError(str(path), 1, "must be a mapping with the fields of an entry"))
        return None
    return _Source(str(path), text, data)


def _extend(
    base: _Source | None, addition: _Source, errors: list[EntryError]
) -> _Source | None:
    if base is None:
        line = _line_of(addition.text, ("extends",))
        message = "extends an entry that no earlier directory has; drop `extends` to add it"
        errors.append(EntryError(addition.path, line, message))
        return None
    merged = {**base.data, **addition.data}
    for key in _LISTS:
        if key in addition.data:
            merged[key] = [*base.data.get(key, ()), *addition.data[key]]
    for key in _LISTS_BY_ID:
        if key in addition.data:
            merged[key] = _merge_by_id(base.data.get(key, ()), addition.data[key])
    return _Source(addition.path, base.text + addition.text, merged)


def _merge_by_id(base: Sequence[Any], addition: Sequence[Any]) -> list[Any]:
    replaced = {item.get("id"): item for item in addition if isinstance(item, dict)}
    kept = [replaced.pop(item.get("id"), item) for item in base]
    return [*kept, *replaced.values()]


def _locate(source: _Source, error: ValidationError) -> Iterable[EntryError]:
    for item in error.errors():
        where = ".".join(str(part) for part in item["loc"])
        line = _line_of(source.text, item["loc"])
        yield EntryError(source.path, line, f"{where}: {item['msg']}")


def _line_of(text: str, location: tuple[int | str, ...]) -> int:
    """Line of the deepest part of `location` that the file has; 1 where it has none."""
    node = yaml.compose(text, Loader=_Loader)
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


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """The fast safe loader, refusing a key that is written twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        """Build a mapping; raises on a key that stands twice."""
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                problem = f"the key {key.value!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)  # type: ignore[no-any-return]
