"""`nccl-bot kb import` and `kb export`: entries in other forms."""

from __future__ import annotations

import datetime as dt
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.common import add_kb, load_kb
from bot.errors import UsageError
from rules.interchange.batch import settle
from rules.interchange.canon import read_canon, write_canon
from rules.interchange.markdown import read_markdown
from rules.interchange.markdown_out import write_markdown
from rules.interchange.result import FormError, Imported
from rules.pattern import squeeze
from rules.write import write

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from rules.entry import Entry

_KINDS = {".json": "canon", ".md": "markdown", ".markdown": "markdown"}
_LARGEST = 4 << 20
"""Bytes of one document."""


@dataclass(slots=True)
class _Batch:
    read: list[tuple[Path, Imported]] = field(default_factory=list)
    refused: list[tuple[Path, str]] = field(default_factory=list)


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both commands."""
    taking = commands.add_parser(
        "import",
        help="make entries of Markdown or deadends.dev JSON",
        description="Exit code 0: all imported; 1: some refused, the rest imported; 2: bad usage.",
    )
    taking.add_argument(
        "paths", nargs="+", type=Path, metavar="FILE", help="*.md, *.json, or folders of them"
    )
    taking.add_argument(
        "--into", type=Path, required=True, metavar="DIR", help="where the entries go"
    )
    taking.set_defaults(handle=take_in)
    giving = commands.add_parser("export", help="write entries as Markdown or deadends.dev JSON")
    giving.add_argument("ids", nargs="*", metavar="ID", help="entries; all where none is named")
    giving.add_argument("--form", choices=("markdown", "canon"), default="markdown")
    giving.add_argument(
        "--into", type=Path, metavar="DIR", help="a file for each; else all to the output"
    )
    add_kb(giving)
    giving.set_defaults(handle=give_out)


def take_in(arguments: argparse.Namespace) -> int:
    """Import what can be; report each file with what is wrong or to be looked at."""
    batch = _Batch()
    today = dt.datetime.now(dt.UTC).date()
    for path in _documents(arguments.paths):
        try:
            batch.read += [(path, made) for made in _read(path, today)]
        except FormError as error:
            batch.refused.append((path, str(error)))
    kept = _once_each(batch)
    settled = settle([made for _, made in kept])
    written = 0
    for (path, _), made in zip(kept, settled, strict=True):
        written += _keep(path, made, arguments.into, batch)
    for path, reason in batch.refused:
        print(f"{path}: refused: {reason}")
    print(f"{written} imported into {arguments.into}, {len(batch.refused)} refused")
    return int(bool(batch.refused))


def _documents(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix.lower() in _KINDS)
        elif path.suffix.lower() in _KINDS:
            yield path
        else:
            raise UsageError(f"{path}: give *.md, *.json or a folder of them")


def _read(path: Path, today: dt.date) -> Iterator[Imported]:
    try:
        if path.stat().st_size > _LARGEST:
            raise FormError(f"larger than {_LARGEST >> 20} MiB")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormError(f"cannot be read: {error}") from error
    if not text.strip():
        raise FormError("the file is empty")
    if _KINDS[path.suffix.lower()] == "markdown":
        yield read_markdown(text, today)
        return
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormError(f"no JSON: {error}") from error
    for item in data if isinstance(data, list) else [data]:
        yield read_canon(item, today)


def _once_each(batch: _Batch) -> list[tuple[Path, Imported]]:
    """Keep the first document of each id and of each wording; refuse the others, which cannot win."""
    seen: dict[str | bytes, Path] = {}
    kept = []
    for path, made in batch.read:
        words = next((squeeze(s.text) for s in made.entry.signatures if s.text), b"")
        twin = seen.get(made.entry.id) or seen.get(words)
        if twin is None:
            kept.append((path, made))
            seen |= {made.entry.id: path, words: path}
        else:
            reason = f"has the id or the wording of {twin}, which would always answer first"
            batch.refused.append((path, reason))
    return kept


def _keep(path: Path, made: Imported, into: Path, batch: _Batch) -> int:
    target = into / f"{made.entry.id}.yaml"
    if target.exists():
        batch.refused.append((path, f"{target} exists already"))
        return 0
    _put(target, write(made.entry))
    for remark in made.remarks:
        print(f"{path}: look at {made.entry.id}: {remark}")
    return 1


def give_out(arguments: argparse.Namespace) -> int:
    """Export entries."""
    kb = load_kb(arguments)
    for identity in arguments.ids:
        if identity not in kb.entries:
            raise UsageError(f"no entry {identity}; `nccl-bot kb search` finds ids")
    chosen = [kb.entries[i] for i in arguments.ids] or list(kb.entries.values())
    if arguments.into is not None:
        for entry in chosen:
            _write_out(entry, arguments.form, arguments.into)
        print(f"{len(chosen)} exported into {arguments.into}")
    elif arguments.form == "canon":
        documents = [write_canon(entry) for entry in chosen]
        one = documents[0] if len(documents) == 1 else documents
        print(json.dumps(one, indent=2, ensure_ascii=False))
    else:
        sys.stdout.write("\n".join(write_markdown(entry) for entry in chosen))
    return 0


def _write_out(entry: Entry, form: str, into: Path) -> None:
    suffix = "json" if form == "canon" else "md"
    target = into / f"{entry.id}.{suffix}"
    text = json.dumps(write_canon(entry), indent=2, ensure_ascii=False) + "\n"
    _put(target, text if form == "canon" else write_markdown(entry))


def _put(target: Path, text: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror}") from error
