"""What a search without an engine finds in the same knowledge base: rapidfuzz and BM25.

Each document is a title, an alias or a signature of an entry (of an expression, its literal
pieces). A baseline answers with the best entry where its score reaches a cut-off; the cut-off is
the one that does best on the very cases it is scored on, which flatters it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bm25s
from rapidfuzz import fuzz, process, utils

from rules.pattern import runs
from rules.score import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rules.entry import Entry
    from rules.load import KnowledgeBase
    from rules.score import Case

_LONGEST = 4_000
"""Characters of a post that a baseline is given: partial_ratio takes a second for more."""
_KEPT = 20
Ranking = list[tuple[str, float]]
"""Entries with their scores, best first."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a baseline makes of a case before the cut-off."""

    case: Case
    ranking: Ranking
    milliseconds: float


def documents(kb: KnowledgeBase) -> list[tuple[str, str]]:
    """Entry id and text of each document."""
    return [(entry.id, text) for entry in kb.entries.values() for text in _texts(entry)]


def _texts(entry: Entry) -> Iterator[str]:
    yield entry.title
    yield from entry.aliases
    for signature in entry.signatures:
        if signature.text is not None:
            yield signature.text
        else:
            yield from {" ".join(run.text for run in way) for way in runs(signature.regex or "")}


def rank_by_rapidfuzz(kb: KnowledgeBase, scorer: Any) -> Callable[[str], Ranking]:
    """A ranking by one of rapidfuzz's scorers over all documents."""
    owners, texts = zip(*documents(kb), strict=True)
    prepared = [utils.default_process(text) for text in texts]

    def rank(text: str) -> Ranking:
        query = utils.default_process(text[:_LONGEST])
        found = process.extract(query, prepared, scorer=scorer, processor=None, limit=_KEPT * 5)
        return _best((owners[index], score) for _, score, index in found)

    return rank


def rank_by_bm25(kb: KnowledgeBase) -> Callable[[str], Ranking]:
    """A ranking by BM25 (Lucene's variant, as bm25s has it) over all documents."""
    owners, texts = zip(*documents(kb), strict=True)
    index = bm25s.BM25()
    index.index(
        bm25s.tokenize(list(texts), stopwords=None, show_progress=False), show_progress=False
    )

    def rank(text: str) -> Ranking:
        tokens = bm25s.tokenize([text[:_LONGEST]], stopwords=None, show_progress=False)
        numbers, scores = index.retrieve(tokens, k=_KEPT * 5, show_progress=False)
        found = zip(numbers[0], scores[0], strict=True)
        return _best((owners[number], float(score)) for number, score in found)

    return rank


def _best(found: Iterator[tuple[str, float]]) -> Ranking:
    best: dict[str, float] = {}
    for owner, score in found:
        best[owner] = max(score, best.get(owner, score))
    return sorted(best.items(), key=lambda pair: -pair[1])[:_KEPT]


def contenders(kb: KnowledgeBase) -> dict[str, Callable[[str], Ranking]]:
    """Every baseline by name."""
    return {
        "WRatio": rank_by_rapidfuzz(kb, fuzz.WRatio),
        "token_set_ratio": rank_by_rapidfuzz(kb, fuzz.token_set_ratio),
        "partial_ratio": rank_by_rapidfuzz(kb, fuzz.partial_ratio),
        "BM25": rank_by_bm25(kb),
    }


def run(cases: Sequence[Case], rank: Callable[[str], Ranking]) -> tuple[list[Outcome], float]:
    """Outcomes of a baseline at its best cut-off, and that cut-off."""
    ranked = []
    for case in cases:
        started = time.process_time()
        ranking = rank(case.text)
        ranked.append(Ranked(case, ranking, (time.process_time() - started) * 1000))
    tops = sorted({r.ranking[0][1] for r in ranked if r.ranking})
    cut = max([*tops, tops[-1] + 1], key=lambda c: sum(_outcome(r, c).right for r in ranked))
    return [_outcome(r, cut) for r in ranked], cut


def _outcome(ranked: Ranked, cut: float) -> Outcome:
    best = ranked.ranking[0] if ranked.ranking else None
    return Outcome(
        case=ranked.case,
        answer=best[0] if best and best[1] >= cut else None,
        candidates=tuple(owner for owner, _ in ranked.ranking),
        confidence=min(1.0, best[1] / 100) if best else 0.0,
        matched_by="fuzzy",
        milliseconds=ranked.milliseconds,
    )
