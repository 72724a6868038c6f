"""What is set for a channel: the form, the greeting, and what is said about snoozes."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING

from bot.slack.blocks.parts import Json, Message, actions, button, cut, guard, note, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.slack.groups import Group
    from bot.store.channels import ChannelSettings

CALLBACK = "channel_settings"
MODES = {
    "on": "On: answer what I recognise",
    "asked": "Only when asked: mentions and /nccl",
    "shadow": "Shadow: tell the maintainers' channel only",
    "off": "Off",
}
NOBODY = "none"
MOST_OPTIONS = 100
HELLO = (
    "Hello. Post an error of a training job here and I answer in its thread if I recognise it, "
    "else I stay quiet. `/nccl settings` changes that, `/nccl help` says the rest."
)


def render_settings(
    channel: str,
    settings: ChannelSettings,
    groups: Sequence[Group],
    *,
    trusted: bool,
    has_shadow: bool,
) -> Json:
    """Render the form; who is `trusted` sees also owners, bots and the job feed."""
    modes = {
        mode: label for mode, label in MODES.items() if has_shadow or mode in {"on", "asked", "off"}
    }
    blocks = [
        note(f"How I behave in <#{channel}>"),
        _field("mode", "Answering", _select(modes, settings.mode)),
        _field(
            "threshold",
            "How sure I must be",
            _threshold(settings.threshold),
            hint="Between 0 and 1; empty is the usual. Higher is quieter.",
            optional=True,
        ),
    ]
    if not has_shadow:
        blocks.append(note("_Shadow needs a maintainers' channel: NCCL_BOT_MAINTAINER_CHANNEL._"))
    if trusted:
        blocks += _trusted(settings, groups)
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "title": plain("Channel settings"),
        "submit": plain("Save"),
        "close": plain("Cancel"),
        "private_metadata": json.dumps({"channel": channel}),
        "blocks": blocks,
    }


def _trusted(settings: ChannelSettings, groups: Sequence[Group]) -> list[Json]:
    names = {NOBODY: "Nobody"} | {group.id: f"@{group.handle}" for group in groups}
    if settings.owners and settings.owners not in names:
        names[settings.owners] = settings.owners
    shown = dict(list(names.items())[:MOST_OPTIONS])
    owners = settings.owners if settings.owners in shown else NOBODY
    return [
        _field(
            "owners", "Owners", _select(shown, owners), hint="May change this; asked on request."
        ),
        _field(
            "bots",
            "Bots that may be answered",
            _text(", ".join(settings.bots)),
            hint="Bot ids (B...), separated by commas.",
            optional=True,
        ),
        _field(
            "jobs",
            "Failed jobs",
            _select({"no": "Not here", "yes": "Post them here"}, "yes" if settings.jobs else "no"),
            hint="One channel gets them.",
        ),
    ]


def _field(
    name: str, label: str, element: Json, *, hint: str | None = None, optional: bool = False
) -> Json:
    made = {
        "type": "input",
        "block_id": name,
        "label": plain(label),
        "optional": optional,
        "element": {**element, "action_id": name},
    }
    return {**made, "hint": plain(hint)} if hint else made


def _select(options: dict[str, str], chosen: str) -> Json:
    shown = {
        value: {"text": plain(cut(label, 75)), "value": value} for value, label in options.items()
    }
    first = next(iter(shown.values()))
    return {
        "type": "static_select",
        "options": list(shown.values()),
        "initial_option": shown.get(chosen, first),
    }


def _threshold(value: float | None) -> Json:
    made = {
        "type": "number_input",
        "is_decimal_allowed": True,
        "min_value": "0",
        "max_value": "1",
    }
    return made if value is None else {**made, "initial_value": f"{value:g}"}


def _text(value: str) -> Json:
    made = {"type": "plain_text_input", "max_length": 1000}
    return {**made, "initial_value": value} if value else made


def read_values(view: Json) -> dict[str, str | None]:
    """Return what each field of a form holds; none where it is empty."""
    values: dict[str, str | None] = {}
    for block, fields in ((view.get("state") or {}).get("values") or {}).items():
        for field in fields.values():
            option = field.get("selected_option")
            chosen = option.get("value") if isinstance(option, dict) else field.get("value")
            values[str(block)] = str(chosen) if chosen is not None else None
    return values


def render_saved(settings: ChannelSettings) -> Message:
    """Confirm what is set now."""
    said = f"Saved: {MODES[settings.mode]}."
    if settings.threshold is not None:
        said += f" I must be {settings.threshold:g} sure."
    return Message(said, (note(said),))


def render_hello() -> Message:
    """Say hello, once in a channel."""
    return Message(HELLO, (note(HELLO),))


def render_snoozed(name: str, entry: str, until: float, longest_days: int | None) -> Message:
    """Announce what stays unanswered here and until when, with the way back.

    `longest_days` is the longest time there is, where a longer one was asked for.
    """
    when = f"<!date^{until:.0f}^{{date_short_pretty}} {{time}}|{_say_utc(until)}>"
    cut_to = f", {longest_days} days being the longest there is" if longest_days else ""
    text = (
        f"{guard(name, 100)} snoozed {_name(entry)} here until {when}{cut_to}. "
        "Who asks me still gets an answer."
    )
    return Message(text, (note(text), actions(button("Wake up", "wake", entry or "all"))))


def render_woken(name: str, entry: str) -> Message:
    """Announce that a snooze was ended."""
    text = f"{guard(name, 100)} ended the snooze of {_name(entry)} here."
    return Message(text, (note(text),))


def render_over(entry: str) -> Message:
    """Say, in the place of its announcement, that a snooze is over: there is nothing to end."""
    text = f"_A snooze of {_name(entry)} was announced here, and is over._"
    return Message(text, (note(text),))


def _name(entry: str) -> str:
    return f"`{entry}`" if entry else "everything"


def _say_utc(epoch: float) -> str:
    return dt.datetime.fromtimestamp(epoch, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
