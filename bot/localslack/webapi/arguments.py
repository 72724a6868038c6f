"""Reading a call's arguments from the query, a form or JSON, and checking names and types."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from bot.localslack.errors import SlackError, refuse_with
from bot.localslack.model import Json

_FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


async def read_arguments(request: web.Request) -> Json:
    """All arguments of a request; raises invalid_post_type, invalid_json, json_not_object."""
    arguments: Json = dict(request.query)
    if request.method != "POST" or not request.can_read_body:
        return arguments
    if request.content_type in _FORMS:
        form = await request.post()
        return arguments | {key: str(value) for key, value in form.items()}
    if request.content_type != "application/json":
        raise SlackError("invalid_post_type")
    return arguments | await _read_json(request)


async def _read_json(request: web.Request) -> Json:
    try:
        body = json.loads(await request.read())
    except ValueError as error:
        raise SlackError("invalid_json") from error
    if not isinstance(body, dict):
        raise SlackError("json_not_object")
    return {key: value for key, value in body.items() if value is not None}


def check_arguments(given: Json, expected: Mapping[str, str]) -> Json:
    """Return the arguments with their types; raises invalid_arguments with every fault at once."""
    faults = [f"unknown argument: {name}" for name in given if name not in expected]
    checked: Json = {}
    for name, kind in expected.items():
        if name not in given:
            if kind.endswith("!"):
                faults.append(f"missing required field: {name}")
            continue
        try:
            checked[name] = _CONVERT[kind.rstrip("!")](given[name])
        except (ValueError, TypeError):
            faults.append(f"must be a valid {kind.rstrip('!')} [json-pointer:/{name}]")
    if faults:
        raise refuse_with("invalid_arguments", faults)
    return checked


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _loose_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _truth(value: Any) -> bool:
    if value in (True, "1", "true", "True"):
        return True
    if value in (False, "0", "false", "False", ""):
        return False
    raise ValueError


def _whole(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError
    return int(value)


def _stamp(value: Any) -> str:
    text = _text(value)
    seconds, _, rest = text.partition(".")
    if not (seconds.isdigit() and len(rest) in {0, 6} and (rest or "0").isdigit()):
        raise ValueError
    return text


def _time(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    float(text)
    return text


def _structure(value: Any) -> Any:
    """Return a JSON structure, also as text; what is wrong with it is the method's to say."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [each.strip() for each in value.split(",") if each.strip()]
    return [_text(each) for each in value]


_CONVERT: dict[str, Callable[[Any], Any]] = {
    "string": _text,
    "text": _loose_text,
    "boolean": _truth,
    "integer": _whole,
    "timestamp": _stamp,
    "time": _time,
    "json": _structure,
    "list": _names,
}
