"""`nccl-bot kb test`: every sample against all entries, and healthy text against them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.kb.shared import add_ids, read_kb
from bot.errors import UsageError
from rules.load import KnowledgeBaseError
from rules.prove import prove, prove_silence

if TYPE_CHECKING:
    import argparse


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "test",
        help="run the samples of entries",
        description="Exit code 0: all are answered as they say; 1: some are not; 2: bad usage.",
    )
    add_ids(parser)
    parser.add_argument(
        "--healthy",
        type=Path,
        metavar="DIR",
        help="texts (*.txt, parted by lines of ---) of which none may be answered",
    )
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print what is not answered as it should be, then the counts."""
    reading = read_kb(arguments)
    if reading.errors:
        raise UsageError(str(KnowledgeBaseError(reading.errors)))
    kb = reading.base
    chosen = [e for e in kb.entries.values() if not arguments.ids or e.id in arguments.ids]
    faults = [f"{entry.id}: {fault}" for entry in chosen for fault in prove(entry, kb)]
    texts = _healthy(arguments.healthy)
    faults += [f"{name}: {fault}" for name, text in texts for fault in prove_silence(text, kb)]
    for fault in faults:
        print(fault)
    samples = sum(len(e.samples.match) + len(e.samples.no_match) for e in chosen)
    print(
        f"{len(chosen)} entries, {samples} samples, {len(texts)} healthy texts, {len(faults)} faults"
    )
    return int(bool(faults))


def _healthy(folder: Path | None) -> list[tuple[str, str]]:
    if folder is None:
        return []
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise UsageError(f"{folder}: no *.txt here")
    return [
        (f"{path.name}:{number}", text)
        for path in files
        for number, text in enumerate(split_texts(path.read_text(encoding="utf-8")), 1)
    ]


def split_texts(whole: str) -> list[str]:
    """Part a file at its lines of three hyphens."""
    parts = f"\n{whole}\n".split("\n---\n")
    return [part.strip("\n") for part in parts if part.strip()]
