"""All tables. Times are Unix seconds; message time stamps are Slack's own strings."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _number() -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column("id", kind, primary_key=True, autoincrement=True)


def _team() -> sa.Column[str]:
    return sa.Column("team", sa.String(32), nullable=False)


def _time(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=nullable)


def _name(name: str, *, nullable: bool = False, length: int = 255) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=nullable)


inbox = sa.Table(
    "inbox",
    metadata,
    _number(),
    _team(),
    _name("key"),
    _name("kind", length=32),
    _name("status", length=16),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("body", sa.LargeBinary),
    _time("received_at"),
    _time("not_before"),
    _name("worker", nullable=True, length=32),
    _time("leased_until", nullable=True),
    sa.UniqueConstraint("team", "key"),
    sa.Index("ix_inbox_status_id", "status", "id"),
)
"""Deliveries taken in and not lost; `body` is sealed and wiped after the work.

`worker` is the process that works it, until `leased_until` unless it renews that.
"""

outbox = sa.Table(
    "outbox",
    metadata,
    _number(),
    _team(),
    _name("key"),
    _name("method", length=32),
    _name("channel", length=32),
    _name("lane"),
    _name("status", length=16),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("body", sa.LargeBinary),
    _name("target", nullable=True),
    _name("answer", nullable=True, length=64),
    _name("part", nullable=True, length=100),
    _name("ts", nullable=True, length=32),
    _name("error", nullable=True),
    _time("created_at"),
    _time("not_before"),
    _name("worker", nullable=True, length=32),
    _time("leased_until", nullable=True),
    sa.UniqueConstraint("team", "key"),
    sa.Index("ix_outbox_status_id", "status", "id"),
    sa.Index("ix_outbox_team_channel_ts", "team", "channel", "ts"),
)
"""Messages to send, and the map from (channel, ts) to answer and part once sent."""

posts = sa.Table(
    "posts",
    metadata,
    _team(),
    _name("channel", length=32),
    _name("ts", length=32),
    _name("thread", nullable=True, length=32),
    _name("poster", length=32),
    _name("outcome", length=16),
    _name("fingerprint", nullable=True, length=128),
    _name("answer", nullable=True, length=64),
    _name("edited", nullable=True, length=32),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "channel", "ts"),
)
"""Posts that were looked at: what each got, never what it said; `edited` is the newest edit's stamp."""

places = sa.Table(
    "places",
    metadata,
    _team(),
    _name("channel", length=32),
    _name("kind", length=16),
    sa.Column("is_shared", sa.Boolean, nullable=False),
    sa.PrimaryKeyConstraint("team", "channel"),
)
"""Conversations that the bot hears: who can read them, as the newest message told."""

incidents = sa.Table(
    "incidents",
    metadata,
    _team(),
    _name("id", length=64),
    _name("entry"),
    _name("fingerprint", length=128),
    _name("scope", length=16),
    _name("poster", length=32),
    _name("job", nullable=True),
    sa.Column("hosts", sa.JSON, nullable=False),
    sa.Column("context", sa.JSON, nullable=False),
    sa.Column("posts", sa.Integer, nullable=False),
    _time("opened_at"),
    _time("last_at"),
    sa.PrimaryKeyConstraint("team", "id"),
    sa.Index("ix_incidents_team_fingerprint_last_at", "team", "fingerprint", "last_at"),
)
"""Failures with one cause each: the unit of evidence for votes."""

answers = sa.Table(
    "answers",
    metadata,
    _team(),
    _name("id", length=64),
    _name("source", length=16),
    _name("incident", length=64),
    _name("entry"),
    _name("kb_version", length=32),
    _name("channel", length=32),
    _name("thread", nullable=True, length=32),
    _name("root", nullable=True),
    _name("poster", length=32),
    _name("state", length=16),
    sa.Column("facts", sa.JSON, nullable=False),
    sa.Column("steps", sa.JSON, nullable=False),
    sa.Column("shown", sa.Integer, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    _name("head", nullable=True),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "id"),
    sa.Index("ix_answers_team_incident", "team", "incident"),
    sa.Index("ix_answers_team_channel_thread", "team", "channel", "thread"),
)
"""What was answered: the order of steps it has and how many of them were shown in full."""

