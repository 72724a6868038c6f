"""`nccl-bot kb test`: every sample against all entries, and healthy text against them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.kb.shared import add_ids, read_kb
from bot.errors import UsageError
from rules.load import KnowledgeBaseError, shipped
from rules.prove import prove, prove_silence

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from pathlib import Path


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "test",
        help="run the samples of entries",
        description=(
            "Samples are answered as they say, and the texts of each directory's healthy/*.txt "
            "(parted by lines of ---) not at all. "
            "Exit code 0: so it is; 1: some are not; 2: bad usage."
        ),
    )
    add_ids(parser)
    parser.set_defaults(handle=handle)


def handle(arguments: argparse.Namespace) -> int:
    """Print what is not answered as it should be, then the counts."""
    reading = read_kb(arguments)
    if reading.errors:
        raise UsageError(str(KnowledgeBaseError(reading.errors)))
    kb = reading.base
    chosen = [e for e in kb.entries.values() if not arguments.ids or e.id in arguments.ids]
    faults = [f"{entry.id}: {fault}" for entry in chosen for fault in prove(entry, kb)]
    texts = read_healthy([shipped(), *(arguments.kb or ())])
    faults += [f"{name}: {fault}" for name, text in texts for fault in prove_silence(text, kb)]
    for fault in faults:
        print(fault)
    samples = sum(len(e.samples.match) + len(e.samples.no_match) for e in chosen)
    print(
        f"{len(chosen)} entries, {samples} samples, {len(texts)} healthy texts, {len(faults)} faults"
    )
    return int(bool(faults))


def read_healthy(directories: Iterable[Path]) -> list[tuple[str, str]]:
    """Read the texts that nothing may answer: file and number, and the text."""
    return [
        (f"{path.name}:{number}", text)
        for directory in directories
        for path in sorted(directory.joinpath("healthy").glob("[!.]*.txt"))
        for number, text in enumerate(split_texts(_read(path)), 1)
    ]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error


def split_texts(whole: str) -> list[str]:
    """Part a file at its lines of three hyphens."""
    parts = f"\n{whole}\n".split("\n---\n")
    return [part.strip("\n") for part in parts if part.strip()]
