"""The playground's page in a real browser."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Locator, Page, async_playwright, expect

from bot.localslack import Message
from bot.localslack.model import Json
from tests.localslack.conftest import Cast, Listener
from tests.localslack.test_payload_shapes import MODAL, VOTE_BLOCKS

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium"),
]
HOSTILE = '<img src=x onerror="document.title=1"> <script>document.title=1</script> *x* & <b>'
DISMISS: Json = {
    "type": "actions",
    "block_id": "dismiss",
    "elements": [
        {
            "type": "button",
            "action_id": "dismiss",
            "text": {"type": "plain_text", "text": "Dismiss"},
            "confirm": {
                "title": {"type": "plain_text", "text": "Dismiss it?"},
                "text": {"type": "plain_text", "text": "It goes quiet."},
                "confirm": {"type": "plain_text", "text": "Yes"},
                "deny": {"type": "plain_text", "text": "No"},
            },
        }
    ],
}


@dataclass
class Window:
    """An open page, and what its console complained of."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    @property
    def composer(self) -> Locator:
        return self.page.get_by_label("Message", exact=True)

    @property
    def messages(self) -> Locator:
        return self.page.locator("#messages > li")

    @property
    def thread(self) -> Locator:
        return self.page.locator("#thread-messages > li")

    async def send(self, text: str) -> None:
        await self.composer.fill(text)
        await self.composer.press("Enter")


@pytest.fixture
async def window(cast: Cast, listener: Listener) -> AsyncIterator[Window]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(color_scheme="dark")
        found = Window(page)
        page.on("console", lambda message: found.complaints.append(message.text))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        await page.goto(cast.slack.origin)
        await expect(page.get_by_role("heading", name="train-alerts")).to_be_visible()
        yield found
        await browser.close()
        assert found.complaints == []


async def answered(cast: Cast, post: Message) -> Message:
    sent = await cast.call(
        "chat.postMessage",
        channel=cast.channel.id,
        thread_ts=post.ts,
        text="likely",
        blocks=[*VOTE_BLOCKS, DISMISS],
    )
    return cast.slack.find(cast.channel, sent["ts"])


async def test_what_is_typed_is_shown_as_text_and_nothing_else(cast: Cast, window: Window) -> None:
    await window.send(f"first line\n```{HOSTILE}```\n{HOSTILE}")
    await expect(window.messages).to_have_count(1)
    post = cast.slack.messages(cast.channel)[0]

    assert "```&lt;img src=x" in post.text
    await expect(window.messages.locator("pre")).to_have_text(HOSTILE)
    await expect(window.messages).to_contain_text(HOSTILE)
    assert await window.page.locator("main img, main script, main b").count() == 0
    assert await window.page.title() == "Playground"
    await expect(window.composer).to_have_value("")


async def test_a_thread_with_buttons_reactions_and_replies(cast: Cast, window: Window) -> None:
    post = await cast.slack.post(cast.bob, cast.channel, "it hangs")
    message = await answered(cast, post)
    await window.messages.get_by_role("button", name="1 reply").click()
    await expect(window.thread).to_have_count(2)
    answer = window.thread.nth(1)

    await answer.get_by_role("button", name="Helpful", exact=True).click()
    pressed = await cast.slack.wait_for(lambda: _actions(cast))
    assert (pressed[0]["action_id"], pressed[0]["value"]) == ("vote_up", "d-1|up")

    await answer.get_by_role("button", name="Dismiss").click()
    await window.page.get_by_role("button", name="No", exact=True).click()
    await answer.get_by_role("button", name="Dismiss").click()
    await window.page.get_by_role("button", name="Yes").click()
    await cast.slack.wait_for(lambda: len(_actions(cast)) == 2)
    assert _actions(cast)[1]["action_id"] == "dismiss"

    await answer.hover()
    await answer.get_by_role("button", name="React with +1").click()
    await expect(answer.get_by_role("button", name="+1, 1")).to_have_attribute(
        "aria-pressed", "true"
    )
    await cast.slack.react(cast.bob, message, "+1")
    await answer.get_by_role("button", name="+1, 2").click()
    await expect(answer.get_by_role("button", name="+1, 1")).to_have_attribute(
        "aria-pressed", "false"
    )

    await window.page.get_by_label("Reply", exact=True).fill("two\nlines")
    await window.page.get_by_label("Reply", exact=True).press("Enter")
    await expect(window.thread).to_have_count(3)
    assert [each.text for each in cast.slack.replies(post)] == ["likely", "two\nlines"]
    await window.page.keyboard.press("Escape")
    await expect(window.page.get_by_role("complementary")).to_be_hidden()


