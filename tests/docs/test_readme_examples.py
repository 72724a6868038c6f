"""The README's webhook examples, run as they stand there."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scenarios.conftest import set_stage
from tests.scenarios.small_kb import build_kb

if TYPE_CHECKING:
    from tests.scenarios.conftest import Stage

README = Path(__file__).parents[2] / "README.md"
TOOLS = ("bash", "curl", "openssl", "base64", "od")
TOKEN = "made-up-token"
SECRET = "whsec_" + "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="needs curl and openssl"),
]


def examples() -> list[str]:
    """The blocks of shell that send a job failure."""
    blocks = re.findall(r"```bash\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in blocks if "/hooks/generic" in block]


async def run_example(stage: Stage, example: str) -> tuple[int | None, str]:
    """Run a block in a shell with the settings that the README names; exit code and errors."""
    assert stage.bot is not None
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-euc",
        example,
        env={
            "PATH": os.environ["PATH"],
            "NCCL_BOT_PORT": str(stage.bot.port),
            "NCCL_BOT_WEBHOOK_TOKEN": TOKEN,
            "NCCL_BOT_WEBHOOK_SECRET": SECRET,
        },
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate()
    return process.returncode, errors.decode()


async def test_each_example_is_taken_and_answered(tmp_path: Path) -> None:
    assert len(examples()) == 2
    async with set_stage("socket", tmp_path, build_kb()) as stage:
        hooks = {"webhook_token": TOKEN, "webhook_secret": SECRET}
        async with stage.running(webhook_channel=stage.channel.id, **hooks):
            for example in examples():
                assert await run_example(stage, example) == (0, "")
            await stage.quiet()
            posts = stage.roots()

            assert ["4242" in posts[0].text, "4243" in posts[1].text] == [True, True]
            assert [len(stage.bot_replies(post)) for post in posts] == [2, 2]
