"""Walks every query of the store: one row of two workspaces in each table, with the same ids."""

from __future__ import annotations

import datetime as dt
import importlib
import inspect
import pkgutil
import re
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from cryptography.fernet import Fernet
from sqlalchemy.ext.asyncio import create_async_engine

from bot import store
from bot.delivery import Kind
from bot.incidents import Trace
from bot.posts import Post
from bot.seal import Seal
from bot.store.answers import Answer, Facts
from bot.store.channels import ChannelSettings
from bot.store.installations import Installation
from bot.store.life import Place
from bot.store.outbox import Outgoing
from bot.store.tables import metadata
from rules.votes import Act, Context, Target, Thumb, Vote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    Query = Callable[..., Awaitable[Any]]

MINE, OTHERS = "TMINE", "TOTHERS"
NOW = 1_800_000_000.0
FACTS = Facts("answer", "quote", 1, "text", 1, 0.9)

_BY_NAME: dict[str, Any] = {
    "act": "cast",
    "answer": "a1",
    "body": b"sealed",
    "bots": ["B1"],
    "channel": "C1",
    "context": {},
    "entry": "e/1",
    "facts": asdict(FACTS),
    "fingerprint": "f1",
    "flags": {"e/1 s1": ["disputed"]},
    "hosts": ["h1"],
    "incident": "i1",
    "jobs": True,
    "key": "answer:a1:head",
    "kind": "step",
    "method": "post",
    "mode": "asked",
    "origin": None,
    "outcome": "revised",
    "person": "U1",
    "poster": "U1",
    "root": "answer:a1:head",
    "source": "post",
    "state": "open",
    "status": "new",
    "steps": ["s1"],
    "target": "s1",
    "thread": "1.000001",
    "ts": "1.000002",
    "type": "vote",
    "value": "up",
    "voter": "U1",
    "week": "2027-W02",
    "worker": None,
}
"""What a column of this name holds in every table that says nothing else."""
_BY_TABLE: dict[str, dict[str, Any]] = {
    "answers": {"id": "a1"},
    "edits": {"edit": "changed"},
    "incidents": {"id": "i1"},
    "outbox": {"status": "pending", "target": None, "part": "line", "lane": "1.000001"},
}
_OTHERWISE: dict[str, Any] = {
    "at": NOW - 7,
    "last_at": NOW - 7,
    "opened_at": NOW - 7,
    "posts": 40,
    "rewrites": 40,
    "shown": 40,
    "owners": "S9",
    "mode": "off",
    "name": "of the others",
    "text": "of the others",
    "line": "of the others",
    "hash": "of the others",
    "flags": {"e/1 s1": ["of the others"]},
    "free_at": NOW - 7,
    "until": NOW + 700,
}
"""What is otherwise in the other workspace's row."""


def make_row(table: sa.Table, team: str) -> dict[str, Any]:
    """One row: both workspaces' have the same ids, except where the database numbers rows."""
    row: dict[str, Any] = {}
    for column in table.c:
        known = {**_BY_NAME, **_BY_TABLE.get(table.name, {})}
        row[column.name] = known.get(column.name, _guess(column))
        if team == OTHERS and not column.primary_key:
            row[column.name] = _OTHERWISE.get(column.name, row[column.name])
    row["team"] = team
    if isinstance(table.c.get("id", sa.column("none")).type, sa.BigInteger):
        row["id"] = 1 if team == MINE else 2
    return row


def _guess(column: sa.Column[Any]) -> Any:
    if column.nullable and not isinstance(column.type, sa.String):
        return None
    if isinstance(column.type, sa.Boolean):
        return False
    if isinstance(column.type, sa.Double):
        return NOW - 10
    if isinstance(column.type, sa.Integer):
        return 1
    if isinstance(column.type, sa.LargeBinary):
        return b"sealed"
    return {} if isinstance(column.type, sa.JSON) else f"{column.name}1"


