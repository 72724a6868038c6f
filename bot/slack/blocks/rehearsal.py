"""What a channel in shadow mode would have seen, for the maintainers' channel."""

from __future__ import annotations

from bot.slack.blocks.answer import cut_lines
from bot.slack.blocks.parts import LONGEST_TEXT, Message, note


def render_rehearsal(channel: str, link: str, head: Message) -> Message:
    """Render a head without its buttons, below a line that says where it was not posted."""
    said = f"Shadow mode in <#{channel}>: <{link}|this post> would have got this answer."
    blocks = [block for block in head.blocks if block["type"] != "actions"]
    text = cut_lines([said, *head.text.split("\n")], LONGEST_TEXT)
    return Message(text, (note(said), *blocks))
