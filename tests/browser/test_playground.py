"""The playground as a person meets it: the production bot, the local Slack and a real browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.stage import CHROMIUM, open_browser, open_stage
from tests.scenarios.conftest import FOUNDING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from playwright.async_api import Locator, Page

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium"),
]
PATIENCE_MS = 20_000
HEADLINE = "AllReduce timed out: the ranks stopped agreeing on a collective"
FIRST, SECOND, THIRD = "Check connectivity", "Switch to the Gloo backend", "Lower the batch"
HOSTILE = (
    "RuntimeError: [torch.distributed] AllReduce timed out in rank 0 (timeout: 600) "
    "<!channel> <@U00000001> @here *x* <img src=x onerror=document.title='owned'> "
    "<https://evil.example.com|nccl docs> `y`"
)


@dataclass
class Screen:
    """The page, and what its console complained of."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    @property
    def channel(self) -> Locator:
        """Messages of the channel."""
        return self.page.locator("#messages > li:not(.whispered)")

    @property
    def whisper(self) -> Locator:
        """The newest message that the person alone sees."""
        return self.page.locator("#messages > li.whispered").last

    @property
    def thread(self) -> Locator:
        """Messages of the open thread, its root first."""
        return self.page.locator("#thread-messages > li")

    def steps(self, message: Locator) -> Locator:
        """The ordered steps of an answer."""
        return message.locator(".rich > ol > li")

    async def become(self, name: str) -> None:
        await self.page.get_by_role("radio", name=name).check()

    async def type(self, text: str) -> None:
        composer = self.page.get_by_label("Message", exact=True)
        await composer.fill(text)
        await composer.press("Enter")

    async def open_thread(self, post: Locator, replies: int = 2) -> None:
        await post.get_by_role("button", name=f"{replies} replies").click()
        await expect(self.thread).to_have_count(replies + 1)

    async def ask(self, name: str, count: int) -> Locator:
        """As `name`, post the founding error, the `count`-th post; its thread is open then."""
        await self.become(name)
        await self.type(f"again:\n```{FOUNDING}```")
        await expect(self.channel).to_have_count(count)
        await self.open_thread(self.channel.last)
        return self.thread.nth(1)


@pytest.fixture
async def screen() -> AsyncIterator[Screen]:
    expect.set_options(timeout=PATIENCE_MS)
    async with open_stage() as (_, address), open_browser() as browser:
        page = await browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(PATIENCE_MS)
        found = Screen(page)
        page.on("console", lambda message: found.complaints.append(message.text))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        await page.goto(address)
        yield found
        assert found.complaints == []


async def test_the_first_screen_shows_the_example_and_its_answer(screen: Screen) -> None:
    await expect(screen.thread).to_have_count(3)
    head = screen.thread.nth(1)

    await expect(head.get_by_role("heading", name=HEADLINE)).to_be_in_viewport()
    await expect(screen.steps(head)).to_contain_text([FIRST, SECOND, THIRD])
    await expect(head).to_contain_text("you tried this", ignore_case=True)
    for rate in ("85 %", "80 %", "75 %", "fails 70 %", "fails 90 %", "fails 95 %"):
        await expect(head).to_contain_text(rate)
    await expect(screen.thread.nth(2).locator("pre")).to_contain_text("NCCL_SOCKET_IFNAME")
    await expect(screen.page.get_by_label("Message", exact=True)).to_have_attribute(
        "placeholder", "Message # training, or /nccl …"
    )


async def test_a_thumb_down_brings_the_next_step_and_can_be_taken_back(screen: Screen) -> None:
    await expect(screen.thread).to_have_count(3)
    await screen.become("Grace")
    await screen.open_thread(screen.channel.first)
    await screen.thread.nth(2).get_by_role("button", name="It did not").click()
    await expect(screen.thread.nth(3)).to_contain_text(SECOND)
    await expect(screen.thread.nth(1).locator("s")).to_contain_text(FIRST)
    await expect(screen.thread.nth(1)).to_contain_text("0 of 1 reports")
    await expect(screen.thread.nth(2)).not_to_contain_text("stated 85 %")

    step = screen.thread.nth(3)
    await step.hover()
    await step.get_by_role("button", name="React with +1").click()
    await expect(screen.thread.nth(1)).to_contain_text("Step 2 worked, says grace.")
    await step.get_by_role("button", name="+1, 1").click()
    await expect(screen.thread.nth(1)).not_to_contain_text("Step 2 worked")


async def test_who_looks_as_another_keeps_the_thread_open(screen: Screen) -> None:
    whispered = screen.page.locator("#thread-messages > li.whispered")
    await expect(screen.thread).to_have_count(3)
    await screen.become("Grace")
    await screen.thread.nth(2).get_by_role("button", name="It did not").click()
    await expect(whispered).to_contain_text("Noted")
    await screen.become("Linus")
    await expect(whispered).to_have_count(0)
    await expect(screen.page.locator("#thread")).to_be_visible()
    await expect(screen.thread).to_have_count(4)