POST = Post(MINE, "C1", "1.000002", "U1", "text", thread="1.000001")
ANSWER = Answer(
    MINE, "a1", "post", "i1", "e/1", "v", "C1", "1.000001", None, "U1", "open",
    FACTS, ("s1",), 1, 0, NOW,
)  # fmt: skip
VOTE = Vote(
    team=MINE, incident="i1", entry="e/1", kind=Target.STEP, target="s1", voter="U1",
    value=Thumb.UP, act=Act.CAST, source="button", at=dt.datetime.fromtimestamp(NOW, dt.UTC),
    is_poster=False, position=1, context=Context(),
)  # fmt: skip
ARGUMENTS: dict[str, Any] = {
    "Answer": ANSWER,
    "ChannelSettings": ChannelSettings("shadow", jobs=True),
    "Event": VOTE,
    "Installation": Installation(MINE, None, "U0", "B0", "https://x/", b"t", None, NOW),
    "Outgoing": Outgoing(MINE, "answer:a1:head:2", "update", "C1", {"text": "x"}, target="s1"),
    "Place": Place("channel", is_shared=False),
    "Post": POST,
    "Seal": Seal(Fernet.generate_key().decode()),
    "Trace": Trace("f1", "cluster", "U1", None, frozenset({"h1"}), NOW),
    "act": "cast",
    "answer": "a1",
    "at": NOW,
    "before": NOW + 1,
    "body": b"sealed",
    "busy": [],
    "channel": "C1",
    "channels": ["C1"],
    "context": {},
    "digest": "hash2",
    "erased": "erased",
    "entry": "e/1",
    "expires_at": NOW,
    "fingerprint": "f1",
    "flags": {},
    "forget_before": NOW + 1,
    "found": [],
    "free_at": NOW,
    "groups": ["S9", "owners1"],
    "hashes": {},
    "identity": None,
    "incident": "i1",
    "is_barred": True,
    "job": "job1",
    "key": "answer:a1:head",
    "kind": Kind.EVENT,
    "limit": 9,
    "line": "line2",
    "method": "post",
    "name": "name2",
    "names": ["U1"],
    "new": "a2",
    "now": NOW,
    "number": 2,
    "numbers": [1, 2],
    "outcome": "answered",
    "person": "U1",
    "prefix": "answer:a1:",
    "reaction": "+1",
    "seconds": 5.0,
    "sender": "sender1",
    "cluster": "cluster1",
    "since": NOW - 100,
    "stamp": "9.9",
    "stamps": ["1.000002"],
    "state": "s" * 64,
    "status": "done",
    "target": "s1",
    "team": MINE,
    "text": "text2",
    "thread": "1.000001",
    "tokens": b"t",
    "ts": "1.000002",
    "until": NOW + 100,
    "value": "up",
    "voter": "U1",
    "voters": ["U1"],
    "week": "2027-W02",
    "wipe_before": NOW + 1,
    "worker": "w",
}
"""What a parameter of this type, else of this name, is given."""
VALUES: dict[str, dict[str, Any]] = {
    "answers.change_answer": {"state": "wrong"},
    "outbox.settle": {"status": "failed"},
}
"""What functions are given that set whatever columns they are told to."""


@dataclass(frozen=True)
class Walked:
    """A function of the store, called for our workspace."""

    name: str
    call: Query

    @property
    def parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.call).parameters.values())[1:]

    @property
    def names_team(self) -> bool:
        """Whether it is told a workspace."""
        carriers = {"Answer", "Post", "Outgoing", "Installation"}
        return any(p.name == "team" or p.annotation in carriers for p in self.parameters)

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """Raises KeyError for a parameter that nobody has told the test about."""
        plain, named = [], dict(VALUES.get(self.name, {}))
        for parameter in self.parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            value = self._find(parameter)
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                plain.append(value)
        return plain, named

    def _find(self, parameter: inspect.Parameter) -> Any:
        if parameter.name == "identity":
            return "i1" if "incident" in self.name or self.name.endswith("see_again") else "a1"
        annotation = str(parameter.annotation)
        for name in (annotation, parameter.name):
            if name in ARGUMENTS:
                return ARGUMENTS[name]
        raise KeyError(f"{self.name}: what is {parameter.name}: {annotation}?")


def list_queries() -> list[Walked]:
    """Every public coroutine function of the store's modules that takes a connection."""
    found = []
    for module in pkgutil.iter_modules(store.__path__):
        if module.name in {"database", "migrate"} or module.ispkg:
            continue
        loaded = importlib.import_module(f"bot.store.{module.name}")
        for name, value in vars(loaded).items():
            own = inspect.iscoroutinefunction(value) and value.__module__ == loaded.__name__
            if own and not name.startswith("_"):
                found.append(Walked(f"{module.name}.{name}", value))
    return found


