"""A larger knowledge base: the real entries, and copies of them with other words.

Copies keep the shape of the real entries (lengths, gaps, captures, roles, steps) and share none of
their longer words, so that they cost what real ones would and answer nothing else.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from typing import TYPE_CHECKING, Any

import yaml

from rules.load import shipped

if TYPE_CHECKING:
    from pathlib import Path

# Escapes, classes, counts and group names of an expression stay; only free words change.
_TOKEN = re.compile(r"\\.|\[[^\]]*\]|\(\?P<\w+>|\{[^}]*\}|(?P<word>[A-Za-z]{4,})")
_PLAIN = re.compile(r"(?P<word>[A-Za-z]{4,})")
_VOWELS, _CONSONANTS = "aeiou", "bcdfghklmnprstvz"


def grow(directory: Path, times: int) -> int:
    """Write `times` as many entries as are shipped; returns how many."""
    count = 0
    for path in sorted(shipped().rglob("*.yaml")):
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        (directory / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, directory / path.parent.name / path.name)
        for copy in range(1, times):
            changed = _change(data, copy)
            target = directory / f"{changed['id']}.yaml"
            dump = yaml.dump(changed, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
            target.write_text(dump, encoding="utf-8")
        count += times
    return count


def _change(data: dict[str, Any], copy: int) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(data, default=str))
    changed["id"] += f"-{copy}"
    changed["verified_on"] = data["verified_on"]
    changed["yields_to"] = [f"{other}-{copy}" for other in data.get("yields_to", ())]
    changed.pop("samples", None)
    changed["unless"] = [_reword(text, copy, _PLAIN) for text in data.get("unless", ())]
    for signature in changed["signatures"]:
        if "text" in signature:
            signature["text"] = _reword(signature["text"], copy, _PLAIN)
        else:
            signature["regex"] = _reword(signature["regex"], copy, _TOKEN)
        if "near" in signature:
            signature["near"] = [_reword(text, copy, _PLAIN) for text in signature["near"]]
    return changed


def _reword(text: str, copy: int, token: re.Pattern[str]) -> str:
    return token.sub(lambda m: _word(m["word"], copy) if m["word"] else m[0], text)


def _word(word: str, copy: int) -> str:
    """Another word of the same length and case; the same one wherever it stands in one copy."""
    rng = random.Random(f"{copy}:{word.lower()}")
    letters = [rng.choice(_VOWELS if i % 2 else _CONSONANTS) for i in range(len(word))]
    return "".join(
        new.upper() if old.isupper() else new for old, new in zip(word, letters, strict=True)
    )
