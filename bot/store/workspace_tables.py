"""Tables of several workspaces and of several processes: installations, consents, pace."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.tables import metadata


def _name(name: str, length: int = 32, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=nullable)


installations = sa.Table(
    "installations",
    metadata,
    _name("team"),
    _name("enterprise", nullable=True),
    _name("bot_user"),
    _name("bot_id"),
    _name("url", 255),
    sa.Column("tokens", sa.LargeBinary, nullable=False),
    _time("expires_at", nullable=True),
    _time("refreshing_until", nullable=True),
    _time("installed_at"),
    sa.PrimaryKeyConstraint("team"),
)
"""Workspaces that installed the app by OAuth; `tokens` are sealed."""

departed = sa.Table(
    "departed",
    metadata,
    _name("team"),
    _time("at"),
    sa.PrimaryKeyConstraint("team"),
)
"""Workspaces that uninstalled the app: what still arrives of them is deleted too, for two days."""

consents = sa.Table(
    "consents",
    metadata,
    _name("state", 64),
    _time("at"),
    sa.PrimaryKeyConstraint("state"),
)
"""States of OAuth that came back, so that none does twice; no team is known by then."""

paces = sa.Table(
    "paces",
    metadata,
    _name("team"),
    _name("channel"),
    _name("method"),
    _time("free_at"),
    sa.PrimaryKeyConstraint("team", "channel", "method"),
)
"""When messages of a kind may go to a channel, for all processes that send."""
