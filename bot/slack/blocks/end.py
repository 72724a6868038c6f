"""What the thread gets when no step is left, and the form for a fix found otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bot.slack.blocks.parts import Json, Message, actions, button, guard, note

FIX_CALLBACK = "record_fix"
LONGEST_FIX = 2000
LAST = "That was the last step I know. Whatever solves it helps the next one who sees this."
CALL = "can you have a look? The steps above did not help."


LAST_ALONE = f"{LAST} Share it in the channel: others may know more."


@dataclass(frozen=True, slots=True)
class End:
    """What can still be done, and what was."""

    answer: str
    has_owners: bool
    was_called: bool
    saved_by: str | None


def render_end(end: End) -> Message:
    """Say that no step is left, and offer what is."""
    said = [LAST]
    buttons = [solved_otherwise(end.answer)]
    if end.was_called:
        said.append("_The owners were asked._")
    elif end.has_owners:
        buttons.append(button("Ask the owners", "call_owners", end.answer))
    if end.saved_by:
        said.append(f"_Saved as unsolved by {guard(end.saved_by, 100)}._")
    else:
        buttons.append(button("Save as unsolved", "save_unsolved", end.answer))
    text = "\n".join(said)
    return Message(text, (note(text), actions(*buttons)))


def solved_otherwise(answer: str) -> Json:
    """Return the button that asks what else solved it."""
    return button("Solved another way", "solved_otherwise", answer)


def render_call(owners: str) -> Message:
    """Call the owners; the one message of the bot that mentions anybody but the poster, on request."""
    text = f"<!subteam^{owners}> {CALL}"
    return Message(text, (note(text),))


def render_fix_form(answer: str, response_url: str | None = None) -> Json:
    """Ask what solved it; both arguments come back with the form."""
    return {
        "type": "modal",
        "callback_id": FIX_CALLBACK,
        "title": {"type": "plain_text", "text": "Solved another way"},
        "submit": {"type": "plain_text", "text": "Record"},
        "close": {"type": "plain_text", "text": "Cancel"},
        "private_metadata": json.dumps({"answer": answer, "response_url": response_url}),
        "blocks": [
            {
                "type": "input",
                "block_id": "fix",
                "label": {"type": "plain_text", "text": "What solved it?"},
                "hint": {
                    "type": "plain_text",
                    "text": "One or two sentences, with the command or setting. The thread sees it.",
                },
                "element": {
                    "type": "plain_text_input",
                    "action_id": "fix",
                    "multiline": True,
                    "min_length": 3,
                    "max_length": LONGEST_FIX,
                },
            }
        ],
    }
