"""Whole surfaces: the blocks of a message, a modal, a Home tab."""

from collections.abc import Iterator
from typing import Any

from bot.localslack.blocks.composition import plain
from bot.localslack.blocks.layout import LAYOUTS
from bot.localslack.blocks.rules import (
    Check,
    array,
    boolean,
    both,
    by_type,
    choice,
    distinct,
    fault,
    shape,
    string,
)
from bot.localslack.model import Json

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100


def _blocks_on(surface: str, most: int) -> Check:
    shown = {kind: each.check for kind, each in LAYOUTS.items() if surface in each.surfaces}
    return both(array(by_type(shown), most, 0), distinct("block_id"))


def _inputs_have_submit(view: Any, pointer: str) -> Iterator[str]:
    blocks = view.get("blocks")
    kinds = [each.get("type") for each in blocks if isinstance(each, dict)] if blocks else []
    if "input" in kinds and "submit" not in view:
        yield fault("missing required field: submit", pointer)


_MESSAGE = _blocks_on("message", MESSAGE_BLOCKS)
_COMMON: dict[str, Check] = {
    "private_metadata": string(3_000, 0),
    "callback_id": string(255, 0),
    "external_id": string(255, 0),
}
_VIEWS = {
    "modal": shape(
        _COMMON
        | {
            "title!": plain(24),
            "blocks!": _blocks_on("modal", VIEW_BLOCKS),
            "close": plain(24),
            "submit": plain(24),
            "clear_on_close": boolean,
            "notify_on_close": boolean,
            "submit_disabled": boolean,
        },
        _inputs_have_submit,
    ),
    "home": shape(_COMMON | {"blocks!": _blocks_on("home", VIEW_BLOCKS)}),
}


def check_message_blocks(blocks: list[Json], pointer: str = "/blocks") -> list[str]:
    """Return every fault in the blocks of a message."""
    return list(_MESSAGE(blocks, pointer))


def check_view(view: Json, kind: str) -> list[str]:
    """Return every fault in a view that is to be a modal or a Home tab."""
    if view.get("type") != kind:
        return list(choice(kind)(view.get("type"), "/view/type"))
    return list(_VIEWS[kind](view, "/view"))
