"""What one person alone sees: an answer to `/nccl`, help, questions back, small confirmations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.slack.blocks.answer import render_head
from bot.slack.blocks.end import LAST_ALONE, solved_otherwise
from bot.slack.blocks.parts import LONGEST_TEXT, Json, Message, actions, button, escape, fits, note
from bot.slack.blocks.step import brief_blocks, say_step, step_blocks

if TYPE_CHECKING:
    from bot.view import AnswerView

HELP = (
    "*I recognise errors of distributed training* (NCCL, PyTorch, CUDA, Slurm, Kubernetes, Ray and "
    "their kin) by rules, and know what others tried and how often it helped.\n"
    "• Post an error in a channel that I am in: I answer in its thread, or stay silent if I do not "
    "know it. Mention me below a post and I read that thread.\n"
    "• `/nccl ERROR` answers you alone, and you may share the answer.\n"
    "• `/nccl search WORDS`, `show ENTRY`, `rates ENTRY` and `stats` look things up; "
    "`snooze ENTRY TIME` quiets one error here, `settings` is for a channel's owners.\n"
    "• The shortcuts of a message: *Diagnose this message*, and *This solved it* on the reply that "
    "says what did.\n"
    "• :+1: or :-1: on a step's message says whether it worked. That moves its rate and the order "
    "for whoever comes next; take the thumb back and the vote is gone."
)
NOT_FOUND = (
    "I do not know this one. What would help me: the traceback of the *first* rank that failed, "
    "with the lines above it, or the whole log as a file."
)
SEND_THE_REST = (
    "Please attach the end of the log, or paste the traceback of the *first* rank that failed."
)
NO_PICTURE = (
    "I cannot read pictures. Please paste the text of the error, or attach the log as a file."
)
NOT_SHARED = "I cannot post here. Invite me with `/invite @nccl-bot`, then press Share again."


def render_help() -> Message:
    """Say what the bot can do, with a button to the form."""
    return Message(HELP, (note(HELP), actions(_open_form())))


def say_not_found(unread: str = "") -> str:
    """Say that the bot does not know, and what would help; `unread` is what it did not read."""
    return f"I found nothing that I know. {unread} {SEND_THE_REST}" if unread else NOT_FOUND


def render_not_found(unread: str = "") -> Message:
    """Render the same, with a button to the form."""
    text = say_not_found(unread)
    return Message(text, (note(text), actions(_open_form())))


def render_no_picture() -> Message:
    """Say that a picture cannot be read, and what can."""
    return render_note(NO_PICTURE)


def render_private(view: AnswerView) -> Message:
    """Render an answer for one person: the head, the steps shown so far, and Share."""
    head = render_head(view)
    last = _last(view) if view.answer.is_private else []
    blocks = list(head.blocks)
    for step in view.steps[: view.answer.shown]:
        for shape in (step_blocks(view, step, alone=True), brief_blocks(view, step)):
            if fits([*blocks, *shape, *last]):
                blocks += shape
                break
    said = [say_step(view, step) for step in view.steps[: view.answer.shown][-1:]]
    said += [LAST_ALONE] if view.is_over else []
    text = "\n".join([head.text, *said])
    return Message(text if len(text) <= LONGEST_TEXT else head.text, (*blocks, *last))


def _last(view: AnswerView) -> list[Json]:
    """Return what closes a private answer: what can be done with it, and that no step is left."""
    share = button("Share in the channel", "share", view.answer.id, "primary")
    row = actions(share, solved_otherwise(view.answer.id))
    return [note(LAST_ALONE), row] if view.is_over else [row]


def render_doubt(answer: str, *, can_blame: bool) -> Message:
    """Render the question that a thumb down on the head raises."""
    text = "Is it the wrong diagnosis, or did the step fail?"
    failed = [button("The step failed", "blame_step", answer)] if can_blame else []
    wrong = button("Wrong diagnosis", "wrong_diagnosis", answer)
    return Message(text, (note(text), actions(wrong, *failed)))


def render_thanks(text: str, value: str) -> Message:
    """Render a confirmation of a vote, with the way back."""
    return Message(text, (note(text), actions(button("Take it back", "undo", value))))


def render_note(text: str) -> Message:
    """One line of our own words."""
    return Message(text, (note(text),))


def render_seen_before(link: str, count: int) -> Message:
    """Render the one line that a later post of an incident gets."""
    text = f"Same failure as <{link}|the one answered here> ({count} reports so far)."
    return Message(text, (note(text),))


def render_withdrawn(title: str, why: str) -> Message:
    """Render what stays of an answer whose post is gone: nothing that it quoted."""
    text = f"*{escape(title, 200)}*\n_{why} What I quoted of it is gone too._"
    return Message(text, (note(text),))


def render_request(title: str, ask: tuple[str, ...], unread: str = "") -> Message:
    """Say what is missing where only a wrapper was found."""
    wanted = "; ".join(ask) or "the traceback of the first rank that failed"
    text = (
        f"This is only the wrapper ({escape(title, 150)}), not the cause. "
        f"Please add: {escape(wanted, 800)}."
    )
    text = f"{unread} {text}" if unread else text
    return Message(text, (note(text),))


def _open_form() -> dict[str, object]:
    return button("Paste a long log", "open_form", "form")