events = sa.Table(
    "events",
    metadata,
    _number(),
    _team(),
    _name("key", length=64),
    _name("type", length=16),
    _name("incident", length=64),
    _name("entry"),
    _name("kind", length=16),
    _name("target", length=100),
    _name("origin", nullable=True, length=64),
    _name("voter", nullable=True, length=64),
    _name("value", nullable=True, length=8),
    _name("act", nullable=True, length=8),
    _name("source", nullable=True, length=100),
    sa.Column("is_poster", sa.Boolean, nullable=False, default=False),
    sa.Column("position", sa.Integer),
    sa.Column("context", sa.JSON, nullable=False),
    _time("at"),
    sa.UniqueConstraint("team", "key"),
    sa.Index("ix_events_team_entry_id", "team", "entry", "id"),
    sa.Index("ix_events_team_incident", "team", "incident"),
)
"""The append-only log of votes and shown steps that every rate is derived from.

`origin` is the workspace that an imported event comes from; `key` is that of the pseudonymous event.
"""

ledgers = sa.Table(
    "ledgers",
    metadata,
    _team(),
    sa.Column("rewrites", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("team"),
)
"""How often a log was changed other than by adding to it: who holds its rates replays it then."""

barred = sa.Table(
    "barred",
    metadata,
    _team(),
    _name("person", length=64),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "person"),
)
"""Pseudonyms of those who Slack says are guests or bots: their votes do not count."""

questions = sa.Table(
    "questions",
    metadata,
    _team(),
    _name("incident", length=64),
    _name("answer", length=64),
    _name("outcome", length=16),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "incident"),
)
"""Incidents whose poster was asked whether a step helped, or deliberately was not."""

jobs = sa.Table(
    "jobs",
    metadata,
    _team(),
    _name("sender", length=32),
    _name("cluster"),
    _name("job"),
    _name("incident", length=64),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "sender", "cluster", "job", "incident"),
)
"""Jobs whose failure opened or joined an incident, to know one that succeeds later."""

digests = sa.Table(
    "digests",
    metadata,
    _team(),
    _name("week", length=16),
    sa.Column("flags", sa.JSON, nullable=False),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "week"),
)
"""Weeks whose digest was made, with the flags it showed."""

texts = sa.Table(
    "texts",
    metadata,
    _team(),
    _name("entry"),
    _name("target", length=100),
    _name("hash", length=64),
    sa.PrimaryKeyConstraint("team", "entry", "target"),
)
"""Hashes of the texts of steps and dead ends that votes were given on."""

edits = sa.Table(
    "edits",
    metadata,
    _team(),
    _name("entry"),
    _name("target", length=100),
    _name("edit", length=16),
    _name("moved_to", nullable=True, length=100),
    _name("hash", length=64),
    _time("at"),
    sa.PrimaryKeyConstraint("team", "entry", "target"),
)
"""Edits of texts with votes that no editor has answered for; `hash` is of the text voted on."""

misses = sa.Table(
    "misses",
    metadata,
    _team(),
    _name("fingerprint", length=128),
    _name("line", length=300),
    sa.Column("posts", sa.Integer, nullable=False),
    _time("last_at"),
    sa.PrimaryKeyConstraint("team", "fingerprint"),
)
"""Unknown errors by fingerprint, each with one redacted, masked line."""

early_reactions = sa.Table(
    "early_reactions",
    metadata,
    _number(),
    _team(),
    _name("channel", length=32),
    _name("ts", length=32),
    _name("person", length=32),
    _name("reaction", length=100),
    _name("act", length=8),
    _time("at"),
    sa.Index("ix_early_reactions_team_channel_ts", "team", "channel", "ts"),
)
"""Reactions to messages whose time stamp the bot does not know yet."""

channels = sa.Table(
    "channels",
    metadata,
    _team(),
    _name("channel", length=32),
    _name("mode", length=16),
    sa.Column("threshold", sa.Double),
    sa.Column("bots", sa.JSON, nullable=False),
    _name("owners", nullable=True, length=32),
    sa.Column("jobs", sa.Boolean, nullable=False, default=False, server_default=sa.false()),
    _time("greeted_at", nullable=True),
    sa.PrimaryKeyConstraint("team", "channel"),
)
"""What was set for a channel; none means the defaults."""
