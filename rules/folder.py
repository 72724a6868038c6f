"""The files of a folder of entries: names that begin with a dot are left out, links are followed.

A checkout of Git and a ConfigMap of Kubernetes hold hidden names beside their entries, editors
leave locks of such names, and a folder is often a link to where its files are kept.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_KINDS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds, sorted by path."""

    files: tuple[Path, ...]
    """All that are called like an entry, in whatever place below the folder."""
    unread: tuple[tuple[Path, OSError], ...]
    """Folders and links that could not be looked into, and why."""


def list_files(folder: Path) -> Listing:
    """List the files at any depth; a link that leads back up is left out."""
    files: list[Path] = []
    unread: list[tuple[Path, OSError]] = []
    real = Path(os.path.realpath(folder))
    above, seen = {real, *real.parents}, set[Path]()
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            for path in _list_folder(place, files, unread):
                real = Path(os.path.realpath(path))
                # A domain is read under each of its names. Deeper there is no entry to be read,
                # and once is enough: folders that link each other make endlessly many paths.
                if real not in above and (place == folder or real not in seen):
                    seen.add(real)
                    waiting.append(path)
        except OSError as error:
            unread.append((place, error))
    return Listing(tuple(sorted(files)), tuple(sorted(unread, key=lambda each: each[0])))


def _list_folder(place: Path, files: list[Path], unread: list[tuple[Path, OSError]]) -> list[Path]:
    """Return the folders in `place`, and note its files."""
    folders = []
    with os.scandir(place) as items:
        for item in items:
            path = Path(place, item.name)
            if item.name.startswith("."):
                continue
            try:
                is_folder = item.is_dir()
            except OSError as error:
                is_folder = False
                if path.suffix not in _KINDS:  # Reading the file tells of the others.
                    unread.append((path, error))
            if is_folder:
                folders.append(path)
            elif path.suffix in _KINDS:
                files.append(path)
    return folders
