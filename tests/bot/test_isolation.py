"""No query of the store hears of another workspace or touches its rows."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from bot.store.tables import answers, incidents, jobs
from tests.bot.isolation import Walked, Worlds, list_queries

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy.ext.asyncio import AsyncConnection

SERVES_EVERY_TEAM = {
    "channels.end_snoozes",
    "events.list_teams",
    "evidence.forget_misses",
    "evidence.list_unasked",
    "guided.forget_old_names",
    "inbox.claim",
    "inbox.count_waiting",
    "inbox.is_due",
    "inbox.next_due",
    "inbox.renew",
    "inbox.sweep",
    "inbox.try_out",
    "installations.list_all",
    "installations.list_departed",
    "installations.list_teams",
    "installations.use_state",
    "life.find_last_heard",
    "outbox.claim",
    "outbox.count_pending",
    "outbox.list_pending",
    "outbox.read_paces",
    "outbox.renew",
    "outbox.sweep",
}
"""Workers and sweepers: what they hand on is worked for the workspace that each row names."""
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def worlds() -> AsyncIterator[Worlds]:
    made = Worlds()
    await made.open()
    yield made
    await made.close()


async def test_every_query_answers_for_its_workspace_alone(worlds: Worlds) -> None:
    walked = [each for each in list_queries() if each.name not in SERVES_EVERY_TEAM]
    leaks = [leak for query in walked for leak in await worlds.find_leaks(query)]

    assert len(walked) > 60
    assert leaks == []


def test_every_query_is_told_a_workspace_but_for_those_that_serve_all() -> None:
    assert {each.name for each in list_queries() if not each.names_team} == SERVES_EVERY_TEAM


async def _read_all(connection: AsyncConnection, team: str) -> list[Any]:
    del team
    return [tuple(row) for row in await connection.execute(sa.select(answers.c.id))]


async def _delete_by_id(connection: AsyncConnection, team: str, incident: str) -> None:
    del team
    await connection.execute(sa.delete(answers).where(answers.c.incident == incident))


async def _join_across(connection: AsyncConnection, team: str) -> int:
    joined = sa.select(sa.func.count()).select_from(
        incidents.join(jobs, jobs.c.incident == incidents.c.id)
    )
    return int((await connection.execute(joined.where(jobs.c.team == team))).scalar_one())


async def _narrow(connection: AsyncConnection, team: str) -> list[Any]:
    """Nothing that is planted fits it: only its text gives it away."""
    del team
    query = sa.select(answers.c.id).where(answers.c.state == "never")
    return list((await connection.execute(query)).scalars())


async def test_the_walk_finds_a_query_that_forgets_the_workspace(worlds: Worlds) -> None:
    for leaky in (_read_all, _delete_by_id, _join_across, _narrow):
        assert await worlds.find_leaks(Walked("test.leaky", leaky)), leaky.__name__


def test_queries_are_made_in_the_store_and_nowhere_else() -> None:
    makers = {"select", "update", "delete", "insert", "text", "exec_driver_sql"}
    elsewhere = set()
    for path in sorted((ROOT / "bot").rglob("*.py")):
        if {"store", "localslack"} & set(path.relative_to(ROOT).parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                is_sql = isinstance(owner, ast.Name) and owner.id in {"sa", "sqlalchemy"}
                if node.func.attr in makers and is_sql:
                    elsewhere.add(path.relative_to(ROOT).as_posix())

    # The doctor asks for the channels that anybody set, to try each.
    assert elsewhere <= {"bot/doctor/machine.py"}