async def plant(connection: AsyncConnection, *teams: str) -> None:
    """Put a row of each workspace into each table."""
    for table in metadata.sorted_tables:
        if "team" in table.c:
            for team in teams:
                await connection.execute(sa.insert(table).values(make_row(table, team)))


async def dump(connection: AsyncConnection, team: str) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that is kept of a workspace."""
    found = {}
    for name, table in metadata.tables.items():
        if "team" in table.c:
            rows = await connection.execute(sa.select(table).where(table.c.team == team))
            found[name] = [tuple(row) for row in rows]
    return found


class Worlds:
    """Four databases in memory: empty, ours alone, the others' alone, and both."""

    def __init__(self) -> None:
        self._engines: dict[tuple[str, ...], AsyncEngine] = {}
        self._others: dict[tuple[str, ...], Any] = {}

    async def open(self) -> None:
        """Make and fill them."""
        for teams in ((), (MINE,), (OTHERS,), (MINE, OTHERS)):
            engine = create_async_engine("sqlite+aiosqlite://", poolclass=sa.StaticPool)
            sa.event.listen(engine.sync_engine, "connect", _leave_transactions)
            async with engine.connect() as connection:
                await connection.run_sync(metadata.create_all)
                await plant(connection, *teams)
                self._others[teams] = await dump(connection, OTHERS)
                await connection.commit()
            self._engines[teams] = engine

    async def close(self) -> None:
        """Let them go."""
        for engine in self._engines.values():
            await engine.dispose()

    async def find_leaks(self, query: Walked) -> list[str]:
        """In what ways a query hears of another workspace or touches its rows."""
        leaks: set[str] = set()
        for ours in ((), (MINE,)):
            alone, _ = await self._try_out(query, ours, leaks)
            beside, untouched = await self._try_out(query, (*ours, OTHERS), leaks)
            if alone != beside:
                leaks.add(f"answers {beside} beside others, {alone} alone")
            if not untouched:
                leaks.add("changes rows of others")
        return [f"{query.name}: {leak}" for leak in sorted(leaks)]

    async def _try_out(
        self, query: Walked, planted: tuple[str, ...], leaks: set[str]
    ) -> tuple[str, bool]:
        """What a query answers for our workspace, and whether it left the others' rows alone."""
        engine = self._engines[planted]
        plain, named = query.arguments()
        async with engine.connect() as connection:
            await connection.exec_driver_sql("BEGIN")
            with watch(engine) as seen:
                try:
                    answer = await query.call(connection, *plain, **named)
                except Exception as error:  # noqa: BLE001  what it raises is an answer too
                    answer = type(error).__name__
            leaks |= seen.unbound
            untouched = True
            if seen.writes:
                untouched = await dump(connection, OTHERS) == self._others[planted]
            await connection.rollback()
        return repr(answer), untouched


def _leave_transactions(connection: Any, _: object) -> None:
    connection.isolation_level = None


@dataclass
class Seen:
    """What statements were like."""

    unbound: set[str] = field(default_factory=set)
    """Those in which a table is not bound to a workspace."""
    writes: bool = False


@contextmanager
def watch(engine: AsyncEngine) -> Iterator[Seen]:
    """Looks at statements."""
    seen = Seen()

    def look(_: Any, statement: Any, *__: Any) -> None:
        seen.writes |= not isinstance(statement, sa.Select)
        if isinstance(statement, (sa.Select, sa.Update, sa.Delete)) and not is_bound(statement):
            seen.unbound.add(" ".join(str(statement).split()))

    sa.event.listen(engine.sync_engine, "before_execute", look)
    try:
        yield seen
    finally:
        sa.event.remove(engine.sync_engine, "before_execute", look)


def is_bound(statement: sa.Select[Any] | sa.Update | sa.Delete) -> bool:
    """Whether each table of a statement is bound to the workspace that it names."""
    text = str(statement)
    if isinstance(statement, sa.Select):
        names = {t.name for source in statement.get_final_froms() for t in _list_tables(source)}
    else:
        names = {statement.table.name}  # type: ignore[attr-defined]
    each = (re.search(rf"\b{name}\.team (=|IS)|= {name}\.team\b", text) for name in names)
    return all(each) and (not names or re.search(r"\.team = :team", text) is not None)


def _list_tables(source: Any) -> list[sa.Table]:
    return [each for each in sa.sql.visitors.iterate(source) if isinstance(each, sa.Table)]
