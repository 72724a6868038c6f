"""Interactive elements: where they are, what using them sends, what inputs hold."""

from collections.abc import Iterator
from typing import Any

from bot.localslack.model import Json, View
from bot.localslack.render import show_whole_file
from bot.localslack.world import World

_SINGLE = {"static_select", "external_select", "overflow", "radio_buttons"}
_MANY = {"checkboxes", "multi_static_select", "multi_external_select"}
_PLACES = {
    "users_select": "selected_user",
    "channels_select": "selected_channel",
    "conversations_select": "selected_conversation",
    "multi_users_select": "selected_users",
    "multi_channels_select": "selected_channels",
    "multi_conversations_select": "selected_conversations",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
}


def interactive_elements(blocks: list[Json]) -> Iterator[tuple[Json, str]]:
    """Every element that can be used, with the id of its block."""
    for block in blocks:
        candidates = [*block.get("elements", []), block.get("accessory"), block.get("element")]
        for element in candidates:
            if isinstance(element, dict) and "action_id" in element:
                yield element, str(block["block_id"])


def find_element(
    blocks: list[Json], action_id: str, value: str | list[str] | None
) -> tuple[Json, str]:
    """Return the element with this action id; LookupError where there is none."""
    found = [each for each in interactive_elements(blocks) if each[0]["action_id"] == action_id]
    if not found:
        known = sorted({each["action_id"] for each, _ in interactive_elements(blocks)})
        raise LookupError(f"no element {action_id!r}; there are {known}")
    exact = [each for each in found if each[0].get("value") == value]
    return (exact or found)[0]


def build_action(element: Json, block_id: str, value: str | list[str] | None, stamp: str) -> Json:
    """Return the entry of `actions` that using an element sends."""
    kind = str(element["type"])
    action: Json = {"action_id": element["action_id"], "block_id": block_id}
    if kind == "button":
        copied = ("text", "value", "style", "url")
        action |= {key: element[key] for key in copied if key in element}
    elif kind == "feedback_buttons":
        chosen = _feedback(element, value)
        action |= {"value": chosen["value"], "text": chosen["text"]}
    elif kind == "icon_button":
        action |= {key: element[key] for key in ("value", "icon") if key in element}
    else:
        action |= state_of(element, value)
    return action | {"type": kind, "action_ts": stamp}


def _feedback(element: Json, value: str | list[str] | None) -> Json:
    for side in ("positive_button", "negative_button"):
        if value in {side, element[side].get("value")}:
            button: Json = element[side]
            return button
    raise LookupError(f"no side {value!r}")


def state_of(element: Json, value: Any) -> Json:
    """Return the value of an input or select as payloads show it."""
    kind = str(element["type"])
    if kind in _SINGLE:
        return {"selected_option": None if value is None else _option(element, str(value))}
    if kind in _MANY:
        return {"selected_options": [_option(element, str(each)) for each in value or []]}
    if kind in _PLACES:
        return {_PLACES[kind]: value}
    return {"value": value}


def _option(element: Json, value: str) -> Json:
    groups = [group["options"] for group in element.get("option_groups", [])]
    options = [*element.get("options", []), *(each for group in groups for each in group)]
    for option in options:
        if option["value"] == value:
            chosen: Json = option
            return chosen
    raise LookupError(f"no option {value!r}")


def _initial(element: Json) -> Any:
    if "initial_option" in element:
        return element["initial_option"]["value"]
    if "initial_options" in element:
        return [each["value"] for each in element["initial_options"]]
    named = [value for key, value in element.items() if key.startswith("initial_")]
    return named[0] if named else None


def collect_state(world: World, blocks: list[Json], typed: Json) -> Json:
    """`state.values` of a view; ValueError for what the form itself would refuse."""
    values: Json = {}
    unknown = typed.keys() - {block.get("block_id") for block in blocks}
    if unknown:
        raise LookupError(f"no input block {sorted(unknown)}")
    for element, block_id in interactive_elements(blocks):
        block = next(each for each in blocks if each.get("block_id") == block_id)
        if element["type"] in {"button", "overflow", "feedback_buttons", "icon_button"}:
            continue
        given = typed.get(block_id, {})
        value = given.get(element["action_id"], _initial(element))
        if block["type"] == "input":
            _check_typed(block, element, value)
        state = {"type": element["type"]} | _state_with_files(world, element, value)
        values.setdefault(block_id, {})[element["action_id"]] = state
    return values


def _state_with_files(world: World, element: Json, value: Any) -> Json:
    if element["type"] != "file_input":
        return state_of(element, value)
    return {"files": [show_whole_file(world, world.files[each]) for each in value or []]}


def files_in(values: Json) -> Iterator[str]:
    """Ids of the files in `state.values` of a view."""
    for fields in values.values():
        for state in fields.values():
            yield from (str(file["id"]) for file in state.get("files") or ())


def _check_typed(block: Json, element: Json, value: Any) -> None:
    name = f"{block['block_id']}/{element['action_id']}"
    if value in (None, "", []) and not block.get("optional", False):
        raise ValueError(f"{name} must be filled in")
    if isinstance(value, str) and len(value) > element.get("max_length", 3000):
        raise ValueError(f"{name} is too long")
    if isinstance(value, str) and value and len(value) < element.get("min_length", 0):
        raise ValueError(f"{name} is too short")


def response_channels(view: View) -> Iterator[tuple[str, str, str]]:
    """Return the channels that were chosen where `response_url_enabled` is set."""
    for element, block_id in interactive_elements(view.body["blocks"]):
        state = view.values.get(block_id, {}).get(element["action_id"], {})
        chosen = state.get("selected_conversation") or state.get("selected_channel")
        if element.get("response_url_enabled") and chosen:
            yield block_id, element["action_id"], chosen
