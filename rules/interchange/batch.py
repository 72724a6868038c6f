"""A batch of imports: one entry an id, and no expression that takes what is another's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.index import Index
from rules.interchange.canon import rebuild
from rules.pattern import squeeze
from rules.regex import compile_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rules.interchange.result import Imported


def settle(batch: Sequence[Imported]) -> list[Imported]:
    """Drop each expression that would win the literal signature of another entry of the batch.

    Of one expression that several have, the entry with the shortest wording keeps it: there it
    explains most of the line.
    """
    index = Index([each.entry for each in batch])
    taken: dict[str, dict[str, str]] = {}
    owner: dict[str, str] = {}
    for each in sorted(batch, key=_wording_length):
        for regex in filter(None, (signature.regex for signature in each.entry.signatures)):
            first = owner.setdefault(regex, each.entry.id)
            if first != each.entry.id:
                taken.setdefault(each.entry.id, {})[regex] = first
    for each in batch:
        for signature in each.entry.signatures:
            for thief, regex in _fire(signature.text or "", index):
                if thief != each.entry.id and len(squeeze(regex)) >= len(
                    squeeze(signature.text or "")
                ):
                    taken.setdefault(thief, {})[regex] = each.entry.id
    return [_without(each, taken.get(each.entry.id, {})) for each in batch]


def _wording_length(each: Imported) -> tuple[int, str]:
    lengths = [len(squeeze(s.text)) for s in each.entry.signatures if s.text]
    return min(lengths, default=0), each.entry.id


def _fire(text: str, index: Index) -> Iterator[tuple[str, str]]:
    """Entry and expression of each regex signature that fires on one line of text."""
    data = squeeze(text)
    rules = {rule.number: rule for hit in index.scan(data) for rule in index.rules_of[hit.literal]}
    for rule in rules.values():
        regex = rule.signature.regex
        if regex and index.plausible(rule, data) and compile_once(regex).search(text):
            yield rule.entry.id, regex


def _without(each: Imported, taken: dict[str, str]) -> Imported:
    if not taken:
        return each
    kept = tuple(s for s in each.entry.signatures if s.regex not in taken)
    if not kept:
        return each
    remarks = [
        f"the regex {regex!r} is too broad: it would take the words of {victim}; left out"
        for regex, victim in taken.items()
    ]
    entry = rebuild(each.entry, kept)
    return replace(each, entry=entry, remarks=(*each.remarks, *remarks))