def _actions(cast: Cast) -> list[Json]:
    bodies = [each.payload for each in cast.slack.deliveries if each.kind == "interactive"]
    return [action for body in bodies for action in body.get("actions", [])]


async def test_a_newcomer_sees_the_first_answer_without_a_click(cast: Cast, window: Window) -> None:
    post = await cast.slack.post(cast.bob, cast.channel, "it hangs")
    await answered(cast, post)

    await expect(window.thread.nth(1)).to_be_visible()
    await window.page.reload()
    await expect(window.messages).to_have_count(1)
    await expect(window.thread).to_have_count(0)


async def test_commands_and_what_only_one_person_sees(cast: Cast, window: Window) -> None:
    await window.send("/nccl bad payload\nsecond <line>")
    command = await cast.slack.wait_for(
        lambda: [each for each in cast.slack.deliveries if each.kind == "slash_commands"]
    )
    assert command[0].payload["text"] == "bad payload\nsecond <line>"
    await cast.call(
        "chat.postEphemeral",
        channel=cast.channel.id,
        user=cast.alice.id,
        text="*yours* alone",
        blocks=VOTE_BLOCKS,
    )
    await expect(window.page.get_by_text("Only visible to you")).to_be_visible()
    await window.page.get_by_role("button", name="Not helpful").click()
    await cast.slack.wait_for(lambda: _actions(cast))
    await window.page.get_by_role("radio", name="Bob").check()
    await expect(window.page.get_by_text("Only visible to you")).to_be_hidden()

    await window.send("/unknown")
    await expect(window.page.get_by_role("alert")).to_contain_text("not a valid command")
    post = await cast.slack.post(cast.bob, cast.channel, "it hangs")
    await answered(cast, post)
    await window.page.get_by_role("button", name="1 reply").click()
    await window.page.get_by_label("Reply", exact=True).fill("/nccl x")
    await window.page.get_by_label("Reply", exact=True).press("Enter")
    await expect(window.page.get_by_role("alert")).to_contain_text("not supported in threads")


async def test_a_modal_is_filled_in_and_submitted(
    cast: Cast, listener: Listener, window: Window
) -> None:
    await window.page.get_by_label("Shortcuts").focus()
    await window.page.get_by_label("Shortcuts").select_option("paste_log")
    await cast.slack.wait_for(lambda: listener.frames)
    trigger = listener.frames[-1]["payload"]["trigger_id"]
    await cast.call("views.open", trigger_id=trigger, view=MODAL)
    log = window.page.get_by_label("Log excerpt")
    await expect(log).to_be_focused()
    await window.page.get_by_role("button", name="Diagnose").click()
    await expect(window.page.get_by_role("alert")).to_contain_text("must be filled in")
    await log.fill("NCCL WARN\nline <2>")
    await window.page.get_by_role("button", name="Diagnose").click()
    await expect(log).to_be_hidden()
    sent = cast.slack.deliveries[-1].payload

    assert sent["view"]["state"]["values"]["log"]["text"]["value"] == "NCCL WARN\nline <2>"


async def test_home_files_editing_and_live_changes(cast: Cast, window: Window) -> None:
    await cast.call(
        "views.publish", user_id=cast.alice.id, view={"type": "home", "blocks": VOTE_BLOCKS}
    )
    await window.page.get_by_role("button", name="nccl-bot · Home").click()
    await window.page.get_by_role("button", name="Helpful", exact=True).click()
    await cast.slack.wait_for(lambda: _actions(cast))
    await window.page.get_by_role("button", name="# train-alerts").click()

    await window.page.locator("#composer input[type=file]").set_input_files(
        {"name": "rank5.log", "mimeType": "text/plain", "buffer": b"NCCL <WARN>\nmore"}
    )
    await expect(window.messages.locator("pre")).to_contain_text("NCCL <WARN>")

    await window.send("a `typo`")
    row = window.messages.nth(1)
    await row.hover()
    await row.get_by_label("More actions").select_option("edit")
    area = window.page.get_by_label("Edit message")
    await expect(area).to_have_value("a `typo`")
    await area.fill("no typo")
    await window.page.get_by_role("button", name="Save").click()
    await expect(row).to_contain_text("no typo (edited)")
    await row.hover()
    await row.get_by_label("More actions").select_option("delete")
    await expect(window.messages).to_have_count(1)
