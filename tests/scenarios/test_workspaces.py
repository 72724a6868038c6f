"""Several workspaces: installing by OAuth, tokens, isolation, and leaving."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
import structlog
from cryptography.fernet import Fernet

from bot.cli import main
from bot.doctor import Verdict
from bot.doctor.installed import try_installations
from bot.localslack import ManualClock
from bot.localslack.consent import query_of
from bot.slack.installed import REFRESH_BEFORE
from bot.slack.oauth import COOKIE, STATE_SECONDS, InstallError, check_answer
from bot.store.tables import metadata
from bot.store.workspace_tables import installations
from tests.scenarios.conftest import FOUNDING, poll
from tests.scenarios.two_workspaces import browse, found_town, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.app import Bot
    from rules.load import KnowledgeBase
    from tests.scenarios.two_workspaces import Town

NOON = 1_800_000_000.0


@pytest.fixture
async def town(tmp_path: Path, kb: KnowledgeBase) -> AsyncIterator[Town]:
    async with found_town(tmp_path, kb) as made:
        yield made


async def rows_of(bot: Bot, team: str) -> dict[str, int]:
    """How many rows each table holds of a workspace."""
    counts = {}
    async with bot.core.database.read() as connection:
        for name, table in metadata.tables.items():
            if "team" in table.c:
                query = sa.select(sa.func.count()).select_from(table).where(table.c.team == team)
                counts[name] = (await connection.execute(query)).scalar_one()
    return {name: count for name, count in counts.items() if count}


async def test_each_workspace_is_answered_with_its_own_token_and_rates(town: Town) -> None:
    async with town.running():
        for house in (town.first, town.second):
            status, text = await town.install(house)
            assert (status, house.team.name in text) == (200, True)
        _, step = await town.ask(town.first, FOUNDING)
        await town.slack.react(town.first.person, step, "+1")
        await town.quiet()
        head, _ = await town.ask(town.second, FOUNDING)
        await town.quiet()

        assert "reports" not in head.text
        assert [len(town.slack.messages(h.channel)) for h in (town.first, town.second)] == [3, 3]


async def test_tokens_are_sealed_in_the_database(town: Town) -> None:
    async with town.running() as bot:
        await town.install(town.first)
        token = town.app.home.bot_token
        async with bot.core.database.read() as connection:
            [row] = (await connection.execute(sa.select(installations))).all()
    held = b"".join(path.read_bytes() for path in town.folder.glob("nccl-bot.db*"))

    assert token.encode() not in held
    assert row.bot_user == town.app.home.bot_user
    assert token not in repr(row)


async def test_installations_survive_a_restart_and_not_another_key(town: Town) -> None:
    async with town.running():
        await town.install(town.first)
    async with town.running():
        await town.ask(town.first, FOUNDING)
    town.key = "A" * 43 + "="
    with structlog.testing.capture_logs() as logs:
        async with town.running():
            await town.slack.post(town.first.person, town.first.channel, FOUNDING)
            await town.quiet()

    assert "token_sealed_with_another_key" in {line["event"] for line in logs}


async def test_a_state_is_good_once_in_one_browser_and_not_for_long(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    clock = ManualClock(NOON)
    async with found_town(tmp_path, kb, clock=clock) as town, town.running():
        async with browse() as browser, browse() as other:
            link = await town.start(browser)
            back = town.slack.consent.allow(query_of(link), town.first.person)
            assert (await read(other, back))[0] == 400
            status, text = await read(browser, back)
            assert status == 200, text
            state = parse_qs(urlsplit(link).query)["state"][0]
            browser.cookie_jar.update_cookies({COOKIE: state})
            again = town.slack.consent.allow(query_of(link), town.first.person)
            status, text = await read(browser, again)
            assert (status, "used before" in text) == (400, True)

            late = await town.start(browser)
            clock.advance(STATE_SECONDS + 1)
            back = town.slack.consent.allow(query_of(late), town.first.person)
            status, text = await read(browser, back)
            assert (status, "ten minutes" in text) == (400, True)

        assert len(town.slack.calls_of("oauth.v2.access")) == 1


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?code=1&state=",
        "?code=1&state=guess",
        "?state=%FF%FE&code=x",
        "?code=%3Cscript%3E&state=%3Cscript%3E",
    ],
)
async def test_what_did_not_start_here_installs_nothing(query: str, town: Town) -> None:
    async with town.running(), browse() as browser:
        browser.cookie_jar.update_cookies({COOKIE: "guess"})
        status, text = await read(browser, f"{town.origin}/slack/oauth_redirect{query}")

        assert status == 400
        assert "<script>" not in text
        assert town.slack.calls == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"is_enterprise_install": True, "team": None}, "one workspace of the organization"),
        ({"is_enterprise_install": "true", "team": {"id": "T1"}}, "one workspace"),
        ({"is_enterprise_install": False, "team": {"id": "T1"}, "token_type": "user"}, "bot token"),
        ({"team": {"id": "T1"}, "token_type": "bot"}, "bot token"),
    ],
)
def test_what_is_no_bot_in_one_workspace_is_refused_with_what_to_choose(
    answer: dict[str, object], said: str
) -> None:
    with pytest.raises(InstallError, match=said):
        check_answer(answer)


async def test_a_person_who_declines_and_a_false_code_are_told(town: Town) -> None:
    async with town.running(), browse() as browser:
        link = await town.start(browser)
        status, text = await read(browser, town.slack.consent.deny(query_of(link)))
        assert (status, "told not to" in text) == (400, True)

        link = await town.start(browser)
        back = town.slack.consent.allow(query_of(link), town.first.person)
        town.slack.workshop.grants.clear()
        status, text = await read(browser, back)
        assert (status, "invalid_code" in text) == (400, True)


async def test_a_token_is_refreshed_once_before_it_ends(tmp_path: Path, kb: KnowledgeBase) -> None:
    clock = ManualClock(NOON)
    async with found_town(tmp_path, kb, clock=clock, rotates=True) as town, town.running() as bot:
        await town.install(town.first)
        team, first = town.first.team.id, town.app.home.bot_token
        clock.advance(43_200 - REFRESH_BEFORE - 1)
        assert (await bot.core.workspaces.find(team)).client.token == first
        clock.advance(2)
        found = await asyncio.gather(*(bot.core.workspaces.find(team) for _ in range(5)))
        assert {each.client.token for each in found} == {town.app.home.bot_token} != {first}
        refreshes = [c for c in town.slack.calls_of("oauth.v2.access") if "refresh_token" in c.args]
        assert len(refreshes) == 1
        await town.ask(town.first, FOUNDING)


async def test_a_refresh_that_fails_is_repeated_while_the_token_is_good(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    clock = ManualClock(NOON)
    async with found_town(tmp_path, kb, clock=clock, rotates=True) as town, town.running() as bot:
        await town.install(town.first)
        team, first = town.first.team.id, town.app.home.bot_token
        clock.advance(43_200 - REFRESH_BEFORE + 1)
        town.slack.fail("oauth.v2.access", "http_500")
        assert (await bot.core.workspaces.find(team)).client.token == first
        clock.advance(61)
        assert (await bot.core.workspaces.find(team)).client.token == town.app.home.bot_token
        assert town.app.home.bot_token != first


@pytest.mark.parametrize("order", [[0, 1], [1, 0], [0, 1, 0, 1]])
async def test_leaving_deletes_every_row_of_that_workspace_alone(
    order: list[int], town: Town
) -> None:
    async with town.running() as bot:
        for house in (town.first, town.second):
            await town.install(house)
            _, step = await town.ask(house, FOUNDING)
            await town.slack.react(house.person, step, "+1")
        await town.quiet()
        first, second = town.first.team.id, town.second.team.id
        kept = await rows_of(bot, second)
        assert {"answers", "events", "incidents", "posts"} <= set(await rows_of(bot, first))

        town.slack.hold()
        await town.slack.uninstall(town.app, first)
        town.slack.release(lambda held: [held[number] for number in order])
        await town.quiet()
        bot.chores._next.clear()
        await bot.chores.do_due()

        assert await rows_of(bot, first) == {"departed": 1}
        after = await rows_of(bot, second)
        assert {name: after[name] for name in kept} == kept


async def test_a_workspace_that_left_unheard_is_found_and_deleted_by_hand(
    town: Town, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = town.first.team.id, town.second.team.id
    async with town.running() as bot:
        for house in (town.first, town.second):
            await town.install(house)
            await town.ask(house, FOUNDING)
        await town.quiet()
        kept = await rows_of(bot, second)
    await town.slack.uninstall(town.app, first)
    said = [f async for f in try_installations(town.settings(), town.slack.clock.now)]
    verdicts = {found.said.split()[0].strip(":"): found.verdict for found in said}

    assert verdicts == {first: Verdict.FAILURE, second: Verdict.OK}
    assert any(f"nccl-bot db forget {first}" in found.mend for found in said)
    monkeypatch.setattr("bot.cli.db.read_settings", lambda **_: town.settings())
    for typed, code in (("yes\n", 1), (f"{first}\n", 0)):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        assert await asyncio.to_thread(main, ["db", "forget", first]) == code
    assert "nothing was deleted" in capsys.readouterr().out
    assert await asyncio.to_thread(main, ["db", "forget", "T0", "--yes"]) == 2
    async with town.running() as bot:
        assert await rows_of(bot, first) == {"departed": 1}
        assert await rows_of(bot, second) == kept
        # Where it comes back, it is a new one.
        await town.install(town.first)
        assert len(await town.ask(town.first, FOUNDING)) == 2


async def test_the_doctor_tells_an_ended_token_and_another_key(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    clock = ManualClock(NOON)
    async with found_town(tmp_path, kb, clock=clock, rotates=True) as town:
        async with town.running():
            await town.install(town.first)
        [good] = [f async for f in try_installations(town.settings(), clock.now)]
        clock.advance(13 * 3600.0)
        [ended] = [f async for f in try_installations(town.settings(), clock.now)]
        other = town.settings(key=Fernet.generate_key().decode())
        [sealed] = [f async for f in try_installations(other, clock.now)]

    assert good.verdict is Verdict.OK
    assert (ended.verdict, "token_not_refreshed" in ended.mend) == (Verdict.WARNING, True)
    assert (sealed.verdict, "another key" in sealed.said) == (Verdict.FAILURE, True)


async def test_a_workspace_can_come_back_and_starts_anew(town: Town) -> None:
    async with town.running() as bot:
        await town.install(town.first)
        _, step = await town.ask(town.first, FOUNDING)
        await town.slack.react(town.first.person, step, "+1")
        await town.quiet()
        await town.slack.uninstall(town.app, town.first.team.id)
        ended = [d for d in town.slack.deliveries if d.event["type"] == "app_uninstalled"]
        await town.quiet()
        assert await bot.core.workspaces.find(town.first.team.id) is None
        await town.install(town.first)
        # Slack delivers the end once more, after the new beginning.
        town.slack.redeliver(ended[0])
        await town.quiet()
        head, _ = await town.ask(town.first, FOUNDING)

        assert "reports" not in head.text
        assert "departed" not in await rows_of(bot, town.first.team.id)


async def test_a_workspace_of_an_organization_is_one_of_its_own(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    async with found_town(tmp_path, kb, enterprise="Example Org") as town, town.running() as bot:
        await town.install(town.second)
        workspace = await bot.core.workspaces.find(town.second.team.id)
        await town.ask(town.second, FOUNDING)
        await town.slack.command(town.second.person, town.second.channel, "/nccl", FOUNDING)
        await town.slack.wait_for(lambda: town.slack.ephemerals(town.second.person))

        assert workspace.enterprise == town.second.team.enterprise_id is not None


async def test_job_failures_go_to_the_home_workspace(town: Town) -> None:
    home, channel = town.first.team.id, town.first.channel.id
    more = {"home_team": home, "webhook_channel": channel, "webhook_token": "t" * 20}
    async with town.running(**more), browse() as browser:
        await town.install(town.second)
        async with browser.post(
            f"{town.origin}/hooks/generic",
            json={"job_id": "7", "status": "failed", "error": FOUNDING},
            headers={"Authorization": f"Bearer {'t' * 20}"},
        ) as response:
            assert response.status == 202
        await town.install(town.first)

        async def is_told() -> bool:
            return len(town.slack.messages(town.first.channel)) >= 2

        await poll(is_told)
        assert town.slack.messages(town.second.channel) == []
