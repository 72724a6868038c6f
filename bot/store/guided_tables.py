"""Tables of the guided run and of self-service: names, fixes, unsolved threads, snoozes."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.tables import metadata


def _name(name: str, length: int = 64, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=nullable)


def _time(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=False)


names = sa.Table(
    "names",
    metadata,
    _name("team", 32),
    _name("voter"),
    _name("name", 80),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "voter"),
)
"""Display names by pseudonym, to say who confirmed a step without a mention."""

fixes = sa.Table(
    "fixes",
    metadata,
    _name("team", 32),
    _name("id"),
    _name("incident"),
    _name("entry", 255),
    _name("voter"),
    _name("text", 2000),
    _name("channel", 32, nullable=True),
    _name("ts", 32, nullable=True),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "id"),
    sa.Index("ix_fixes_team_incident", "team", "incident"),
)
"""What people say solved an incident otherwise: candidates for the knowledge base; redacted."""

unsolved = sa.Table(
    "unsolved",
    metadata,
    _name("team", 32),
    _name("answer"),
    _name("incident"),
    _name("entry", 255),
    _name("channel", 32),
    _name("thread", 32, nullable=True),
    _name("voter"),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "answer"),
)
"""Threads that somebody saved as unsolved."""

snoozes = sa.Table(
    "snoozes",
    metadata,
    _name("team", 32),
    _name("channel", 32),
    _name("entry", 255),
    _time("until"),
    sa.PrimaryKeyConstraint("team", "channel", "entry"),
)
"""What stays unanswered in a channel until when; an empty entry is everything."""
