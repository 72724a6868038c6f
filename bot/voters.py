"""Who voted, as rates and logs know them: by a keyed pseudonym that cannot be undone without the key."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from rules.share import MARK, pseudonym
from rules.votes import Vote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.policy import Policy
    from rules.votes import Event

_remember = lru_cache(maxsize=50_000)(pseudonym)


@dataclass(frozen=True, slots=True)
class Voters:
    """Pseudonyms under one key."""

    key: bytes

    def mask(self, person: str) -> str:
        """Return a person's pseudonym; a pseudonym stays as it is."""
        return _remember(self.key, person)

    def disguise(self, event: Event) -> Event:
        """Return the event with its voter behind a pseudonym."""
        return replace(event, voter=self.mask(event.voter)) if isinstance(event, Vote) else event

    def disguise_policy(self, policy: Policy) -> Policy:
        """Return the policy with the people in it behind pseudonyms."""
        authors = {entry: self._mask_all(people) for entry, people in policy.authors.items()}
        return replace(policy, barred=self._mask_all(policy.barred), authors=authors)

    def unmask(self, known: Iterable[str]) -> dict[str, str]:
        """Return who is behind which pseudonym, as far as ids are still `known`."""
        return {self.mask(person): person for person in known if not person.startswith(MARK)}

    def _mask_all(self, people: Iterable[str]) -> frozenset[str]:
        return frozenset(map(self.mask, people))


def make_voters(key: str) -> Voters:
    """Return the pseudonyms of an installation; their key comes from the one that seals."""
    return Voters(hmac.digest(key.encode(), b"pseudonyms of voters", "sha256"))