async def test_order_and_rates_move_once_several_people_have_lost_time(screen: Screen) -> None:
    await expect(screen.thread).to_have_count(3)
    for count, (poster, voter) in enumerate(
        [("Ada", "Linus"), ("Linus", "Margaret"), ("Margaret", "Ada")], start=2
    ):
        head = await screen.ask(poster, count)
        await expect(screen.steps(head).first).to_contain_text(FIRST)
        for person in (poster, voter):
            await screen.become(person)
            replies = 2 if person == poster else 3
            await screen.open_thread(screen.channel.last, replies)
            await screen.thread.nth(2).get_by_role("button", name="It did not").click()
            await expect(screen.thread.nth(3)).to_contain_text(SECOND)
        await expect(screen.thread.nth(1).locator("s")).to_contain_text(FIRST)

    await screen.become("Linus")
    await screen.type(f"/nccl {FOUNDING}")
    steps = screen.steps(screen.whisper)
    await expect(steps.first).to_contain_text(SECOND)
    moved = steps.filter(has_text=FIRST)
    await expect(moved).to_contain_text("of 3 reports")
    await expect(moved).not_to_contain_text("stated 85 %,")


async def test_the_command_answers_its_asker_alone_who_may_share(screen: Screen) -> None:
    await expect(screen.thread).to_have_count(3)
    await screen.type(f"/nccl {FOUNDING}")
    await expect(screen.whisper).to_contain_text("Only visible to you")
    await expect(screen.whisper).to_contain_text(HEADLINE)
    await screen.become("Grace")
    await expect(screen.whisper).to_have_count(0)
    await screen.become("Ada")
    await screen.page.get_by_role("button", name="Share in the channel").click()
    await screen.become("Grace")
    await expect(screen.channel).to_have_count(2)
    await expect(screen.channel.last).to_contain_text(HEADLINE)


async def test_the_bare_command_leads_to_a_form_for_a_long_log(screen: Screen) -> None:
    await expect(screen.thread).to_have_count(3)
    await screen.type("/nccl")
    await screen.whisper.get_by_role("button", name="Paste a long log").click()
    form = screen.page.locator("#modal")
    await form.get_by_role("textbox").fill(f"step 1\n{FOUNDING}")
    await form.get_by_role("button", name="Diagnose").click()
    await expect(screen.whisper).to_contain_text(HEADLINE)


async def test_the_shortcuts_that_help_advertises_are_there(screen: Screen) -> None:
    await expect(screen.thread).to_have_count(3)
    await screen.channel.first.hover()
    more = screen.channel.first.get_by_label("More actions")
    await more.select_option("Diagnose this message")
    await expect(screen.whisper).to_contain_text(HEADLINE)
    await screen.thread.nth(2).hover()
    await screen.thread.nth(2).get_by_label("More actions").select_option("This solved it")
    await expect(screen.thread.nth(1)).to_contain_text("Step 1 worked, says ada.")
    anywhere = screen.page.get_by_label("Shortcuts", exact=True)
    await anywhere.focus()
    await anywhere.select_option("Diagnose a log")
    await expect(screen.page.locator("#modal").get_by_role("textbox")).to_be_visible()


async def test_a_dropped_log_file_is_answered_in_its_thread(screen: Screen, tmp_path: Path) -> None:
    await expect(screen.thread).to_have_count(3)
    await screen.become("Linus")
    transfer = await screen.page.evaluate_handle(
        """text => { const data = new DataTransfer();
        data.items.add(new File([text], "rank0.log", {type: "text/plain"})); return data; }""",
        "noise\n" * 2000 + f"Traceback (most recent call last):\n{FOUNDING}\n",
    )
    for event in ("dragover", "drop"):
        await screen.page.locator("main").dispatch_event(event, {"dataTransfer": transfer})
    await expect(screen.channel.last).to_contain_text("rank0.log")
    await screen.open_thread(screen.channel.last)

    await expect(screen.thread.nth(1)).to_contain_text(HEADLINE)
    await expect(screen.thread.nth(1)).to_contain_text("Line 2002")


async def test_nothing_in_a_log_becomes_markup_a_link_or_a_mention(screen: Screen) -> None:
    await expect(screen.thread).to_have_count(3)
    await screen.become("Margaret")
    await screen.type(f"```{HOSTILE}```")
    await expect(screen.channel).to_have_count(2)
    await screen.open_thread(screen.channel.last)
    answer = screen.thread.nth(1)

    await expect(answer.locator("pre").first).to_contain_text("<img src=x onerror")
    for what in ("img", "a", ".mention", "script"):
        await expect(answer.locator(what)).to_have_count(0)
    assert await screen.page.title() == "Playground"
