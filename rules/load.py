"""Knowledge base files -> KnowledgeBase; every error with its path and line, all at once."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from rules.entry import Entry
from rules.folder import list_files
from rules.index import Index
from rules.learn import Rates, state_rates
from rules.posterior import at_midnight
from rules.regex import find_faults
from rules.scan import Scanner
from rules.source import FILL_IN, EntryError, Source, extend, parse, say_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


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


@dataclass(frozen=True)
class Reading:
    """What the directories hold: entries as far as they can be read, and all that is wrong."""

    sources: Mapping[str, Source]
    entries: Mapping[str, Entry]
    """Retired ones too."""
    errors: tuple[EntryError, ...]

    @cached_property
    def base(self) -> KnowledgeBase:
        """The live entries, whatever is wrong with the others."""
        text = "".join(self.sources[key].whole for key in sorted(self.sources))
        live = {key: entry for key, entry in self.entries.items() if not entry.retired}
        return KnowledgeBase(live, hashlib.sha256(text.encode()).hexdigest()[:10])


def shipped() -> Path:
    """Find the directory of the entries that come with the bot."""
    package = Path(__file__).parent
    installed = package / "_kb"
    return installed if installed.is_dir() else package.parent / "kb"


def load(directories: Iterable[Path]) -> KnowledgeBase:
    """Read every entry below `directories`; a later directory extends or overrides an earlier.

    Raises KnowledgeBaseError with all errors of all files.
    """
    reading = read(directories, trust_shipped=True)
    errors = (*reading.errors, *_find_drafts(reading.sources.values()))
    if errors:
        raise KnowledgeBaseError(errors)
    return reading.base


def _find_drafts(sources: Iterable[Source]) -> Iterator[EntryError]:
    """Tell what is still to be filled in: a draft can be tested, and answers nobody."""
    for source in sources:
        before, found, _ = source.whole.partition(FILL_IN)
        if found:
            line = before.count("\n") + 1
            yield EntryError(source.path, line, f"a draft: replace what says {FILL_IN}")


def read(directories: Iterable[Path], *, trust_shipped: bool = False) -> Reading:
    """Do the same, but tell what is wrong beside what is right; raises nothing.

    `trust_shipped`: their expressions are tested before they are shipped, not at each start.
    """
    sources: dict[str, Source] = {}
    errors: list[EntryError] = []
    for directory in directories:
        _read_directory(directory, sources, errors)
    entries: dict[str, Entry] = {}
    for identity, source in sorted(sources.items()):
        try:
            entry = Entry.model_validate(source.data)
        except ValidationError as error:
            errors += [_locate(source, item["loc"], say_error(item)) for item in error.errors()]
            continue
        trusted = trust_shipped and Path(source.path).parent.parent == shipped()
        faults = [] if trusted else list(_check_signatures(entry, source))
        errors += faults
        if not faults:
            entries[identity] = entry
    if not errors and all(entry.retired for entry in entries.values()):
        errors.append(
            EntryError("kb", 0, "no entries here: give a directory of <domain>/<slug>.yaml")
        )
    return Reading(sources, entries, tuple(sorted(errors, key=lambda e: (e.path, e.line))))


def _check_signatures(entry: Entry, source: Source) -> Iterable[EntryError]:
    """Tell what the engine could not run."""
    for number, signature in enumerate(entry.signatures):
        if signature.regex is not None:
            for fault in find_faults(signature.regex):
                yield _locate(source, ("signatures", number, "regex"), fault)


def _locate(source: Source, location: tuple[int | str, ...], message: str) -> EntryError:
    where = ".".join(str(part) for part in location)
    path, line = source.place(location)
    return EntryError(path, line, f"{where}: {message}" if where else message)


def _read_directory(directory: Path, sources: dict[str, Source], errors: list[EntryError]) -> None:
    if not directory.is_dir():
        errors.append(EntryError(str(directory), 0, "no such directory"))
        return
    listing = list_files(directory)
    for path, why in listing.unread:
        errors.append(EntryError(str(path), 0, f"cannot be read: {why}"))
    for path in listing.files:
        if path.suffix != ".yaml" or path.parent.parent != directory:
            errors.append(EntryError(str(path), 0, "an entry must be <domain>/<slug>.yaml"))
            continue
        identity = f"{path.parent.name}/{path.stem}"
        source = _read_file(path, identity, errors)
        if source is not None and source.extends:
            source = extend(sources.get(identity), source, errors)
        if source is not None:
            sources[identity] = source


def _read_file(path: Path, identity: str, errors: list[EntryError]) -> Source | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # Reading a pipe would never end.
            errors.append(EntryError(str(path), 0, "cannot be read: it is no file"))
            return None
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        errors.append(EntryError(str(path), 0, f"cannot be read: {error}"))
        return None
    source = parse(str(path), text, errors)
    if source is not None and source.data.get("id") != identity:
        errors.append(_locate(source, ("id",), f"must be its path: {identity}"))
        return None
    return source
