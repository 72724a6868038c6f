"""Take the pictures of the docs: `python -m tests.browser.pictures`.

The clock stands at a fixed morning and the knowledge base is a small one, so that the pictures
change only where what they show has changed.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from unittest.mock import patch

import aiohttp

from tests.browser.stage import TOKEN, open_browser, open_stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Locator, Page

    from bot.app import Bot

IMAGES = Path(__file__).parents[2] / "docs" / "images"
MORNING = dt.datetime(2026, 12, 1, 9, 41, 2, tzinfo=dt.UTC).timestamp()
MARGIN = 8
IB_ERROR = (
    "NET/IB : Got completion from peer 10.0.3.7<51234> with error 12, opcode 0, len 0, "
    "vendor err 129"
)
JOB = {
    "job": {"id": "4242", "name": "pretrain-7b", "hosts": ["gpu-03", "gpu-04"]},
    "status": "failed",
    "exit_code": 1,
    "log": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a "
    "total capacity of 79.15 GiB of which 1.94 GiB is free. Process 31337 has 77.20 GiB memory in "
    "use. Of the allocated memory 60.10 GiB is allocated by PyTorch, and 15.60 GiB is reserved by "
    "PyTorch but unallocated.",
}


class Camera:
    """One page in one scheme, whose pictures are named after what they show."""

    def __init__(self, page: Page, scheme: str) -> None:
        self.page = page
        self.scheme = scheme

    async def take(self, name: str, *parts: Locator, side: int = 0) -> None:
        """Take a picture of `parts`, with a margin above and below, and `side` at the sides."""
        await self.page.mouse.move(0, 0)
        boxes = [box for part in parts if (box := await part.bounding_box())]
        left, top = min(b["x"] for b in boxes), min(b["y"] for b in boxes)
        right = max(b["x"] + b["width"] for b in boxes)
        bottom = max(b["y"] + b["height"] for b in boxes)
        clip = {
            "x": left - side,
            "y": max(0, top - MARGIN),
            "width": right - left + 2 * side,
            "height": bottom - top + 2 * MARGIN,
        }
        path = IMAGES / f"{name}-{self.scheme}.png"
        await self.page.screenshot(path=path, clip=clip, animations="disabled")  # type: ignore[arg-type]


def start_clock() -> Callable[[], float]:
    """Return a clock that starts in the fixed morning and runs as the machine's does."""
    began = time.monotonic()
    return lambda: MORNING + time.monotonic() - began


async def take_all(scheme: Literal["light", "dark"]) -> None:
    """Play the scenes in one scheme."""
    # The bot and the playground's Slack have to live in the same morning.
    with patch("time.time", start_clock()):
        await play(scheme)


async def play(scheme: Literal["light", "dark"]) -> None:
    """Play the scenes, and take a picture of each."""
    async with open_stage() as (bot, address), open_browser() as browser:
        page = await browser.new_page(
            color_scheme=scheme,
            viewport={"width": 1500, "height": 2200},
            device_scale_factor=1.5,
            locale="en-GB",
            timezone_id="UTC",
        )
        await page.goto(address)
        camera = Camera(page, scheme)
        await show_answer(camera)
        await show_command(camera)
        await show_job(camera, bot)
        await show_home(camera)


async def show_answer(camera: Camera) -> None:
    """Take the example with its answer, then the same thread after a thumb down."""
    replies = camera.page.locator("#thread-messages > li")
    await replies.nth(2).wait_for()
    await camera.take("answer", *await replies.all())
    await camera.page.get_by_label("Linus").check()
    await replies.nth(2).get_by_role("button", name="It did not").click()
    # The next step, then what Linus alone is told.
    await replies.nth(4).wait_for()
    await camera.page.get_by_text("Noted: this step did not help").first.wait_for()
    await camera.take("thumbs-down", *(await replies.all())[1:])


async def show_command(camera: Camera) -> None:
    """Take the answer to /nccl, and the form for a long log."""
    page = camera.page
    await page.set_viewport_size({"width": 920, "height": 1500})
    await page.locator("#thread-close").click()
    await page.get_by_label("Linus").check()
    composer = page.get_by_label("Message", exact=True)
    await composer.fill(f"/nccl {IB_ERROR}")
    await composer.press("Enter")
    whispered = page.locator("#messages > li.whispered")
    await whispered.first.wait_for()
    await camera.take("command", whispered.first)
    await composer.fill("/nccl")
    await composer.press("Enter")
    await whispered.nth(1).wait_for()
    await camera.take("help", whispered.nth(1))
    await whispered.nth(1).get_by_role("button").first.click()
    dialog = page.locator("dialog#modal")
    await dialog.wait_for()
    await dialog.get_by_role("textbox").first.fill("RuntimeError: NCCL error in: ...")
    await camera.take("form", dialog)
    await dialog.get_by_role("button", name="Close").click()


async def show_job(camera: Camera, bot: Bot) -> None:
    """Take what a job-failure webhook becomes."""
    page = camera.page
    await page.set_viewport_size({"width": 1500, "height": 2200})
    await page.get_by_role("button", name="job-failures").click()
    headers = {"Authorization": f"Bearer {TOKEN}"}
    url = f"http://127.0.0.1:{bot.port}/hooks/generic"
    async with aiohttp.ClientSession() as session, session.post(url, json=JOB, headers=headers):
        pass
    await page.get_by_role("button", name="2 replies").click()
    replies = page.locator("#thread-messages > li")
    await replies.nth(2).wait_for()
    await camera.take("job", *await replies.all())


async def show_home(camera: Camera) -> None:
    """Take the app's Home tab, with what has happened so far."""
    page = camera.page
    await page.set_viewport_size({"width": 920, "height": 1500})
    await page.get_by_role("button", name="nccl-bot · Home").click()
    blocks = page.locator("#home > *")
    await page.locator("#home h3").first.wait_for()
    await camera.take("home", *await blocks.all(), side=MARGIN)


async def main() -> None:
    """Take all pictures, light and dark."""
    IMAGES.mkdir(exist_ok=True)
    for scheme in ("light", "dark"):
        await take_all(scheme)


if __name__ == "__main__":
    asyncio.run(main())
