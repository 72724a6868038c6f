"""What a post said is in no file of the bot, before and after its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.delivery import Kind, read_delivery
from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.scenarios.conftest import Stage

PLANTED = "planted-words-of-a-person"
SECRET = "hf_" + "a1B2" * 9


def find_planted(folder: Path, *texts: str) -> list[str]:
    """Files below `folder` that hold one of `texts`."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [p.name for p in files if any(t.encode() in p.read_bytes() for t in texts)]


async def test_posts_are_found_in_no_file_and_no_log(
    stage: Stage, capfd: pytest.CaptureFixture[str]
) -> None:
    async with stage.running():
        text = f"{PLANTED} {SECRET}\n{FOUNDING} {SECRET}"
        post = await stage.slack.post(stage.alice, stage.channel, text)
        await stage.answered(post)
        await stage.slack.command(stage.alice, stage.channel, "/nccl", text)
        await stage.slack.wait_for(lambda: stage.slack.ephemerals(stage.alice))
        await stage.quiet()
        assert find_planted(stage.folder, PLANTED, SECRET) == []
    assert find_planted(stage.folder, PLANTED, SECRET) == []
    logged = "".join(capfd.readouterr())
    tokens = (stage.app.bot_token, stage.app.app_token, "/commands/")
    assert not [text for text in (PLANTED, SECRET, *tokens) if text in logged]


async def test_a_waiting_delivery_is_sealed(socket_stage: Stage) -> None:
    async with socket_stage.running() as bot:
        bot.inbox.stop()
        body = {"event_id": "Ev1", "event": {"type": "message", "text": PLANTED}}
        await bot.inbox.accept(read_delivery(Kind.EVENT, body))

        assert find_planted(socket_stage.folder, PLANTED) == []


async def test_the_key_is_readable_by_its_owner_alone(socket_stage: Stage) -> None:
    async with socket_stage.running():
        [key] = socket_stage.folder.glob("*.key")

        assert key.stat().st_mode & 0o077 == 0
