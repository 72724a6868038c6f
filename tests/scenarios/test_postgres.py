"""The same path on PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bot.conftest import postgres_url  # noqa: F401  a fixture
from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage


@pytest.mark.services
async def test_answers_and_votes(socket_stage: Stage, postgres_url: str) -> None:  # noqa: F811
    stage = socket_stage
    for expected in ("stated 85 % ·", "stated 85 %, 1 of 1 reports"):
        async with stage.running(database_url=postgres_url):
            poster = stage.slack.add_user(f"poster{len(expected)}")
            stage.channel.members.append(poster.id)
            post = await stage.slack.post(poster, stage.channel, FOUNDING)
            head, step = await stage.answered(post)
            assert expected in head.text
            await stage.slack.react(stage.bob, step, "+1")
            await stage.quiet()
